// Elements by index, and arrays put together. Indices are Int64; negative ones and those past the
// end are a ShapeError that names index, position and size. Every dtype unless said otherwise. What
// changes its target names `op` in messages and as the writer.
#pragma once

#include <vector>

#include "ndarray.h"

namespace tapehead::core {

/// Slices index[0], index[1], … of dimension d; `index` is 1-d (or 0-d, as one index).
NDArray index_select(const NDArray& x, int d, const NDArray& index);
/// The rows of a matrix at an index of any shape, in that shape.
NDArray embedding(const NDArray& weight, const NDArray& index);
/// target.select(d, index[i]) += source.select(d, i), repeated indices adding up in order. Numeric.
void index_add_(NDArray& target, int d, const NDArray& index, const NDArray& source,
                const char* op = "index_add_");

/// out[i][j][k] = x[i][index[i][j][k]][k] for d = 1; index has x's rank, and no size above x's
/// except along d.
NDArray gather(const NDArray& x, int d, const NDArray& index, const char* op = "gather");
/// target[i][index[i][j][k]][k] += source[i][j][k] for d = 1, in order. Numeric. The source may be
/// larger than the index. Here and in gather an index without elements may have any shape.
void scatter_add_(NDArray& target, int d, const NDArray& index, const NDArray& source,
                  const char* op = "scatter_add_");
/// The same with `=`: of an index named twice the last counts.
void scatter_(NDArray& target, int d, const NDArray& index, const NDArray& source,
              const char* op = "scatter_");
void scatter_(NDArray& target, int d, const NDArray& index, Scalar value,
              const char* op = "scatter_");

/// x indexed in dimensions `dims` (rising) by as many indices, which broadcast to one shape B. That
/// is where `dims` are if they are neighbours, else in front. Negative indices count from the end.
NDArray index(const NDArray& x, const Dims& dims, const std::vector<NDArray>& indices);
/// Writes to these places (or adds to them, in order; numeric). `values` broadcasts to what
/// `index` gives. Of places named twice the last counts.
void index_put_(NDArray& target, const Dims& dims, const std::vector<NDArray>& indices,
                const NDArray& values, bool accumulate, const char* op = "index_put_");

/// Where x is not 0, in row-major order: Int64 (n, rank of x). NaN is not 0.
NDArray nonzero(const NDArray& x);
/// Int64, 1 at each index along a new last dimension, 0 elsewhere; -1 classes: as many as there
/// are.
NDArray one_hot(const NDArray& index, Index num_classes);

/// Joined along dimension d; all other sizes and the dtype must agree.
NDArray cat(const std::vector<NDArray>& arrays, int d);

/// The elements on and below (above) diagonal `diagonal` of the last two dimensions, 0 elsewhere.
NDArray tril(const NDArray& x, Index diagonal);
NDArray triu(const NDArray& x, Index diagonal);

}  // namespace tapehead::core
