#include "recipe.h"

#include <array>

#include "../data/tasks.h"

namespace tapehead::train {
namespace {

constexpr const char* adamw = "adamw";

// steps, batch, lr, layers, heads, d_model, widening, dropout, what writes, optimiser, its decay
constexpr std::array<std::pair<std::string_view, Recipe>, 10> recipes{
    {{"copy", {100, 64, 1e-2, 1, 4, 32, 2}},
     {"reverse", {400, 64, 1e-2, 1, 4, 32, 2}},
     {"sort", {500, 64, 1e-2, 2, 4, 32, 2}},
     {"addition", {2000, 64, 3e-3, 2, 4, 64, 2}},
     {"recall", {800, 64, 3e-3, 2, 4, 64, 2}},
     {"induction", {500, 64, 3e-3, 2, 4, 64, 2}},
     {"modular", {2000, 512, 3e-3, 1, 4, 128, 4, 0, Arch::gpt, adamw, 1}},
     {"brackets", {800, 64, 3e-3, 2, 4, 64, 2}},
     {"names", {5000, 64, 3e-3, 4, 4, 64, 4, 0, Arch::gpt}},
     {"text", {800, 32, 3e-3, 2, 4, 64, 4, 0, Arch::gpt}}}};

}  // namespace

ModelOptions Recipe::model(Index vocabulary, Index context, bool causal) const {
  return {.vocabulary = vocabulary,
          .context = context,
          .d_model = d_model,
          .heads = heads,
          .layers = layers,
          .d_ff = widening * d_model,
          .dropout = dropout,
          .arch = causal ? writes : Arch::encoder};
}

FitOptions Recipe::fit() const {
  return {.steps = steps,
          .lr = lr,
          .warmup = steps / 10,
          .optimizer = optimizer,
          .weight_decay = weight_decay};
}

const std::vector<std::string>& recipe_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const auto& [name, recipe] : recipes) result.emplace_back(name);
    return result;
  }();
  return names;
}

Recipe recipe(std::string_view task) {
  for (const auto& [name, recipe] : recipes)
    if (name == task) return recipe;
  fail("recipe: expected ", data::alternatives(recipe_names()), ", got \"", task,
       "\"; choose one of them");
}

}  // namespace tapehead::train
