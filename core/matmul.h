// Matrix products.
#pragma once

#include "ndarray.h"

namespace tapehead::core {

/// PyTorch's matmul for every rank: (n) (n) -> (); (n, k) (k) -> (n); (k) (k, m) -> (m);
/// (..., n, k) (..., k, m) -> (..., n, m), leading dimensions broadcast. Any strides: transposed
/// operands cost no copy. Float32 and Float64 accumulate in their own precision in a fixed order;
/// Int64 wraps. ShapeError names both shapes and, where it helps, .mT().
NDArray matmul(const NDArray& a, const NDArray& b);
/// Throws what matmul(a, b) would throw for their dtypes, ranks and inner sizes.
void check_matmul(const NDArray& a, const NDArray& b);

}  // namespace tapehead::core
