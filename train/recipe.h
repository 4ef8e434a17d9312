// Recipes: how each task is trained unless one is told otherwise.
//
//   Recipe r = recipe("reverse");
//   r.layers = 2;
//   SequenceModel model(r.model(vocabulary, context, causal));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fit.h"

namespace tapehead::train {

struct Recipe {
  Index steps, batch;
  double lr;  // at its peak, after a tenth of the steps
  Index layers, heads, d_model;
  Index widening;  // the feed-forward network's width by d_model
  double dropout = 0;
  Arch writes = Arch::decoder;  // where the model must not look ahead; else it is an encoder
  const char* optimizer = "adam";
  double weight_decay = 0;

  ModelOptions model(Index vocabulary, Index context, bool causal) const;
  FitOptions fit() const;
};

/// For each of data::task_names(), names and text; Error, naming them, for any other. The tasks
/// reach 99 % of held-out sequences (scripts/accuracy.sh measures it).
Recipe recipe(std::string_view task);
/// Those names.
const std::vector<std::string>& recipe_names();

}  // namespace tapehead::train
