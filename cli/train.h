// tapehead train: a toy task or a text, from the first weight to what the heads look at.
#pragma once

#include <optional>
#include <string>

#include "../core/shape.h"

namespace tapehead::cli {

/// As given; what is missing comes from the task's recipe.
struct TrainArguments {
  std::string task;  // one of train::recipe_names()
  std::string file;  // of text and names
  std::string out;   // where the weights go, or empty
  std::optional<core::Index> steps, batch, layers, heads, d_model, context, threads;
  std::optional<double> lr, dropout;
  core::Index seed = 0;
};

/// UsageError before anything starts where they don't fit together; Error or IoError where training
/// cannot be started or fails.
void train(const TrainArguments& arguments);

}  // namespace tapehead::cli
