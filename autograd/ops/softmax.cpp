// Softmax and its relatives.
#include "../../core/softmax.h"

#include <cmath>

#include "../ops.h"
#include "check_defined.h"
#include "kept.h"

namespace tapehead {

// y_i = exp(x_i) / sum_j exp(x_j)  has the Jacobian  diag(y) - y y^T,  so  dx = y (g - sum(g y)).
Tensor softmax(const Tensor& x, int d) {
  check_defined("softmax", x);
  return record(
      "softmax", [&] { return core::softmax(x.array(), d); },
      wrt(x,
          [d](const Tensor& g, const Tensor& y) {
            if (!taping()) return Tensor(core::softmax_backward(g.array(), y.array(), d));
            return y * (g - sum(g * y, {d}, true));
          }),
      args(d));
}

// y_i = x_i - log sum_j exp(x_j)  gives  dx = g - exp(y) sum(g).
Tensor log_softmax(const Tensor& x, int d) {
  check_defined("log_softmax", x);
  return record(
      "log_softmax", [&] { return core::log_softmax(x.array(), d); },
      wrt(x,
          [d](const Tensor& g, const Tensor& y) {
            if (!taping()) return Tensor(core::log_softmax_backward(g.array(), y.array(), d));
            return g - exp(y) * sum(g, {d}, true);
          }),
      args(d));
}

// y = log sum_i exp(x_i)  gives  dx_i = exp(x_i - y) g, and 0 where y is -inf.
Tensor logsumexp(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("logsumexp", x);
  return record(
      "logsumexp", [&] { return core::logsumexp(x.array(), axes, keepdim); },
      wrt(x,
          [x = saved(x), axes](const Tensor& g, const Tensor& y) {
            const Shape k = kept("logsumexp", x().shape(), axes);
            const Tensor top = reshape(masked_fill(y, eq(y, -INFINITY), 0), k);
            return reshape(g, k) * exp(x() - top);
          }),
      args(axes), unprinted(keepdim));
}

}  // namespace tapehead
