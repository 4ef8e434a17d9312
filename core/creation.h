// Arrays from a rule.
#pragma once

#include "ndarray.h"

namespace tapehead::core {

/// start, start + step, … up to but without `end`: ceil((end - start) / step) elements.
NDArray arange(Scalar start, Scalar end, Scalar step, DType dtype);
/// `steps` evenly spaced numbers from start to end, both included, with PyTorch's rounding.
NDArray linspace(double start, double end, Index steps, DType dtype);
/// Ones on the diagonal of an (n, m) array.
NDArray eye(Index n, Index m, DType dtype);

}  // namespace tapehead::core
