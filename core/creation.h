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

/// Uninitialised, of x's shape and dtype, and as PyTorch's empty_like(x) in memory: dense, with its
/// dimensions in the order of x's.
NDArray empty_in_order_of(const NDArray& x);

}  // namespace tapehead::core
