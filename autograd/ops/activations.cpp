// Activations, with what makes them up. `y` is the op's own output.
#include <numbers>

#include "../../core/elementwise.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {

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

// Beyond these bounds the slopes of gelu and silu are 0 or 1: infinity times 0 is kept out of its
// formulas.
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

// y = x s  with  s = sigmoid(x)  gives  dx = s (1 + x (1 - s)) g.
Tensor silu(const Tensor& x) {
  check_defined("silu", x);
  return record(
      "silu", [&] { return core::silu(x.array()); }, wrt(x, [x = saved(x)](const Tensor& g) {
        if (!taping()) return Tensor(core::silu_backward(g.array(), x().array()));
        const Tensor b = bounded(x()), s = sigmoid(b);
        return g * (s * (1 + b * (1 - s)));
      }));
}

// y = x, a x where not x > 0, gives  dx = g, a g there.
Tensor leaky_relu(const Tensor& x, double negative_slope) {
  check_defined("leaky_relu", x);
  core::check_floating("leaky_relu", x.dtype());
  return record(
      "leaky_relu",
      [&] {
        const NDArray& in = x.array();
        return core::where(core::gt(in, 0), in, core::mul(in, negative_slope));
      },
      wrt(x, [x = saved(x), negative_slope](
                 const Tensor& g) { return where(gt(x(), 0), g, g * negative_slope); }),
      args(negative_slope));
}

// y = x, a (exp(x) - 1) where not x > 0, gives  dx = g, a exp(x) g there.
Tensor elu(const Tensor& x, double alpha) {
  check_defined("elu", x);
  return record(
      "elu",
      [&] {
        const NDArray& in = x.array();
        return core::where(core::gt(in, 0), in, core::mul(core::expm1(in), alpha));
      },
      wrt(x,
          [x = saved(x), alpha](const Tensor& g) {
            return where(gt(x(), 0), g, g * (exp(clamp(x(), {}, 0)) * alpha));
          }),
      args(alpha));
}

// y = log(1 + exp(b x)) / b  gives  dx = sigmoid(b x) g, and g beyond the threshold.
Tensor softplus(const Tensor& x, double beta, double threshold) {
  check_defined("softplus", x);
  return record(
      "softplus",
      [&] {
        const NDArray& in = x.array();
        const NDArray scaled = core::mul(in, beta);
        return core::where(core::gt(scaled, threshold), in,
                           core::div(core::log1p(core::exp(scaled)), beta));
      },
      wrt(x,
          [x = saved(x), beta, threshold](const Tensor& g) {
            const Tensor scaled = x() * beta;
            return where(gt(scaled, threshold), g, g * sigmoid(scaled));
          }),
      args(beta, threshold));
}

// y = log(sigmoid(x)) = min(x, 0) - log(1 + exp(-|x|))  gives  dx = sigmoid(-x) g.
Tensor logsigmoid(const Tensor& x) {
  check_defined("logsigmoid", x);
  core::check_floating("logsigmoid", x.dtype());
  return record(
      "logsigmoid",
      [&] {
        const NDArray& in = x.array();
        return core::sub(core::clamp(in, {}, 0), core::log1p(core::exp(core::neg(core::abs(in)))));
      },
      wrt(x, [x = saved(x)](const Tensor& g) { return g * sigmoid(neg(x())); }));
}

}  // namespace tapehead
