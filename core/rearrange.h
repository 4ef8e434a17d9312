// The elements of an array in another order along a dimension. Every dtype.
#pragma once

#include "ndarray.h"

namespace tapehead::core {

/// Backwards along each of `dims`, which must be distinct.
NDArray flip(const NDArray& x, const Dims& dims);
/// Element i at i + shift along dimension d, round the end.
NDArray roll(const NDArray& x, Index shift, int d);
/// Int64: index i repeats[i] times, for Int64 `repeats` of one dimension.
NDArray repeated_indices(const NDArray& repeats);

}  // namespace tapehead::core
