// Losses of classes: how improbable the right ones were.
#include <cmath>

#include "../../core/creation.h"
#include "../../core/softmax.h"
#include "../ops.h"
#include "check_defined.h"
#include "reduced.h"

namespace tapehead {
namespace {

// The loss of each row of logits (N, C), with l = log_softmax(x) and s the smoothing, is
// -(1 - s) l_target - s / C sum_c l_c.  Then  dx = (softmax(x) - (1 - s) onehot - s / C) g.
Tensor row_losses(const Tensor& logits, const Tensor& target, const CrossEntropyOptions& options) {
  core::CrossEntropy out;
  Index ignore = options.ignore_index;
  double smoothing = options.label_smoothing;
  return record(
      "cross_entropy",
      [&] {
        out = core::cross_entropy(logits.array(), target.array(), ignore, smoothing);
        return out.loss;
      },
      wrt(logits, later([&] {
            return [x = saved(logits), target = saved(target), l = saved(out.log_softmax), ignore,
                    smoothing](const Tensor& g) {
              if (!taping())
                return Tensor(core::cross_entropy_backward(g.array(), l(), target().array(), ignore,
                                                           smoothing));
              const Tensor ignored = eq(target(), ignore);
              const Tensor onehot =
                  eq(unsqueeze(target(), 1), Tensor(core::arange(0, x().size(1), 1, Int64)));
              const Tensor wanted = to(onehot, x().dtype()) * (1 - smoothing) +
                                    smoothing / static_cast<double>(x().size(1));
              // Not even a NaN in an ignored row counts.
              const Tensor share = masked_fill(g, ignored, 0);
              const Tensor seen = masked_fill(x(), unsqueeze(ignored, 1), 0);
              return unsqueeze(share, 1) * (softmax(seen, 1) - wanted);
            };
          })),
      with(target), unprinted(ignore, smoothing));
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

void check_classes(const char* op, const Tensor& logits, const Tensor& target) {
  core::check_floating(op, logits.dtype());
  if (target.dtype() != Int64)
    fail<DTypeError>(op, ": expected Int64 class indices, got ", name(target.dtype()),
                     "; convert with .to(Int64)");
  if (logits.dim() == 0)
    fail<ShapeError>(op, ": expected logits (C), (N, C) or (N, C, d1, ...), got ()");
  const Shape expected = without(logits.shape(), logits.dim() == 1 ? 0 : 1);
  if (target.shape() != expected)
    fail<ShapeError>(op, ": for logits ", logits.shape(), " the target must be ", expected,
                     ", got ", target.shape(), "; classes are dimension ",
                     logits.dim() == 1 ? 0 : 1, " of the logits");
}

// Where every row's loss has been added up, or none has.
Tensor reduced_rows(const char* op, const Tensor& losses, const Tensor& target, const Tensor& rows,
                    Index ignore_index, Reduction reduction) {
  if (reduction != Reduction::Mean) return reduced(op, reshape(losses, target.shape()), reduction);
  const Index counted = sum(ne(rows, ignore_index)).item<Index>();
  return counted ? sum(losses) / counted : sum(losses) * 0 + NAN;
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& target,
                     const CrossEntropyOptions& options) {
  check_defined("cross_entropy", logits, target);
  check_classes("cross_entropy", logits, target);
  const Tensor classes = reshape(target, {target.numel()});
  const Tensor losses = row_losses(class_last(logits), classes, options);
  return reduced_rows("cross_entropy", losses, target, classes, options.ignore_index,
                      options.reduction);
}

// What is ignored takes part as class 0, with a loss of 0 in the end.
Tensor nll_loss(const Tensor& input, const Tensor& target, const NllLossOptions& options) {
  check_defined("nll_loss", input, target);
  check_classes("nll_loss", input, target);
  const Tensor rows = class_last(input), classes = reshape(target, {target.numel()});
  Index ignore = options.ignore_index;
  core::check_targets("nll_loss", classes.array(), rows.size(1), ignore);
  const auto value = [&] {
    const Tensor ignored = eq(classes, ignore);
    if (rows.size(1) == 0)  // and all targets are ignored
      return reduced_rows("nll_loss", sum(rows, {1}), target, classes, ignore, options.reduction);
    const Tensor column = unsqueeze(masked_fill(classes, ignored, 0), 1);
    const Tensor losses = masked_fill(neg(squeeze(gather(rows, 1, column), 1)), ignored, 0);
    return reduced_rows("nll_loss", losses, target, classes, ignore, options.reduction);
  };
  return composed("nll_loss", value, with(classes), unprinted(ignore));
}

}  // namespace tapehead
