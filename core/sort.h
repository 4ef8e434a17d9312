// Order along a dimension. NaN counts as the largest number; of equal elements the first comes
// first. Int64 indices say where each was. A 0-d array accepts d 0 or -1.
#pragma once

#include "reduce.h"

namespace tapehead::core {

ValuesIndices sort(const NDArray& x, int d, bool descending = false);
/// The k largest (or smallest) along d, from the largest (smallest) on if `sorted`, else as they
/// stand in x. ShapeError unless there are so many; DTypeError for Bool.
ValuesIndices topk(const NDArray& x, Index k, int d, bool largest = true, bool sorted = true);

}  // namespace tapehead::core
