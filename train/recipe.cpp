#include "recipe.h"

namespace tapehead::train {

ModelOptions Recipe::model(Index vocabulary, Index context, bool causal) const {
  return {.vocabulary = vocabulary,
          .context = context,
          .d_model = d_model,
          .heads = heads,
          .layers = layers,
          .d_ff = widening * d_model,
          .dropout = dropout,
          .causal = causal};
}

FitOptions Recipe::fit() const { return {.steps = steps, .lr = lr, .warmup = steps / 10}; }

Recipe recipe(std::string_view task) {
  // steps, batch, lr, layers, heads, d_model, widening
  if (task == "copy") return {100, 64, 1e-2, 1, 4, 32, 2};
  if (task == "reverse") return {400, 64, 1e-2, 1, 4, 32, 2};
  if (task == "sort") return {500, 64, 1e-2, 2, 4, 32, 2};
  if (task == "addition") return {2000, 64, 3e-3, 2, 4, 64, 2};
  if (task == "text") return {800, 32, 3e-3, 2, 4, 64, 4};
  fail("recipe: expected copy, reverse, sort, addition or text, got \"", task,
       "\"; choose one of them");
}

}  // namespace tapehead::train
