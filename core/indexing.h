// Elements by index, and arrays put together. Indices are Int64; negative ones and those past the
// end are a ShapeError that names index, position and size. Every dtype unless said otherwise.
#pragma once

#include <vector>

#include "ndarray.h"

namespace tapehead::core {

/// Slices index[0], index[1], … of dimension d; `index` is 1-d (or 0-d, as one index).
NDArray index_select(const NDArray& x, int d, const NDArray& index);
/// The rows of a matrix at an index of any shape, in that shape.
NDArray embedding(const NDArray& weight, const NDArray& index);
/// target.select(d, index[i]) += source.select(d, i), repeated indices adding up in order. Numeric.
void index_add_(NDArray& target, int d, const NDArray& index, const NDArray& source);

/// out[i][j][k] = x[i][index[i][j][k]][k] for d = 1; index has x's rank, and no size above x's
/// except along d.
NDArray gather(const NDArray& x, int d, const NDArray& index);
/// target[i][index[i][j][k]][k] += source[i][j][k] for d = 1, in order. Numeric.
void scatter_add_(NDArray& target, int d, const NDArray& index, const NDArray& source);

/// Joined along dimension d; all other sizes and the dtype must agree.
NDArray cat(const std::vector<NDArray>& arrays, int d);

/// The elements on and below (above) diagonal `diagonal` of the last two dimensions, 0 elsewhere.
NDArray tril(const NDArray& x, Index diagonal);
NDArray triu(const NDArray& x, Index diagonal);

}  // namespace tapehead::core
