// Indices, checked before anything is read or written through them.
#pragma once

#include "../ndarray.h"

namespace tapehead::core {

/// Row-major, of dtype Int64, and every index in [0, size). ShapeError and DTypeError name op,
/// index, position and dimension `d`.
NDArray checked_index(const char* op, const NDArray& index, Index size, int d);
/// The same where negative indices count from the end; the result has none.
NDArray wrapped_index(const char* op, const NDArray& index, Index size, int d);

/// A 0-d array counts as one of one element.
inline NDArray at_least_1d(const NDArray& x) { return x.rank() == 0 ? x.unsqueeze(0) : x; }

}  // namespace tapehead::core
