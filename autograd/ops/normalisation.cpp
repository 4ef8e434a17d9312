// Layer normalisation and dropout.
#include <limits>

#include "../../core/elementwise.h"
#include "../../core/layer_norm.h"
#include "../../core/random.h"
#include "../backward.h"
#include "array_or_none.h"
#include "check_defined.h"

namespace tapehead {
namespace {

// 1 / sqrt(mean(x^2) + eps). Squares of what Float32 can hold, it cannot.
Tensor inverse_root(const Tensor& x, const Axes& axes, double eps) {
  return rsqrt(mean(square(x.to(Float64)), axes, true) + eps).to(x.dtype());
}

// The definition, from which the fused op below takes its higher derivatives:
// y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias.
Tensor layer_norm_plain(const Tensor& x, int dims, const Tensor& weight, const Tensor& bias,
                        double eps) {
  Axes axes;
  for (int d = -dims; d < 0; ++d) axes.push_back(d);
  const Tensor centred = x - mean(x, axes, true);
  Tensor y = centred * inverse_root(centred, axes, eps);
  if (weight.defined()) y = y * weight;
  return bias.defined() ? y + bias : y;
}

// y = x / sqrt(mean(x^2) + eps) * weight.
Tensor rms_norm_plain(const Tensor& x, int dims, const Tensor& weight, double eps) {
  Axes axes;
  for (int d = -dims; d < 0; ++d) axes.push_back(d);
  const Tensor y = x * inverse_root(x, axes, eps);
  return weight.defined() ? y * weight : y;
}

}  // namespace

// One pass gives all three gradients (formulas at core::layer_norm_backward). Saved: x and weight,
// and a mean and a 1/std per row, which cost less to keep than to find again.
Tensor layer_norm(const Tensor& x, const Shape& normalized, const Tensor& weight,
                  const Tensor& bias, double eps) {
  check_defined("layer_norm", x);
  core::LayerNorm out;
  return record(
      "layer_norm",
      [&] {
        out = core::layer_norm(x.array(), normalized, array_or_none(weight), array_or_none(bias),
                               eps);
        return out.y;
      },
      wrt(each(x, weight, bias), later([&] {
            return [x = saved(x), weight = saved(weight), bias = saved(bias), normalized,
                    mean = saved(out.mean), rstd = saved(out.rstd), eps](const Tensor& g) {
              if (taping())
                return autograd::vjp(
                    g,
                    [&](const Tensor& vx, const Tensor& vw, const Tensor& vb) {
                      return layer_norm_plain(vx, normalized.rank(), vw, vb, eps);
                    },
                    x(), weight(), bias());
              auto d = core::layer_norm_backward(g.array(), x().array(), normalized,
                                                 array_or_none(weight()), mean(), rstd());
              return std::array{Tensor(std::move(d.x)), Tensor(std::move(d.weight)),
                                Tensor(std::move(d.bias))};
            };
          })),
      args(normalized, eps));
}

// As layer_norm, with the root mean square in place of the deviation from the mean.
Tensor rms_norm(const Tensor& x, const Shape& normalized, const Tensor& weight,
                std::optional<double> given_eps) {
  check_defined("rms_norm", x);
  core::check_floating("rms_norm", x.dtype());
  double eps = given_eps.value_or(x.dtype() == Float32 ? std::numeric_limits<float>::epsilon()
                                                       : std::numeric_limits<double>::epsilon());
  core::LayerNorm out;
  return record(
      "rms_norm",
      [&] {
        out = core::rms_norm(x.array(), normalized, array_or_none(weight), eps);
        return out.y;
      },
      wrt(each(x, weight), later([&] {
            return [x = saved(x), weight = saved(weight), normalized, rstd = saved(out.rstd),
                    eps](const Tensor& g) {
              if (taping())
                return autograd::vjp(
                    g,
                    [&](const Tensor& vx, const Tensor& vw) {
                      return rms_norm_plain(vx, normalized.rank(), vw, eps);
                    },
                    x(), weight());
              auto d = core::rms_norm_backward(g.array(), x().array(), normalized,
                                               array_or_none(weight()), rstd());
              return std::array{Tensor(std::move(d.x)), Tensor(std::move(d.weight))};
            };
          })),
      args(normalized, eps));
}

namespace {

void check_probability(double p) {
  if (!(p >= 0 && p <= 1)) fail("dropout: the probability must lie in [0, 1], got ", p);
}

}  // namespace

Tensor dropout_mask(const Shape& shape, double p, DType dtype) {
  check_probability(p);
  return composed(
      "dropout_mask",
      [&] {
        if (p == 1) return Tensor(NDArray::full(shape, 0, dtype));
        const std::lock_guard lock(core::default_generator_mutex());
        const NDArray kept = core::bernoulli(core::default_generator(), 1 - p, shape, dtype);
        return Tensor(core::div(kept, 1 - p));
      },
      unprinted(p));
}

Tensor dropout(const Tensor& x, double p, bool training) {
  check_defined("dropout", x);
  check_probability(p);
  core::check_floating("dropout", x.dtype());
  if (!training || p == 0 || x.numel() == 0) return x;
  return composed(
      "dropout", [&] { return x * dropout_mask(x.shape(), p, x.dtype()); }, unprinted(p));
}

}  // namespace tapehead
