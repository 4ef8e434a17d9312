// The one-batch check: a model that cannot learn one batch by heart will learn nothing.
//
//   if (overfit_one_batch(model, batch).accuracy < 1) …   // wrong wiring, mask, targets or loss
#pragma once

#include "fit.h"

namespace tapehead::train {

struct Overfit {
  double first_loss, last_loss;  // as trained, dropout included
  double accuracy;               // of the model evaluating, afterwards
};

/// Trains on this batch again and again, then puts back the model, its modes and the default
/// generator; gradients are forgotten. Error as fit(), and for no steps.
Overfit overfit_one_batch(SequenceModel& model, const data::Batch& batch,
                          const FitOptions& options = {.steps = 200, .lr = 1e-2, .warmup = 10});

}  // namespace tapehead::train
