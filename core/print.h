// How arrays look as text: PyTorch's layout.
//
//   [[1.0000, 2.5000],
//    [0.1000, 4.0000]]
#pragma once

#include <string>

#include "ndarray.h"

namespace tapehead::core {

/// PyTorch's numbers, columns and line breaks: 4 digits, scientific where it would be, more than
/// 1,000 elements summarised to 3 at each end, lines of at most 80 characters. `indent` is how far
/// right the first bracket stands (7 after "tensor(").
std::string to_string(const NDArray& x, int indent = 0);

/// Four digits as PyTorch prints a lone number of this dtype.
std::string to_string(double value, DType dtype);

}  // namespace tapehead::core
