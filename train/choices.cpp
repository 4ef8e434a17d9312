#include "choices.h"

#include <algorithm>
#include <cmath>
#include <iomanip>

#include "../data/tasks.h"
#include "../nn/adam.h"
#include "../nn/muon.h"
#include "../nn/schedule.h"
#include "../nn/sgd.h"

namespace tapehead::train {
namespace {

void check_word(const char* what, const std::string& word, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), word) == names.end())
    fail("fit: ", what, " must be ", data::alternatives(names), ", got \"", word, "\"");
}

void check_part(const char* what, double value) {
  if (!(value >= 0 && value <= 1)) fail("fit: ", what, " must be in [0, 1], got ", value);
}

// Of all matrices those that Muon is meant for.
bool is_hidden(const std::string& name, const std::vector<std::string>& embeddings) {
  return !name.ends_with("head.weight") && name != "output.weight" &&  // a llama's head
         std::find(embeddings.begin(), embeddings.end(), name) == embeddings.end();
}

std::vector<std::string> embedding_weights(SequenceModel& model) {
  std::vector<std::string> names;
  for (const auto& [path, module] : model.named_modules())
    if (dynamic_cast<const nn::Embedding*>(module) != nullptr) names.push_back(path + ".weight");
  return names;
}

std::vector<optim::ParamGroup> by_decay(const std::vector<Tensor>& parameters, double decay) {
  auto [matrices, others] = optim::split_matrices(parameters);
  return {{.params = std::move(matrices), .weight_decay = decay},
          {.params = std::move(others), .weight_decay = 0}};
}

std::vector<Driven> muon_and_adamw(SequenceModel& model, const FitOptions& options) {
  constexpr double scale = 0.1;
  const std::vector<std::string> embeddings = embedding_weights(model);
  std::vector<Tensor> hidden, others;
  for (const auto& [name, parameter] : model.named_parameters())
    (parameter.dim() == 2 && is_hidden(name, embeddings) ? hidden : others).push_back(parameter);
  std::vector<Driven> result;
  if (!hidden.empty())
    result.push_back({std::make_unique<optim::Muon>(
        hidden, optim::MuonOptions{.lr = options.lr, .weight_decay = options.weight_decay})});
  result.push_back({std::make_unique<optim::AdamW>(by_decay(others, options.weight_decay),
                                                   optim::AdamWOptions{.lr = scale * options.lr}),
                    scale});
  return result;
}

}  // namespace

const std::vector<std::string>& optimizer_names() {
  static const std::vector<std::string> names{"adam", "adamw", "sgd", "muon"};
  return names;
}

const std::vector<std::string>& schedule_names() {
  static const std::vector<std::string> names{"cosine", "linear", "noam", "step", "constant"};
  return names;
}

void check(const FitOptions& o) {
  if (o.steps < 0 || o.warmup < 0)
    fail("fit: steps and warmup must be at least 0, got ", o.steps, " and ", o.warmup);
  if (o.accumulate < 1) fail("fit: accumulate must be at least 1, got ", o.accumulate);
  if (o.patience < 0) fail("fit: patience must be at least 0, got ", o.patience);
  check_word("optimizer", o.optimizer, optimizer_names());
  check_word("schedule", o.schedule, schedule_names());
  check_part("label_smoothing", o.label_smoothing);
  check_part("ema", o.ema);
}

std::function<double(Index)> schedule_of(const FitOptions& o, Index d_model) {
  if (o.schedule == "cosine") return optim::WarmupCosine{o.lr, o.warmup, o.steps};
  if (o.schedule == "linear") return optim::WarmupLinear{o.lr, o.warmup, o.steps};
  if (o.schedule == "noam") return optim::Noam{d_model, o.warmup, o.lr};
  if (o.schedule == "step") return optim::StepDecay{o.lr, (o.steps + 2) / 3};
  return [lr = o.lr](Index) { return lr; };
}

std::vector<Driven> optimizers_of(SequenceModel& model, const FitOptions& o) {
  if (o.optimizer == "muon") return muon_and_adamw(model, o);
  const std::vector<optim::ParamGroup> groups = by_decay(model.parameters(), o.weight_decay);
  std::vector<Driven> result(1);
  if (o.optimizer == "sgd")
    result[0].optimizer =
        std::make_unique<optim::SGD>(groups, optim::SGDOptions{.lr = o.lr, .momentum = 0.9});
  else if (o.optimizer == "adamw")
    result[0].optimizer = std::make_unique<optim::AdamW>(groups, optim::AdamWOptions{.lr = o.lr});
  else
    result[0].optimizer = std::make_unique<optim::Adam>(groups, optim::AdamOptions{.lr = o.lr});
  return result;
}

std::string to_string(const FitOptions& o) {
  return core::to_text(std::setprecision(17), o.optimizer, " lr ", o.lr, " weight_decay ",
                       o.weight_decay, " ", o.schedule, " warmup ", o.warmup, " steps ", o.steps,
                       " max_norm ", o.max_norm, " accumulate ", o.accumulate, " label_smoothing ",
                       o.label_smoothing, " ema ", o.ema, " patience ", o.patience);
}

}  // namespace tapehead::train
