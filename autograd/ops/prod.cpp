// Products, and running sums.
#include "../../core/reduce.h"
#include "../backward.h"
#include "../tape.h"
#include "check_defined.h"

namespace tapehead {
namespace {

// The product of the rows of x, from halves upon halves: in multiplications alone, so that zeros do
// no harm to derivatives of any order.
Tensor folded(Tensor x) {
  while (x.size(0) > 1) {
    const Index half = x.size(0) / 2;
    const Tensor product = narrow(x, 0, 0, half) * narrow(x, 0, half, half);
    x = x.size(0) % 2 ? cat({product, narrow(x, 0, 2 * half, 1)}) : product;
  }
  return select(x, 0, 0);
}

// The gradient of folded(x), recorded if the rule that asks for it is.
Tensor folded_backward(const Tensor& g, const Tensor& x) {
  const bool wanted = taping();
  const EnableGradGuard recording;
  const Tensor leaf = wanted ? x : x.detach().requires_grad_();
  const Tensor dx = autograd::vjp(g, folded, leaf)[0];
  return wanted ? dx : dx.detach();
}

// y = x_1 x_2 …, down the first dimension, gives  dx_i = y / x_i g: the product of the others.
Tensor rows_prod(const Tensor& x) {
  return record(
      "prod", [&] { return core::prod(x.array(), {0}); },
      wrt(x, [x = saved(x)](const Tensor& g, const Tensor& y) {
        const Tensor& rows = x();
        if (rows.numel() == 0) return expand(unsqueeze(g, 0), rows.shape());
        if (any(eq(rows, 0)).item<bool>()) return folded_backward(g, rows);
        return unsqueeze(g * y, 0) / rows;
      }));
}

// Each running sum takes part in all later ones, so  dx = cumsum(g)  from the other end.
Tensor running_sum(const Tensor& x, int d, bool reversed) {
  return record(
      "cumsum", [&] { return core::cumsum(x.array(), d, reversed); },
      wrt(x, [d, reversed](const Tensor& g) { return running_sum(g, d, !reversed); }), args(d));
}

}  // namespace

Tensor prod(const Tensor& x) {
  check_defined("prod", x);
  return rows_prod(reshape(x, {x.numel()}));
}
Tensor prod(const Tensor& x, int d, bool keepdim) {
  check_defined("prod", x);
  const int along = core::dim_if_any("prod", d, x.dim());
  if (x.dim() == 0) return prod(x);
  Dims order{along};
  for (int k = 0; k < x.dim(); ++k)
    if (k != along) order.push_back(k);
  const Tensor y = rows_prod(permute(x, order));
  return keepdim ? unsqueeze(y, along) : y;
}

Tensor cumsum(const Tensor& x, int d) {
  check_defined("cumsum", x);
  return running_sum(x, d, false);
}

}  // namespace tapehead
