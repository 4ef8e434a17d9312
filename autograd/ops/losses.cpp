// Losses: how far predictions are from targets.
#include <cmath>

#include "../../core/creation.h"
#include "../../core/softmax.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {
namespace {

Tensor reduced(const Tensor& losses, Reduction reduction) {
  if (reduction == Reduction::None) return losses;
  return reduction == Reduction::Sum ? sum(losses) : mean(losses);
}

// The loss of each row of logits (N, C), with l = log_softmax(x) and s the smoothing, is
// -(1 - s) l_target - s / C sum_c l_c.  Then  dx = (softmax(x) - (1 - s) onehot - s / C) g.
Tensor row_losses(const Tensor& logits, const Tensor& target, const CrossEntropyOptions& options) {
  core::CrossEntropy out;
  const Index ignore = options.ignore_index;
  const double smoothing = options.label_smoothing;
  return record(
      "cross_entropy",
      [&] {
        out = core::cross_entropy(logits.array(), target.array(), ignore, smoothing);
        return out.loss;
      },
      wrt(logits, later([&] {
            return [x = saved(logits), target = saved(target), l = out.log_softmax, ignore,
                    smoothing](const Tensor& g) {
              if (!taping())
                return Tensor(core::cross_entropy_backward(g.array(), l, target().array(), ignore,
                                                           smoothing));
              const Tensor counted = ne(target(), ignore);
              const Tensor onehot =
                  eq(unsqueeze(target(), 1), Tensor(core::arange(0, x().size(1), 1, Int64)));
              const Tensor wanted = to(onehot, x().dtype()) * (1 - smoothing) +
                                    smoothing / static_cast<double>(x().size(1));
              const Tensor share = masked_fill(g, logical_not(counted), 0);
              return unsqueeze(share, 1) * (softmax(x(), 1) - wanted);
            };
          })),
      with(target));
}

// (N, C, d1, …) as rows of C logits.
Tensor class_last(const Tensor& logits) {
  if (logits.dim() == 1) return unsqueeze(logits, 0);
  if (logits.dim() == 2) return logits;
  Dims order;
  for (int d = 0; d < logits.dim(); ++d)
    if (d != 1) order.push_back(d);
  order.push_back(1);
  return reshape(permute(logits, order), {core::numel(without(logits.shape(), 1)), logits.size(1)});
}

void check_cross_entropy(const Tensor& logits, const Tensor& target) {
  core::check_floating("cross_entropy", logits.dtype());
  if (target.dtype() != Int64)
    fail<DTypeError>("cross_entropy: expected Int64 class indices, got ", name(target.dtype()),
                     "; convert with .to(Int64)");
  if (logits.dim() == 0)
    fail<ShapeError>("cross_entropy: expected logits (C), (N, C) or (N, C, d1, ...), got ()");
  const Shape expected = without(logits.shape(), logits.dim() == 1 ? 0 : 1);
  if (target.shape() != expected)
    fail<ShapeError>("cross_entropy: for logits ", logits.shape(), " the target must be ", expected,
                     ", got ", target.shape(), "; classes are dimension ",
                     logits.dim() == 1 ? 0 : 1, " of the logits");
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& target,
                     const CrossEntropyOptions& options) {
  check_defined("cross_entropy", logits, target);
  check_cross_entropy(logits, target);
  const Tensor classes = reshape(target, {target.numel()});
  const Tensor losses = row_losses(class_last(logits), classes, options);
  if (options.reduction == Reduction::None) return reshape(losses, target.shape());
  if (options.reduction == Reduction::Sum) return sum(losses);
  const Index counted = sum(ne(classes, options.ignore_index)).item<Index>();
  return counted ? sum(losses) / counted : sum(losses) * 0 + NAN;
}

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  check_defined("mse_loss", input, target);
  if (input.shape() != target.shape())
    fail<ShapeError>("mse_loss: input ", input.shape(), " and target ", target.shape(),
                     " must have one shape; view or expand one of them");
  core::check_floating("mse_loss", input.dtype());
  if (input.dtype() != target.dtype())
    fail<DTypeError>("mse_loss: input ", name(input.dtype()), " and target ", name(target.dtype()),
                     " must have one dtype; convert with .to(", name(input.dtype()), ")");
  const Tensor difference = input - target;
  return reduced(difference * difference, reduction);
}

}  // namespace tapehead
