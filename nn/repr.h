// The parts of what a module prints between its parentheses, as Python writes them.
#pragma once

#include <string>

#include "../core/shape.h"

namespace tapehead::nn::detail {

/// "0.1", "1.0", "1e-05".
std::string python(double value);
/// "True" or "False".
std::string python(bool value);
/// "(8,)", "(2, 3)".
std::string python(const core::Shape& shape);

}  // namespace tapehead::nn::detail
