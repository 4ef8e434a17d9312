// The modules' part of the gradcheck table.
#pragma once

#include "gradcheck_command.h"

namespace tapehead::cli {

/// Every module that computes something, in small, in Float64, inputs and parameters checked.
std::vector<Subject> module_subjects();

}  // namespace tapehead::cli
