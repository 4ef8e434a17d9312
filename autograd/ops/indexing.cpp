// Elements by index. The gradient of an element picked twice is the sum of both.
#include "../../core/indexing.h"

#include "../ops.h"

namespace tapehead {

Tensor index_select(const Tensor& x, int d, const Tensor& index) {
  return record(
      "index_select", [&] { return core::index_select(x.array(), d, index.array()); },
      wrt(x, [index = saved(index), s = x.shape(),
              d](const Tensor& g) { return index_select_backward(g, s, d, index()); }),
      with(index), args(d));
}

Tensor gather(const Tensor& x, int d, const Tensor& index) {
  return record(
      "gather", [&] { return core::gather(x.array(), d, index.array()); },
      wrt(x, [index = saved(index), s = x.shape(),
              d](const Tensor& g) { return gather_backward(g, s, d, index()); }),
      with(index), args(d));
}

Tensor embedding(const Tensor& index, const Tensor& weight) {
  if (weight.dim() != 2)
    fail<ShapeError>("embedding: weight must be (vocabulary, width), got ", weight.shape());
  if (index.dtype() != Int64)
    fail<DTypeError>("embedding: expected an Int64 index, got ", name(index.dtype()),
                     "; convert with .to(Int64)");
  Shape shape = index.shape();
  shape.push_back(weight.size(1));
  return record(
      "embedding",
      [&] {
        const NDArray rows = index.array().contiguous().view({index.numel()});
        return core::index_select(weight.array(), 0, rows).view(shape);
      },
      with(index), wrt(weight, [index = saved(index), s = weight.shape()](const Tensor& g) {
        return index_select_backward(reshape(g, {index().numel(), s[1]}), s, 0,
                                     reshape(index(), {index().numel()}));
      }));
}

}  // namespace tapehead
