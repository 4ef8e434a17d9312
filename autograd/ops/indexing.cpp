// Elements by index. The gradient of an element picked twice is the sum of both.
#include "../../core/indexing.h"

#include "../ops.h"
#include "check_defined.h"

namespace tapehead {

Tensor index_select(const Tensor& x, int d, const Tensor& index) {
  check_defined("index_select", x, index);
  return record(
      "index_select", [&] { return core::index_select(x.array(), d, index.array()); },
      wrt(x, [index = saved(index), s = x.shape(),
              d](const Tensor& g) { return index_select_backward(g, s, d, index()); }),
      with(index), args(d));
}

static Tensor gathered(const char* op, const Tensor& x, int d, const Tensor& index) {
  return record(
      op, [&] { return core::gather(x.array(), d, index.array(), op); },
      wrt(x, [index = saved(index), s = x.shape(),
              d](const Tensor& g) { return gather_backward(g, s, d, index()); }),
      with(index), args(d));
}

Tensor gather(const Tensor& x, int d, const Tensor& index) {
  check_defined("gather", x, index);
  return gathered("gather", x, d, index);
}

// All sizes but that of dimension d are broadcast.
Tensor take_along_dim(const Tensor& x, const Tensor& index, std::optional<int> d) {
  check_defined("take_along_dim", x, index);
  if (!d) return gathered("take_along_dim", ravel(x), 0, ravel(index));
  if (x.dim() != index.dim())
    fail<ShapeError>("take_along_dim: x and the index must have one rank, got ", x.shape(), " and ",
                     index.shape(), "; unsqueeze the one that has fewer");
  const int along = core::dim_if_any("take_along_dim", *d, x.dim());
  if (x.dim() == 0) return gathered("take_along_dim", x, 0, index);
  Shape from = x.shape(), to = index.shape();
  from[along] = to[along] = 1;
  from = to = core::broadcast("take_along_dim", from, to);
  from[along] = x.size(along), to[along] = index.size(along);
  return gathered("take_along_dim", expand(x, from), along, expand(index, to));
}

Tensor nonzero(const Tensor& x) {
  check_defined("nonzero", x);
  return record(
      "nonzero", [&] { return core::nonzero(x.array()); }, with(x));
}

Tensor one_hot(const Tensor& index, Index num_classes) {
  check_defined("one_hot", index);
  return record(
      "one_hot", [&] { return core::one_hot(index.array(), num_classes); }, with(index),
      args(num_classes));
}

Tensor embedding(const Tensor& index, const Tensor& weight) {
  check_defined("embedding", index, weight);
  return record(
      "embedding", [&] { return core::embedding(weight.array(), index.array()); }, with(index),
      wrt(weight, [index = saved(index), s = weight.shape()](const Tensor& g) {
        return index_select_backward(reshape(g, {index().numel(), s[1]}), s, 0,
                                     reshape(index(), {index().numel()}));
      }));
}

}  // namespace tapehead
