// tapehead carries out a plan.
#pragma once

#include "interpreter.h"

namespace parity {

std::unique_ptr<Interpreter> make_ours();

}  // namespace parity
