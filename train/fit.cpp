#include "fit.h"

#include <chrono>
#include <cmath>

#include "../nn/adam.h"
#include "../nn/clip_grad.h"
#include "../nn/cross_entropy_loss.h"
#include "../nn/schedule.h"
#include "evaluate.h"

namespace tapehead::train {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct StepResult {
  double loss, accuracy;
};

StepResult take_step(SequenceModel& model, optim::Optimizer& optimizer, const data::Batch& batch,
                     double max_norm) {
  const Tensor logits = model(batch.inputs);  // (B, T, V)
  const Tensor loss = cross_entropy(logits.flatten(0, 1), batch.targets.flatten());
  if (!std::isfinite(loss.item()))
    fail("fit: the loss must be finite, got ", std::isnan(loss.item()) ? "nan" : "infinity",
         "; use a lower learning rate");
  optimizer.zero_grad();
  loss.backward();
  optim::clip_grad_norm_(optimizer.parameters(), max_norm);
  optimizer.step();
  return {loss.item(), score(argmax(logits.detach(), -1), batch.targets).tokens};
}

}  // namespace

Progress fit(SequenceModel& model, const std::function<data::Batch()>& next_batch,
             const FitOptions& options, const Report& report) {
  if (options.steps < 0 || options.warmup < 0)
    fail("fit: steps and warmup must be at least 0, got ", options.steps, " and ", options.warmup);
  const optim::WarmupCosine schedule{options.lr, options.warmup, options.steps};
  optim::Adam optimizer(model.parameters(), {.lr = options.lr});
  model.train();
  Progress progress{0, options.steps, 0, 0, 0, 0, 0};
  double tokens = 0;
  const auto start = std::chrono::steady_clock::now();
  for (Index step = 0; step < options.steps; ++step) {
    const data::Batch batch = next_batch();
    optimizer.set_lr(schedule(step));
    const auto [loss, accuracy] = take_step(model, optimizer, batch, options.max_norm);
    tokens += static_cast<double>(batch.inputs.numel());

    const double seconds = seconds_since(start);
    const auto done = static_cast<double>(step + 1), all = static_cast<double>(options.steps);
    progress = {step + 1,
                options.steps,
                loss,
                accuracy,
                tokens / seconds,
                seconds,
                seconds / done * (all - done)};
    if (report && !report(progress)) break;
  }
  return progress;
}

}  // namespace tapehead::train
