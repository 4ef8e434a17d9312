// Saving and restoring what an optimiser goes on from.
#include "../autograd/create.h"
#include "detail/state_reader.h"
#include "optimizer.h"

namespace tapehead::optim {
namespace {

std::string key(std::size_t i, const std::string& what) {
  return core::to_text("state.", i, ".", what);
}

}  // namespace

NamedTensors Optimizer::state_dict() const {
  NamedTensors result{{"lr", tensor(lr_, Float64)}};
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const State& state = states_[i];
    if (state.steps == 0) continue;
    result.emplace_back(key(i, "step"), tensor(state.steps, Int64));
    for (std::size_t k = 0; k < buffers_.size(); ++k)
      result.emplace_back(key(i, buffers_[k]), Tensor(state.buffers[k]));
  }
  return result;
}

void Optimizer::load_state_dict(const NamedTensors& state) {
  detail::StateReader reader(name_ + ": the state must be that of an optimizer of these parameters",
                             state);
  const NDArray lr = reader.take("lr", {}, Float64);
  std::vector<State> states(parameters_.size());
  std::vector<NDArray> steps(parameters_.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!reader.has(key(i, "step"))) continue;
    steps[i] = reader.take(key(i, "step"), {}, Int64);
    for (const std::string& buffer : buffers_)
      states[i].buffers.push_back(
          reader.take(key(i, buffer), parameters_[i].shape(), parameters_[i].dtype()));
  }
  reader.finish();
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!steps[i].defined()) continue;
    states[i].steps = steps[i].item<Index>();
    if (states[i].steps < 1)
      fail(name_, ": ", key(i, "step"), " must be at least 1, got ", states[i].steps,
           "; nothing was loaded");
  }
  set_lr(lr.item());
  states_ = std::move(states);
}

}  // namespace tapehead::optim
