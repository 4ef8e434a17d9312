// Losses: how far predictions are from targets of their shape.
#include "../../core/elementwise.h"
#include "../ops.h"
#include "check_defined.h"
#include "reduced.h"

namespace tapehead {
namespace {

void check_pair(const char* op, const Tensor& input, const Tensor& target) {
  check_defined(op, input, target);
  if (input.shape() != target.shape())
    fail<ShapeError>(op, ": input ", input.shape(), " and target ", target.shape(),
                     " must have one shape; view or expand one of them");
  core::check_floating(op, input.dtype());
  if (input.dtype() != target.dtype())
    fail<DTypeError>(op, ": input ", name(input.dtype()), " and target ", name(target.dtype()),
                     " must have one dtype; convert with .to(", name(input.dtype()), ")");
}

// losses * weight, or the losses themselves if there is none.
Tensor weighted(const char* op, const char* what, const Tensor& losses, const Tensor& weight) {
  if (!weight.defined()) return losses;
  core::check_same(op, losses.dtype(), weight.dtype());
  if (core::broadcast(op, losses.shape(), weight.shape()) != losses.shape())
    fail<ShapeError>(op, ": ", what, " ", weight.shape(), " must broadcast to the input's shape ",
                     losses.shape());
  return losses * weight;
}

}  // namespace

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  check_pair("mse_loss", input, target);
  return composed("mse_loss",
                  [&] { return reduced("mse_loss", square(input - target), reduction); });
}

Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  check_pair("l1_loss", input, target);
  return composed("l1_loss", [&] { return reduced("l1_loss", abs(input - target), reduction); });
}

// Squares only what is below beta: the square of an infinite one has no gradient that could be cut.
static Tensor smooth_distance(const Tensor& input, const Tensor& target, double beta) {
  const Tensor difference = input - target, size = abs(difference);
  if (beta == 0) return size;
  return where(lt(size, beta), square(clamp(difference, -beta, beta)) * (0.5 / beta),
               size - 0.5 * beta);
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, Reduction reduction, double beta) {
  check_pair("smooth_l1_loss", input, target);
  if (!(beta >= 0)) fail("smooth_l1_loss: beta must be at least 0, got ", beta);
  return composed(
      "smooth_l1_loss",
      [&] { return reduced("smooth_l1_loss", smooth_distance(input, target, beta), reduction); },
      unprinted(beta));
}

Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction, double delta) {
  check_pair("huber_loss", input, target);
  if (!(delta > 0)) fail("huber_loss: delta must be above 0, got ", delta);
  return composed(
      "huber_loss",
      [&] {
        return reduced("huber_loss", smooth_distance(input, target, delta) * delta, reduction);
      },
      unprinted(delta));
}

// 0 log 0 is 0: the logarithm is taken of 1 there.
Tensor kl_div(const Tensor& input, const Tensor& target, Reduction reduction, bool log_target) {
  check_pair("kl_div", input, target);
  const auto value = [&] {
    const Tensor losses = log_target
                              ? exp(target) * (target - input)
                              : target * (log(masked_fill(target, eq(target, 0), 1)) - input);
    if (reduction != Reduction::BatchMean) return reduced("kl_div", losses, reduction);
    return sum(losses) / (input.dim() ? input.size(0) : 1);
  };
  return composed("kl_div", value, unprinted(log_target));
}

// y = -(t max(log x, -100) + (1 - t) max(log(1 - x), -100))  gives, as if nothing were bounded,
// dx = (x - t) / (x (1 - x)) g, the denominator at least 1e-12,  and  dt = (log(1 - x) - log x) g.
static Tensor coin_losses(const Tensor& input, const Tensor& target) {
  return record(
      "binary_cross_entropy",
      [&] {
        const NDArray &x = input.array(), &t = target.array();
        const NDArray hit = core::clamp(core::log(x), -100, {}),
                      miss = core::clamp(core::log1p(core::neg(x)), -100, {});
        return core::sub(core::mul(core::sub(t, 1), miss), core::mul(t, hit));
      },
      wrt(input,
          [x = saved(input), t = saved(target)](const Tensor& g) {
            return g * ((x() - t()) / clamp(x() * (1 - x()), 1e-12));
          }),
      wrt(target,
          [x = saved(input)](const Tensor& g) { return g * (log1p(neg(x())) - log(x())); }));
}

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            Reduction reduction) {
  check_pair("binary_cross_entropy", input, target);
  if (!all(logical_and(ge(input, 0), le(input, 1))).item<bool>())
    fail(
        "binary_cross_entropy: the input must be probabilities, in [0, 1], got other numbers; for "
        "logits there is binary_cross_entropy_with_logits");
  const Tensor losses = coin_losses(input, target);
  return reduced("binary_cross_entropy", weighted("binary_cross_entropy", "weight", losses, weight),
                 reduction);
}

// -(p t log(s) + (1 - t) log(1 - s)),  where s = sigmoid(x)  and  1 - s = sigmoid(-x).
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const Tensor& weight, Reduction reduction,
                                        const Tensor& pos_weight) {
  const char* const op = "binary_cross_entropy_with_logits";
  check_pair(op, input, target);
  const auto value = [&] {
    const Tensor miss = 1 - target, hit = weighted(op, "pos_weight", target, pos_weight);
    const Tensor losses = neg(hit * logsigmoid(input) + miss * logsigmoid(neg(input)));
    return reduced(op, weighted(op, "weight", losses, weight), reduction);
  };
  return composed(op, value, with(input, target, weight, pos_weight));
}

}  // namespace tapehead
