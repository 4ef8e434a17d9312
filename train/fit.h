// fit: the training loop.
//
//   fit(model, [&] { return data::draw_batch(task, random, 64); },
//       {.steps = 400, .lr = 1e-2, .warmup = 40}, [](const Progress& p) { std::cout << p.loss; });
//
// Each step: a batch, the mean cross entropy of its answers, gradients, clipped, one step of the
// optimiser at the schedule's rate (trainer.h). What is seen of it is up to `report`.
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

  /// "adam", "adamw", "sgd" (momentum 0.9), or "muon": Muon for matrices but those of embeddings
  /// and of the head, AdamW at a tenth of the rate for the rest.
  std::string optimizer = "adam";
  /// "cosine" (down to a tenth), "linear" (down to 0), "noam" (`lr` is its factor), "step" (a tenth
  /// after every third of the steps) or "constant"; the first three warm up.
  std::string schedule = "cosine";
  double weight_decay = 0;     // of matrices, not of biases and norms
  Index accumulate = 1;        // batches a step
  double label_smoothing = 0;  // of the loss, in [0, 1]
  double ema = 0;              // decay of averaged weights; 0 for none
  Index patience = 0;          // held-out losses without a new best to stop after; 0: never
};

/// How far training has come.
struct Progress {
  Index step, steps;         // `step` of them are done
  double loss, accuracy;     // of the last batch: mean, and the part of its answers that were right
  double tokens_per_second;  // read, since the start
  double seconds, seconds_left;
  double lr = 0, grad_norm = 0;  // of the last step; the norm is that before clipping
};

/// Told after each step; returns whether to go on.
using Report = std::function<bool(const Progress&)>;

/// Trains until all steps are done or `report` says to stop; returns how far it came. The model is
/// in training mode meanwhile and afterwards. Error for an option out of range; and, before the
/// parameters are changed, as soon as a loss is not finite.
Progress fit(SequenceModel& model, const std::function<data::Batch()>& next_batch,
             const FitOptions& options, const Report& report = {});

class Trainer;
/// The same, from where a trainer is, which may have been there before.
Progress fit(Trainer& trainer, const std::function<data::Batch()>& next_batch,
             const Report& report = {});

}  // namespace tapehead::train
