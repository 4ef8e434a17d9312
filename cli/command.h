// The command line: from arguments to one of the commands, and from errors to exit codes.
#pragma once

namespace tapehead::cli {

/// What main() does. 0: fine, or help was asked for. 1: it failed, and one line on stderr says why.
/// 2: that is not how it is used; one line on stderr says what is wrong.
int run(int argc, const char* const* argv);

}  // namespace tapehead::cli
