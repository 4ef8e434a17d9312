// Functions of one element, and choices between two. `y` is the op's own output.
#include <numbers>

#include "../../core/elementwise.h"
#include "../create.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {

// Is constant but where it jumps: its derivative is 0, and not nothing, so that |x| can be
// differentiated twice.
static Tensor sign(const Tensor& x) {
  return record(
      "sign", [&] { return core::sign(x.array()); },
      wrt(x, [](const Tensor& g) { return zeros_like(g); }));
}

// y = |x|  gives  dx = sign(x) g.
Tensor abs(const Tensor& x) {
  check_defined("abs", x);
  return record(
      "abs", [&] { return core::abs(x.array()); },
      wrt(x, [x = saved(x)](const Tensor& g) { return g * sign(x()); }));
}

// y = exp(x)  gives  dx = y g.
Tensor exp(const Tensor& x) {
  check_defined("exp", x);
  return record(
      "exp", [&] { return core::exp(x.array()); },
      wrt(x, [](const Tensor& g, const Tensor& y) { return g * y; }));
}

// y = log(x)  gives  dx = g / x.
Tensor log(const Tensor& x) {
  check_defined("log", x);
  return record(
      "log", [&] { return core::log(x.array()); },
      wrt(x, [x = saved(x)](const Tensor& g) { return g / x(); }));
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

// The normal distribution: its density  phi(x) = exp(-x^2 / 2) / sqrt(2 pi),  and
// y = Phi(x) = (1 + erf(x / sqrt 2)) / 2, which gives  dx = phi(x) g.
static Tensor normal_density(const Tensor& x) {
  return exp(x * x * -0.5) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}
static Tensor normal_cdf(const Tensor& x) {
  return record(
      "normal_cdf",
      [&] {
        const NDArray twice =
            core::add(core::erf(core::mul(x.array(), std::numbers::sqrt2 / 2)), 1);
        return core::mul(twice, 0.5);
      },
      wrt(x, [x = saved(x)](const Tensor& g) { return g * normal_density(x()); }));
}

// Beyond these bounds the slope of gelu is 0 or 1: infinity times 0 is kept out of its formulas.
static Tensor bounded(const Tensor& x) { return clamp(x, -100, 100); }

// y = x Phi(x)  gives  dx = (Phi(x) + x phi(x)) g.
static Tensor gelu_exact(const Tensor& x) {
  return record(
      "gelu", [&] { return core::gelu(x.array()); }, wrt(x, [x = saved(x)](const Tensor& g) {
        if (!taping()) return Tensor(core::gelu_backward(g.array(), x().array()));
        const Tensor b = bounded(x());
        return g * (normal_cdf(b) + b * normal_density(b));
      }));
}

// y = x (1 + t) / 2  with  t = tanh(c (x + a x^3)), c = sqrt(2 / pi), a = 0.044715, gives
// dx = ((1 + t) / 2 + x (1 - t^2) c (1 + 3 a x^2) / 2) g.
static Tensor gelu_tanh(const Tensor& x) {
  return record(
      "gelu", [&] { return core::gelu_tanh(x.array()); },
      wrt(x,
          [x = saved(x)](const Tensor& g) {
            if (!taping()) return Tensor(core::gelu_tanh_backward(g.array(), x().array()));
            constexpr double c = std::numbers::sqrt2 * std::numbers::inv_sqrtpi, a = 0.044715;
            const Tensor b = bounded(x()), square = b * b;
            const Tensor t = tanh(c * (b + a * (square * b)));
            return g * (0.5 * (1 + t) + 0.5 * c * (b * (1 - t * t) * (1 + 3 * a * square)));
          }),
      args("tanh"));
}

Tensor gelu(const Tensor& x, std::string_view approximate) {
  check_defined("gelu", x);
  if (approximate == "none") return gelu_exact(x);
  if (approximate == "tanh") return gelu_tanh(x);
  fail("gelu: approximate must be \"none\" or \"tanh\", got \"", approximate, "\"");
}

// The gradient passes where min <= x <= max.
Tensor clamp(const Tensor& x, std::optional<Scalar> min, std::optional<Scalar> max) {
  check_defined("clamp", x);
  return record(
      "clamp", [&] { return core::clamp(x.array(), min, max); },
      wrt(x, [x = saved(x), min, max](const Tensor& g) {
        Tensor inside = eq(x(), x());
        if (min) inside = logical_and(inside, ge(x(), *min));
        if (max) inside = logical_and(inside, le(x(), *max));
        return masked_fill(g, logical_not(inside), 0);
      }));
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
