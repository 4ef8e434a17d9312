// The derivatives of indexing: a gradient put back where it was taken from, the rest zero. Being
// ops themselves, they can be differentiated in turn, which takes it out again.
#include "../../core/elementwise.h"
#include "../../core/indexing.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {

// The last place that g goes to must be there, in numbers that fit.
static void check_slice(const Tensor& g, const Shape& shape, int d, Index start, Index step) {
  const Index size = shape[core::dim("slice_backward", d, shape.rank())], n = g.size(d);
  const bool fits = start >= 0 && start <= size && step > 0;
  if (!fits || (n > 0 && (start == size || n - 1 > (size - 1 - start) / step)))
    fail<ShapeError>("slice_backward: ", n, " elements from ", start, " on in steps of ", step,
                     " reach outside dimension ", d, " of ", shape, "; give the start and step of ",
                     "the slice itself");
}

Tensor slice_backward(const Tensor& g, const Shape& shape, int d, Index start, Index step) {
  check_defined("slice_backward", g);
  check_slice(g, shape, d, start, step);
  const Index end = start + (g.size(d) - 1) * step + 1;
  return record(
      "slice_backward",
      [&] {
        NDArray whole = NDArray::full(shape, 0, g.dtype());
        NDArray part = whole.slice(d, start, std::max(start, end), step);
        core::copy_(part, g.array(), "slice_backward");
        return whole;
      },
      wrt(g, [d, start, end,
              step](const Tensor& gg) { return slice(gg, d, start, std::max(start, end), step); }),
      args(shape, d, start, step));
}

Tensor index_select_backward(const Tensor& g, const Shape& shape, int d, const Tensor& index) {
  check_defined("index_select_backward", g, index);
  return record(
      "index_select_backward",
      [&] {
        NDArray whole = NDArray::full(shape, 0, g.dtype());
        core::index_add_(whole, d, index.array(), g.array(), "index_select_backward");
        return whole;
      },
      wrt(g, [d, index = saved(index)](const Tensor& gg) { return index_select(gg, d, index()); }),
      with(index), args(shape, d));
}

Tensor gather_backward(const Tensor& g, const Shape& shape, int d, const Tensor& index) {
  check_defined("gather_backward", g, index);
  return record(
      "gather_backward",
      [&] {
        NDArray whole = NDArray::full(shape, 0, g.dtype());
        core::scatter_add_(whole, d, index.array(), g.array(), "gather_backward");
        return whole;
      },
      wrt(g, [d, index = saved(index)](const Tensor& gg) { return gather(gg, d, index()); }),
      with(index), args(shape, d));
}

Tensor diagonal_backward(const Tensor& g, const Shape& shape, Index offset, int d0, int d1) {
  check_defined("diagonal_backward", g);
  return record(
      "diagonal_backward",
      [&] {
        NDArray whole = NDArray::full(shape, 0, g.dtype());
        NDArray part = whole.diagonal(offset, d0, d1);
        if (part.shape() != g.shape())
          fail<ShapeError>("diagonal_backward: the diagonal of ", shape, " has shape ",
                           part.shape(), ", got ", g.shape(), "; give the shape of x itself");
        core::copy_(part, g.array(), "diagonal_backward");
        return whole;
      },
      wrt(g, [offset, d0, d1](const Tensor& gg) { return diagonal(gg, offset, d0, d1); }),
      args(shape, offset, d0, d1));
}

}  // namespace tapehead
