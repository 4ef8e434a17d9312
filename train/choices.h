// What the words in FitOptions stand for.
#pragma once

#include "trainer.h"

namespace tapehead::train {

/// Error for an option out of range or a word that is not known.
void check(const FitOptions& options);
/// The rate of step 0, 1, …
std::function<double(Index)> schedule_of(const FitOptions& options, Index d_model);
/// One, or two that share the parameters out between them.
std::vector<Driven> optimizers_of(SequenceModel& model, const FitOptions& options);

/// "adam", "adamw", "sgd", "muon".
const std::vector<std::string>& optimizer_names();
/// "cosine", "linear", "noam", "step", "constant".
const std::vector<std::string>& schedule_names();

}  // namespace tapehead::train
