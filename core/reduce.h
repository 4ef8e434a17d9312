// Reductions: many elements to one.
//
//   sum(x, {0, 2}, /*keepdim=*/true)   // (2, 3, 4) -> (1, 3, 1)
//
// `axes` may be negative and must be distinct; none means all. A 0-d array accepts axis 0 or -1.
// Floats are added in a fixed order, blockwise, so that errors stay small and any number of threads
// gives the same bits.
#pragma once

#include <type_traits>

#include "ndarray.h"

namespace tapehead::core {

/// Which dimensions to reduce: {0, 2}, or one, without braces. A bool is none: it was meant for
/// another parameter.
class Axes : public Dims {
 public:
  using Dims::Dims;
  Axes() = default;
  Axes(const Dims& axes) : Dims(axes) {}
  template <class T, class = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
  Axes(T axis) : Dims{static_cast<Index>(axis)} {}
};

/// Sum. Int64 and Bool give Int64, an empty sum is 0.
NDArray sum(const NDArray& x, const Axes& axes = {}, bool keepdim = false);
/// Product, in the same dtypes; of nothing 1.
NDArray prod(const NDArray& x, const Axes& axes = {}, bool keepdim = false);
/// Sums of all elements up to each along `d` or, if `reversed`, from each on. Int64 and Bool give
/// Int64.
NDArray cumsum(const NDArray& x, int d, bool reversed = false);
/// Sum over whatever broadcasting `shape` to x's shape repeated; x itself if the shapes are equal.
NDArray sum_to(const NDArray& x, const Shape& shape);

/// Largest and smallest elements. NaN wins. ShapeError where there is nothing to choose from.
NDArray amax(const NDArray& x, const Axes& axes = {}, bool keepdim = false);
NDArray amin(const NDArray& x, const Axes& axes = {}, bool keepdim = false);

/// Values and the Int64 indices of the first of them along `d`. NaN wins.
struct ValuesIndices {
  NDArray values, indices;
};
ValuesIndices max(const NDArray& x, int d, bool keepdim = false);
ValuesIndices min(const NDArray& x, int d, bool keepdim = false);

}  // namespace tapehead::core
