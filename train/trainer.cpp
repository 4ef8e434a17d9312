#include "trainer.h"

#include <cmath>

#include "../nn/clip_grad.h"
#include "../nn/cross_entropy_loss.h"
#include "choices.h"
#include "evaluate.h"

namespace tapehead::train {
namespace {

Index answers_of(const data::Batch& batch) {
  return ne(batch.targets, data::no_target).sum().item<Index>();
}

FitOptions checked(const FitOptions& options) {
  check(options);
  return options;
}

}  // namespace

Trainer::Trainer(SequenceModel& model, const FitOptions& options)
    : model_(model),
      options_(checked(options)),
      schedule_(schedule_of(options, model.options.d_model)),
      optimizers_(optimizers_of(model, options)),
      stopping_{.patience = options.patience},
      watch_(model) {
  if (options.ema > 0) ema_.emplace(model, options.ema);
}

// The mean over the answers of all batches of a step, of which `all` are asked for: its part of
// this one.
Tensor Trainer::loss_of(const Tensor& logits, const data::Batch& batch, Index all) const {
  const auto sum_or_mean = options_.accumulate == 1 ? Reduction::Mean : Reduction::Sum;
  const Tensor loss =
      cross_entropy(logits.flatten(0, 1), batch.targets.flatten(),
                    {.reduction = sum_or_mean, .label_smoothing = options_.label_smoothing});
  return options_.accumulate == 1 ? loss : loss / all;
}

Trainer::Step Trainer::step(const std::function<data::Batch()>& next_batch) {
  model_.train();
  std::vector<data::Batch> batches;
  Index all = 0;
  for (Index i = 0; i < options_.accumulate; ++i) {
    batches.push_back(next_batch());
    all += answers_of(batches.back());
  }
  model_.zero_grad();
  Step result{0, 0, schedule_(steps_), 0, 0};
  for (const data::Batch& batch : batches) {
    const Tensor logits = model_.logits(batch);  // (B, T, V)
    const Tensor loss = loss_of(logits, batch, all);
    if (!std::isfinite(loss.item()))
      fail("fit: the loss must be finite, got ", std::isnan(loss.item()) ? "nan" : "infinity",
           "; use a lower learning rate");
    loss.backward();
    result.loss += loss.item();
    result.accuracy += score(argmax(logits.detach(), -1), batch.targets).tokens *
                       static_cast<double>(answers_of(batch)) / static_cast<double>(all);
    result.tokens += batch.inputs.numel();
  }
  watch_.look();
  result.grad_norm = optim::clip_grad_norm_(model_.parameters(), options_.max_norm);
  for (const Driven& driven : optimizers_) {
    driven.optimizer->set_lr(driven.scale * result.lr);
    driven.optimizer->step();
  }
  if (ema_) ema_->update();
  ++steps_;
  return result;
}

void Trainer::take(const NamedTensors& weights) {
  model_.load_state_dict(weights);
  const Averaged averaged(*this);
  model_.load_state_dict(weights);
}

Trainer::Averaged::Averaged(Trainer& trainer) : ema_(trainer.ema_ ? &*trainer.ema_ : nullptr) {
  if (ema_ != nullptr) ema_->swap();
}
Trainer::Averaged::~Averaged() {
  if (ema_ != nullptr) ema_->swap();
}

}  // namespace tapehead::train
