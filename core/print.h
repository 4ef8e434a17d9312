// How arrays look as text: PyTorch's layout.
//
//   to_string(NDArray::of({1, 2.5, 0.1, 4}, {2, 2}, DType::Float32))
//   // [[1.0000, 2.5000],
//   //  [0.1000, 4.0000]]
#pragma once

#include <string>
#include <vector>

#include "ndarray.h"

namespace tapehead::core {

/// PyTorch's numbers, columns and line breaks: 4 digits, scientific where it would be, more than
/// 1,000 elements summarised to 3 at each end, lines of at most 80 characters. `indent` is how far
/// right the first bracket stands (7 after "tensor("). Without elements: "[]".
std::string to_string(const NDArray& x, int indent = 0);

/// How a lone number of this dtype prints: "2.", "2.5000", "2", "True".
std::string to_string(double value, DType dtype);

/// What the text alone does not tell about x: "size=(2, 0)" of an array without elements, unless it
/// is one-dimensional; "dtype=Float64" unless the numbers show that they are Float32, Int64 or
/// Bool.
std::vector<std::string> suffixes(const NDArray& x);

/// `text` (from its prefix "tensor(" on), the suffixes after commas, ")". One that would pass 80
/// characters starts a new line, as far right as `indent`.
std::string with_suffixes(const std::string& text, const std::vector<std::string>& suffixes,
                          int indent = 7);

}  // namespace tapehead::core
