// Saving and restoring a trainer.
#include <map>

#include "../autograd/create.h"
#include "trainer.h"

namespace tapehead::train {
namespace {

using States = std::map<std::string, NamedTensors>;

std::string optimizer_prefix(std::size_t i) { return core::to_text("optimizer.", i); }

void append(NamedTensors& to, const std::string& prefix, const NamedTensors& state) {
  for (const auto& [name, tensor] : state) to.emplace_back(prefix + "." + name, tensor);
}

// "optimizer.0.state.1.step" is "state.1.step" of "optimizer.0".
States by_part(const NamedTensors& state, const std::vector<std::string>& parts) {
  States result;
  for (const auto& [name, tensor] : state) {
    std::string owner;
    for (const std::string& part : parts)
      if (name.starts_with(part + ".")) owner = part;
    if (owner.empty())
      fail("Trainer: \"", name, "\" is no part of a run with these options; nothing was loaded");
    result[owner].emplace_back(name.substr(owner.size() + 1), tensor);
  }
  return result;
}

nn::StateDict copied(const nn::StateDict& state) {
  nn::StateDict copies;
  for (const auto& [name, tensor] : state) copies.emplace_back(name, tensor.clone());
  return copies;
}

// load_state_dict() of modules would convert.
void check_dtypes(const nn::StateDict& own, const NamedTensors& given) {
  std::map<std::string, DType> dtypes;
  for (const auto& [name, tensor] : given) dtypes[name] = tensor.dtype();
  for (const auto& [name, tensor] : own) {
    const auto found = dtypes.find(name);
    if (found != dtypes.end() && found->second != tensor.dtype())
      fail("Trainer: ", name, " is ", core::name(tensor.dtype()), " and was ",
           core::name(found->second), "; convert the model first, nothing was loaded");
  }
}

}  // namespace

NamedTensors Trainer::counters() const {
  return {{"steps", tensor(steps_, Int64)},
          {"best", tensor(stopping_.best, Float64)},
          {"waited", tensor(stopping_.waited, Int64)}};
}

// All that can be wrong is found out before anything is changed.
void Trainer::load_counters(const NamedTensors& state) {
  std::map<std::string, Tensor> given(state.begin(), state.end());
  const NamedTensors own = counters();
  for (const auto& [name, tensor] : own)
    if (given[name].defined() == false || given[name].shape() != Shape{} ||
        given[name].dtype() != tensor.dtype() || given.size() != own.size())
      fail("Trainer: expected the counts steps, best and waited, got ", state.size(),
           " of them; nothing was loaded");
  const Index steps = given["steps"].item<Index>(), waited = given["waited"].item<Index>();
  if (steps < 0 || waited < 0)
    fail("Trainer: steps and waited must be at least 0, got ", steps, " and ", waited,
         "; nothing was loaded");
  steps_ = steps;
  stopping_.best = given["best"].item();
  stopping_.waited = waited;
}

NamedTensors Trainer::state_dict() const {
  NamedTensors result;
  append(result, "model", model_.state_dict());
  for (std::size_t i = 0; i < optimizers_.size(); ++i)
    append(result, optimizer_prefix(i), optimizers_[i].optimizer->state_dict());
  if (ema_) append(result, "ema", ema_->state_dict());
  append(result, "run", counters());
  return result;
}

void Trainer::load_state_dict(const NamedTensors& state) {
  std::vector<std::string> names{"model", "run"};
  for (std::size_t i = 0; i < optimizers_.size(); ++i) names.push_back(optimizer_prefix(i));
  if (ema_) names.push_back("ema");
  States given = by_part(state, names);
  check_dtypes(model_.state_dict(), given["model"]);

  // Each part takes all or nothing; if a later one refuses, those before it go back.
  // The model comes first: where it is another one, all that follows is, too.
  std::vector<std::function<void()>> undo;
  try {
    undo.emplace_back(
        [this, before = copied(model_.state_dict())] { model_.load_state_dict(before); });
    model_.load_state_dict(given["model"]);
    for (std::size_t i = 0; i < optimizers_.size(); ++i) {
      optim::Optimizer& optimizer = *optimizers_[i].optimizer;
      undo.emplace_back(
          [&optimizer, before = optimizer.state_dict()] { optimizer.load_state_dict(before); });
      optimizer.load_state_dict(given[optimizer_prefix(i)]);
    }
    if (ema_) {
      undo.emplace_back([this, before = ema_->state_dict()] { ema_->load_state_dict(before); });
      ema_->load_state_dict(given["ema"]);
    }
    undo.emplace_back([this, before = counters()] { load_counters(before); });
    load_counters(given["run"]);
  } catch (...) {
    for (const auto& go_back : undo) go_back();
    throw;
  }
}

}  // namespace tapehead::train
