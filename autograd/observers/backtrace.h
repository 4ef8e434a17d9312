// Backtrace: the functions that are running, by name where the build tells.
#pragma once

#include <string>
#include <vector>

namespace tapehead {

/// The callers of the function that calls this, innermost first, each "name" or, where no symbol is
/// known for it, "program+0x1234"; `skip` of them are left out, and so is what runs before main().
/// Names come from the program's symbol table, so that one that was stripped has those of shared
/// libraries alone. Empty on platforms other than Linux with glibc.
std::vector<std::string> backtrace_lines(int skip = 0);

}  // namespace tapehead
