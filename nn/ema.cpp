#include "ema.h"

#include "../core/elementwise.h"
#include "detail/state_reader.h"

namespace tapehead::optim {

EMA::EMA(const nn::Module& model, double decay)
    : parameters_(model.named_parameters()), decay_(decay) {
  if (!(decay >= 0 && decay <= 1)) fail("EMA: decay must be in [0, 1], got ", decay);
  for (const auto& [name, parameter] : parameters_) averages_.push_back(parameter.array().clone());
}

void EMA::check() const {
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    const auto& [name, parameter] = parameters_[i];
    const NDArray& average = averages_[i];
    core::check_target("EMA", parameter.array());
    if (parameter.shape() != average.shape() || parameter.dtype() != average.dtype())
      fail("EMA: ", name, " was ", average.shape(), " ", core::name(average.dtype()),
           " and is now ", parameter.shape(), " ", core::name(parameter.dtype()),
           "; make a new EMA after converting a model");
  }
}

void EMA::update() {
  check();
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    core::mul_(averages_[i], decay_, "EMA");
    core::add_(averages_[i], parameters_[i].second.array(), 1 - decay_, "EMA");
  }
}

void EMA::swap() {
  check();
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    NDArray& parameter = parameters_[i].second.impl()->array;
    NDArray before = parameter.clone();
    core::copy_(parameter, averages_[i], "EMA");
    averages_[i] = std::move(before);
  }
}

NamedTensors EMA::state_dict() const {
  NamedTensors result;
  for (std::size_t i = 0; i < averages_.size(); ++i)
    result.emplace_back(parameters_[i].first, Tensor(averages_[i]));
  return result;
}

void EMA::load_state_dict(const NamedTensors& state) {
  detail::StateReader reader("EMA: the state must be that of an EMA of this model", state);
  std::vector<NDArray> averages;
  for (std::size_t i = 0; i < averages_.size(); ++i)
    averages.push_back(
        reader.take(parameters_[i].first, averages_[i].shape(), averages_[i].dtype()));
  reader.finish();
  averages_ = std::move(averages);
}

}  // namespace tapehead::optim
