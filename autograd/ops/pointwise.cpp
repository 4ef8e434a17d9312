// Functions of one element, and choices between two. `y` is the op's own output.
#include <numbers>

#include "../../core/elementwise.h"
#include "../create.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {

// y = |x|  gives  dx = sign(x) g.
Tensor abs(const Tensor& x) {
  check_defined("abs", x);
  return record(
      "abs", [&] { return core::abs(x.array()); },
      wrt(x, [x = saved(x)](const Tensor& g) { return g * sign(x()); }));
}

// y = x^2  gives  dx = 2 x g.
Tensor square(const Tensor& x) {
  check_defined("square", x);
  core::check_numeric("square", x.dtype());
  return record(
      "square", [&] { return core::mul(x.array(), x.array()); },
      wrt(x, [x = saved(x)](const Tensor& g) { return g * x() * 2; }));
}

// y = 1 / x  gives  dx = -y^2 g.
Tensor reciprocal(const Tensor& x) {
  check_defined("reciprocal", x);
  core::check_floating("reciprocal", x.dtype());
  return record(
      "reciprocal", [&] { return core::div(1, x.array()); },
      wrt(x, [](const Tensor& g, const Tensor& y) { return neg(g * y * y); }));
}

// y = exp(x)  gives  dx = y g.
Tensor exp(const Tensor& x) {
  check_defined("exp", x);
  return record(
      "exp", [&] { return core::exp(x.array()); },
      wrt(x, [](const Tensor& g, const Tensor& y) { return g * y; }));
}

// y = exp(x) - 1  gives  dx = (y + 1) g.
Tensor expm1(const Tensor& x) {
  check_defined("expm1", x);
  return record(
      "expm1", [&] { return core::expm1(x.array()); },
      wrt(x, [](const Tensor& g, const Tensor& y) { return g * (y + 1); }));
}

// y = log(x)  gives  dx = g / x.
Tensor log(const Tensor& x) {
  check_defined("log", x);
  return record(
      "log", [&] { return core::log(x.array()); },
      wrt(x, [x = saved(x)](const Tensor& g) { return g / x(); }));
}

// y = log(1 + x)  gives  dx = g / (1 + x).
Tensor log1p(const Tensor& x) {
  check_defined("log1p", x);
  return record(
      "log1p", [&] { return core::log1p(x.array()); },
      wrt(x, [x = saved(x)](const Tensor& g) { return g / (x() + 1); }));
}

// y = log(x) / log(b)  gives  dx = g / (x log(b)).
Tensor log2(const Tensor& x) {
  check_defined("log2", x);
  return record(
      "log2", [&] { return core::log2(x.array()); },
      wrt(x, [x = saved(x)](const Tensor& g) { return g / (x() * std::numbers::ln2); }));
}
Tensor log10(const Tensor& x) {
  check_defined("log10", x);
  return record(
      "log10", [&] { return core::log10(x.array()); },
      wrt(x, [x = saved(x)](const Tensor& g) { return g / (x() * std::numbers::ln10); }));
}

// c = log(exp(a) + exp(b))  gives  da = g / (1 + exp(b - a))  and  db = g / (1 + exp(a - b)).
// c is the larger plus log(1 + exp(-|a - b|)), where equal infinities are not apart.
Tensor logaddexp(const Tensor& a, const Tensor& b) {
  check_defined("logaddexp", a, b);
  core::check_floating("logaddexp", a.dtype());
  core::check_same("logaddexp", a.dtype(), b.dtype());
  return record(
      "logaddexp",
      [&] {
        const NDArray &x = a.array(), &y = b.array();
        const NDArray apart = core::masked_fill(core::abs(core::sub(x, y)), core::eq(x, y), 0);
        return core::add(core::maximum(x, y), core::log1p(core::exp(core::neg(apart))));
      },
      wrt(a, [a = saved(a), b = saved(b)](
                 const Tensor& g) { return sum_to(g * sigmoid(a() - b()), a().shape()); }),
      wrt(b, [a = saved(a), b = saved(b)](const Tensor& g) {
        return sum_to(g * sigmoid(b() - a()), b().shape());
      }));
}

// y = x^(1/2)  gives  dx = g / (2 y).
Tensor sqrt(const Tensor& x) {
  check_defined("sqrt", x);
  return record(
      "sqrt", [&] { return core::sqrt(x.array()); },
      wrt(x, [](const Tensor& g, const Tensor& y) { return g / (2 * y); }));
}

// y = x^(-1/2)  gives  dx = -1/2 y^3 g.
Tensor rsqrt(const Tensor& x) {
  check_defined("rsqrt", x);
  return record(
      "rsqrt", [&] { return core::rsqrt(x.array()); },
      wrt(x, [](const Tensor& g, const Tensor& y) { return g * (y * y * y) * -0.5; }));
}

// y = sin(x)  gives  dx = cos(x) g.
Tensor sin(const Tensor& x) {
  check_defined("sin", x);
  return record(
      "sin", [&] { return core::sin(x.array()); },
      wrt(x, [x = saved(x)](const Tensor& g) { return g * cos(x()); }));
}

// y = cos(x)  gives  dx = -sin(x) g.
Tensor cos(const Tensor& x) {
  check_defined("cos", x);
  return record(
      "cos", [&] { return core::cos(x.array()); },
      wrt(x, [x = saved(x)](const Tensor& g) { return neg(g * sin(x())); }));
}

// y = erf(x)  gives  dx = 2 / sqrt(pi) exp(-x^2) g.
Tensor erf(const Tensor& x) {
  check_defined("erf", x);
  return record(
      "erf", [&] { return core::erf(x.array()); }, wrt(x, [x = saved(x)](const Tensor& g) {
        return g * (exp(neg(square(x()))) * (2 * std::numbers::inv_sqrtpi));
      }));
}

// y = tanh(x)  gives  dx = (1 - y^2) g.
Tensor tanh(const Tensor& x) {
  check_defined("tanh", x);
  return record(
      "tanh", [&] { return core::tanh(x.array()); }, wrt(x, [](const Tensor& g, const Tensor& y) {
        if (!taping()) return Tensor(core::tanh_backward(g.array(), y.array()));
        return g * (1 - y * y);
      }));
}

// y = 1 / (1 + exp(-x))  gives  dx = y (1 - y) g.
Tensor sigmoid(const Tensor& x) {
  check_defined("sigmoid", x);
  return record(
      "sigmoid", [&] { return core::sigmoid(x.array()); },
      wrt(x, [](const Tensor& g, const Tensor& y) {
        if (!taping()) return Tensor(core::sigmoid_backward(g.array(), y.array()));
        return g * (y * (1 - y));
      }));
}

// dx = g where y > 0, which is as constant in y as the sign is.
static Tensor relu_backward(const Tensor& g, const Tensor& y) {
  return record(
      "relu_backward", [&] { return core::relu_backward(g.array(), y.array()); },
      wrt(g, [y = saved(y)](const Tensor& gg) { return relu_backward(gg, y()); }),
      wrt(y, [](const Tensor& gg) { return zeros_like(gg); }));
}

// y = max(x, 0)  gives  dx = g where y > 0.
Tensor relu(const Tensor& x) {
  check_defined("relu", x);
  return record(
      "relu", [&] { return core::relu(x.array()); },
      wrt(x, [](const Tensor& g, const Tensor& y) { return relu_backward(g, y); }));
}

// The gradient passes where min <= x <= max.
Tensor clamp(const Tensor& x, std::optional<Scalar> min, std::optional<Scalar> max) {
  check_defined("clamp", x);
  return record(
      "clamp", [&] { return core::clamp(x.array(), min, max); },
      wrt(x,
          [x = saved(x), min, max](const Tensor& g) {
            Tensor inside = eq(x(), x());
            if (min) inside = logical_and(inside, ge(x(), *min));
            if (max) inside = logical_and(inside, le(x(), *max));
            return masked_fill(g, logical_not(inside), 0);
          }),
      unprinted(min, max));
}

// To the larger (smaller); a tie gives half to each.
static Tensor chosen(const Tensor& g, const Tensor& self, const Tensor& other, bool larger) {
  const Tensor half = masked_fill(g, eq(self, other), 0) + masked_fill(g, ne(self, other), 0) / 2;
  const Tensor lost = larger ? lt(self, other) : gt(self, other);
  return sum_to(masked_fill(half, lost, 0), self.shape());
}
Tensor maximum(const Tensor& a, const Tensor& b) {
  check_defined("maximum", a, b);
  return record(
      "maximum", [&] { return core::maximum(a.array(), b.array()); },
      wrt(a, [a = saved(a), b = saved(b)](const Tensor& g) { return chosen(g, a(), b(), true); }),
      wrt(b, [a = saved(a), b = saved(b)](const Tensor& g) { return chosen(g, b(), a(), true); }));
}
Tensor minimum(const Tensor& a, const Tensor& b) {
  check_defined("minimum", a, b);
  return record(
      "minimum", [&] { return core::minimum(a.array(), b.array()); },
      wrt(a, [a = saved(a), b = saved(b)](const Tensor& g) { return chosen(g, a(), b(), false); }),
      wrt(b, [a = saved(a), b = saved(b)](const Tensor& g) { return chosen(g, b(), a(), false); }));
}

// y = a where c, else b,  gives  da = g where c  and  db = g where not c.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  check_defined("where", condition, a, b);
  return record(
      "where", [&] { return core::where(condition.array(), a.array(), b.array()); },
      with(condition),
      wrt(a, [c = saved(condition), s = a.shape()](
                 const Tensor& g) { return sum_to(masked_fill(g, logical_not(c()), 0), s); }),
      wrt(b, [c = saved(condition), s = b.shape()](const Tensor& g) {
        return sum_to(masked_fill(g, c(), 0), s);
      }));
}

// A number takes the tensor's dtype.
static Tensor number(Scalar value, DType dtype) {
  if (dtype == Bool && value.real() != 0 && value.real() != 1)
    fail<DTypeError>("where: a Bool tensor takes true and false, got ", value,
                     "; convert it with .to(Float32) first");
  NDArray array = NDArray::empty({}, dtype);
  core::fill_(array, value, "where");
  return Tensor(std::move(array));
}
Tensor where(const Tensor& condition, const Tensor& a, Scalar b) {
  check_defined("where", condition, a);
  return where(condition, a, number(b, a.dtype()));
}
Tensor where(const Tensor& condition, Scalar a, const Tensor& b) {
  check_defined("where", condition, b);
  return where(condition, number(a, b.dtype()), b);
}

// Two numbers have the wider of their dtypes.
Tensor where(const Tensor& condition, Scalar a, Scalar b) {
  check_defined("where", condition);
  const bool same = a.dtype() == b.dtype(), whole = a.is_whole() && b.is_whole();
  return where(condition, number(a, same ? a.dtype() : whole ? Int64 : Float32), b);
}

// dx = g where the mask is false.
Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value) {
  check_defined("masked_fill", x, mask);
  return record(
      "masked_fill", [&] { return core::masked_fill(x.array(), mask.array(), value); },
      wrt(x, [mask = saved(mask),
              s = x.shape()](const Tensor& g) { return sum_to(masked_fill(g, mask(), 0), s); }),
      with(mask), args(value));
}

}  // namespace tapehead
