#include "fit.h"

#include <chrono>

#include "trainer.h"

namespace tapehead::train {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Progress fit(Trainer& trainer, const std::function<data::Batch()>& next_batch,
             const Report& report) {
  trainer.model().train();
  const Index steps = trainer.options().steps, first = trainer.steps();
  Progress progress{first, steps, 0, 0, 0, 0, 0};
  double tokens = 0;
  const auto start = std::chrono::steady_clock::now();
  while (!trainer.finished()) {
    const Trainer::Step step = trainer.step(next_batch);
    tokens += static_cast<double>(step.tokens);
    const double seconds = seconds_since(start);
    const auto done = static_cast<double>(trainer.steps() - first),
               left = static_cast<double>(steps - trainer.steps());
    progress = {
        trainer.steps(),       steps,   step.loss,     step.accuracy, tokens / seconds, seconds,
        seconds / done * left, step.lr, step.grad_norm};
    if (report && !report(progress)) break;
  }
  return progress;
}

Progress fit(SequenceModel& model, const std::function<data::Batch()>& next_batch,
             const FitOptions& options, const Report& report) {
  Trainer trainer(model, options);
  return fit(trainer, next_batch, report);
}

}  // namespace tapehead::train
