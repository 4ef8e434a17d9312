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

Tensor gather(const Tensor& x, int d, const Tensor& index) {
  check_defined("gather", x, index);
  return record(
      "gather", [&] { return core::gather(x.array(), d, index.array()); },
      wrt(x, [index = saved(index), s = x.shape(),
              d](const Tensor& g) { return gather_backward(g, s, d, index()); }),
      with(index), args(d));
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
