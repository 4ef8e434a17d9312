// Sampling: a causal model writes on.
//
//   const std::vector<Index> written = sample(model, {0}, 300, random);
#pragma once

#include "../core/random.h"
#include "model.h"

namespace tapehead::train {

/// `count` tokens that follow `prompt`, each drawn with the probability that the model gives it
/// after the last `context` tokens. A `temperature` below 1 prefers the likely ones, 0 takes the
/// likeliest. Error for an empty prompt, a negative temperature or a model that is not causal.
std::vector<Index> sample(SequenceModel& model, const std::vector<Index>& prompt, Index count,
                          core::Generator& generator, double temperature = 1);

}  // namespace tapehead::train
