// tapehead train: from the first weight to what the heads look at.
#pragma once

#include <string>

#include "lesson.h"
#include "settings.h"

namespace tapehead::cli {

struct TrainArguments {
  Settings settings;        // as given
  std::string run, resume;  // folders
  std::string out;          // where the weights go, or empty
  std::optional<Index> threads;
  bool json = false;
};

/// Says what will be trained, checks the gradients of that architecture, trains, showing progress,
/// and shows what was learnt. UsageError before anything starts where arguments don't fit together;
/// Error or IoError where training cannot be started or fails; Interrupted, with how to go on.
void train(const TrainArguments& arguments);

/// The generator that batches are drawn from. Not the stream that weights are drawn from, though
/// its seed is given by the same number.
core::Generator batch_generator(std::uint64_t seed);

}  // namespace tapehead::cli
