// Trainer: a model, its optimisers, and how far they have come. What fit() goes on with.
//
//   Trainer trainer(model, {.steps = 400, .lr = 1e-2});
//   while (!trainer.finished()) trainer.step(next_batch);
//
// All of it can be saved and, with the same options, continued in another process as if nothing had
// been between: checkpoint.h.
#pragma once

#include <memory>
#include <optional>

#include "../nn/diagnostics.h"
#include "../nn/ema.h"
#include "../nn/optimizer.h"
#include "early_stopping.h"
#include "fit.h"

namespace tapehead::train {

/// An optimiser, and what its rate is to the schedule's.
struct Driven {
  std::unique_ptr<optim::Optimizer> optimizer;
  double scale = 1;
};

class Trainer {
 public:
  /// Error for an option out of range. The model must outlive the trainer.
  Trainer(SequenceModel& model, const FitOptions& options);

  /// What one step saw.
  struct Step {
    double loss, accuracy;  // mean over all answers of its batches
    double lr, grad_norm;   // before clipping
    Index tokens;           // read
  };
  /// One step of the optimisers. Error, before a parameter is changed, for a loss that is not
  /// finite.
  Step step(const std::function<data::Batch()>& next_batch);

  Index steps() const { return steps_; }
  /// Whether all steps are done, or the held-out loss has stopped falling.
  bool finished() const { return steps_ >= options_.steps || stopping_.enough(); }
  /// Tells the loss of what is not trained on; whether it is the best so far.
  bool judge(double held_out_loss) { return stopping_.judge(held_out_loss); }
  const EarlyStopping& stopping() const { return stopping_; }

  SequenceModel& model() { return model_; }
  const FitOptions& options() const { return options_; }
  /// The model, and its average, get these weights. Error, with nothing changed, as
  /// Module::load_state_dict().
  void take(const NamedTensors& weights);
  /// Which parameters have had no gradient in any step since the trainer was made.
  const optim::GradientWatch& watch() const { return watch_; }

  /// While it lives, the model has its averaged weights, if there are any.
  class Averaged {
   public:
    explicit Averaged(Trainer& trainer);
    ~Averaged();
    Averaged(const Averaged&) = delete;
    Averaged& operator=(const Averaged&) = delete;

   private:
    optim::EMA* ema_;
  };

  /// Everything but random numbers and data: "model.…", "optimizer.0.…", "ema.…", the count of
  /// steps, the best loss. Shares memory with all these.
  NamedTensors state_dict() const;
  /// Error, with nothing loaded, for a state that is not of such a model and such options, down to
  /// dtypes.
  void load_state_dict(const NamedTensors& state);

 private:
  Tensor loss_of(const Tensor& logits, const data::Batch& batch, Index all) const;
  NamedTensors counters() const;
  void load_counters(const NamedTensors& state);

  SequenceModel& model_;
  FitOptions options_;
  std::function<double(Index)> schedule_;
  std::vector<Driven> optimizers_;
  std::optional<optim::EMA> ema_;
  EarlyStopping stopping_;
  optim::GradientWatch watch_;
  Index steps_ = 0;
};

/// All options that what is learnt depends on, as a line of text.
std::string to_string(const FitOptions& options);

}  // namespace tapehead::train
