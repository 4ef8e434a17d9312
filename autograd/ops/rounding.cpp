// Functions that are constant but where they jump, and what is made of them. Their derivative is 0,
// and not nothing, so that what contains them can be differentiated.
#include "../../core/elementwise.h"
#include "../create.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {

static Tensor stepwise(const char* op, const Tensor& x, NDArray (*value)(const NDArray&)) {
  check_defined(op, x);
  return record(
      op, [&] { return value(x.array()); }, wrt(x, [](const Tensor& g) { return zeros_like(g); }));
}

Tensor sign(const Tensor& x) { return stepwise("sign", x, core::sign); }
Tensor floor(const Tensor& x) { return stepwise("floor", x, core::floor); }
Tensor ceil(const Tensor& x) { return stepwise("ceil", x, core::ceil); }
Tensor round(const Tensor& x) { return stepwise("round", x, core::round); }
Tensor trunc(const Tensor& x) { return stepwise("trunc", x, core::trunc); }

Tensor floor_divide(const Tensor& a, const Tensor& b) {
  check_defined("floor_divide", a, b);
  return record(
      "floor_divide", [&] { return core::floor_divide(a.array(), b.array()); },
      wrt(a, [s = a.shape()](const Tensor& g) { return sum_to(zeros_like(g), s); }),
      wrt(b, [s = b.shape()](const Tensor& g) { return sum_to(zeros_like(g), s); }));
}
Tensor floor_divide(const Tensor& a, Scalar b) {
  check_defined("floor_divide", a);
  return record(
      "floor_divide", [&] { return core::floor_divide(a.array(), b); },
      wrt(a, [](const Tensor& g) { return zeros_like(g); }), args(b));
}

// c = a - floor(a / b) b  gives  da = g  and  db = -floor(a / b) g.
Tensor remainder(const Tensor& a, const Tensor& b) {
  check_defined("remainder", a, b);
  return record(
      "remainder", [&] { return core::remainder(a.array(), b.array()); },
      wrt(a, [s = a.shape()](const Tensor& g) { return sum_to(g, s); }),
      wrt(b, [a = saved(a), b = saved(b)](const Tensor& g) {
        return sum_to(neg(g * floor_divide(a(), b())), b().shape());
      }));
}
Tensor remainder(const Tensor& a, Scalar b) {
  check_defined("remainder", a);
  return record(
      "remainder", [&] { return core::remainder(a.array(), b); },
      wrt(a, [](const Tensor& g) { return g; }), args(b));
}

}  // namespace tapehead
