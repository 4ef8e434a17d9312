// fit: the training loop.
//
//   fit(model, [&] { return data::draw_batch(task, random, 64); },
//       {.steps = 400, .lr = 1e-2, .warmup = 40}, [](const Progress& p) { std::cout << p.loss; });
//
// Each step: a batch, the mean cross entropy of its answers, gradients, clipped, one step of Adam
// at the schedule's rate. What is seen of it is up to `report`.
#pragma once

#include <functional>

#include "../data/batch.h"
#include "model.h"

namespace tapehead::train {

struct FitOptions {
  Index steps;
  double lr;            // at its peak
  Index warmup = 0;     // steps
  double max_norm = 1;  // of all gradients together
};

/// How far training has come.
struct Progress {
  Index step, steps;         // `step` of them are done
  double loss, accuracy;     // of the last batch: mean, and the part of its answers that were right
  double tokens_per_second;  // read, since the start
  double seconds, seconds_left;
};

/// Told after each step; returns whether to go on.
using Report = std::function<bool(const Progress&)>;

/// Trains until all steps are done or `report` says to stop; returns how far it came. The model is
/// in training mode meanwhile and afterwards. Error for an option out of range; and, before the
/// parameters are changed, as soon as a loss is not finite.
Progress fit(SequenceModel& model, const std::function<data::Batch()>& next_batch,
             const FitOptions& options, const Report& report = {});

}  // namespace tapehead::train
