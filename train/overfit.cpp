#include "overfit.h"

#include "../core/random.h"
#include "evaluate.h"

namespace tapehead::train {
namespace {

// Puts everything back as it was when this was made.
class Restore {
 public:
  explicit Restore(SequenceModel& model) : model_(model), modes_(model.named_modules().size()) {
    for (const auto& [name, tensor] : model.state_dict())
      weights_.emplace_back(name, tensor.clone());
    std::size_t i = 0;
    for (const auto& entry : model.named_modules()) modes_[i++] = entry.second->is_training();
    const std::lock_guard lock(core::default_generator_mutex());
    random_ = core::default_generator();
  }
  ~Restore() {
    model_.load_state_dict(weights_);
    model_.zero_grad();
    std::size_t i = 0;
    for (const auto& entry : model_.named_modules()) entry.second->train(modes_[i++]);
    const std::lock_guard lock(core::default_generator_mutex());
    core::default_generator() = random_;
  }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  SequenceModel& model_;
  nn::StateDict weights_;
  std::vector<bool> modes_;
  core::Generator random_;
};

}  // namespace

Overfit overfit_one_batch(SequenceModel& model, const data::Batch& batch,
                          const FitOptions& options) {
  if (options.steps < 1) fail("overfit_one_batch: steps must be at least 1, got ", options.steps);
  const Restore restore(model);
  Overfit result{0, 0, 0};
  const Progress last = fit(
      model, [&] { return batch; }, options,
      [&](const Progress& p) {
        if (p.step == 1) result.first_loss = p.loss;
        return true;
      });
  result.last_loss = last.loss;
  const Evaluating evaluating(model);
  result.accuracy = score(argmax(model.logits(batch), -1), batch.targets).tokens;
  return result;
}

}  // namespace tapehead::train
