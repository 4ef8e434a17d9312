#include "diagnostics.h"

#include <algorithm>
#include <cmath>

#include "../core/elementwise.h"
#include "../core/update.h"

namespace tapehead::optim {
namespace {

// NaN counts: it is a gradient.
bool has_gradient(const Tensor& parameter) {
  const Tensor grad = parameter.grad();
  return grad.defined() && core::sum_of_squares(grad.array()) != 0;
}

}  // namespace

GradientWatch::GradientWatch(const nn::Module& model) {
  for (const auto& [name, parameter] : model.named_parameters())
    if (parameter.requires_grad()) waiting_.emplace_back(name, parameter);
}

void GradientWatch::look() {
  looked_ = true;
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                [](const auto& entry) { return has_gradient(entry.second); }),
                 waiting_.end());
}

std::vector<std::string> GradientWatch::never() const {
  std::vector<std::string> names;
  if (looked_)
    for (const auto& [name, parameter] : waiting_) names.push_back(name);
  return names;
}

UpdateRatios::UpdateRatios(const nn::Module& model) : parameters_(model.named_parameters()) {
  for (const auto& [name, parameter] : parameters_) before_.push_back(parameter.array().clone());
}

std::vector<UpdateRatio> UpdateRatios::next() {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const auto& [name, parameter] = parameters_[i];
    if (parameter.shape() != before_[i].shape() || parameter.dtype() != before_[i].dtype())
      fail("UpdateRatios: ", name, " was ", before_[i].shape(), " ", core::name(before_[i].dtype()),
           " and is now ", parameter.shape(), " ", core::name(parameter.dtype()),
           "; make a new UpdateRatios after converting a model");
  }
  std::vector<UpdateRatio> result;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const NDArray& now = parameters_[i].second.array();
    const double moved = std::sqrt(core::sum_of_squares(core::sub(now, before_[i])));
    const double size = std::sqrt(core::sum_of_squares(before_[i]));
    result.push_back({parameters_[i].first, moved == 0 ? 0 : moved / size});
    before_[i] = now.clone();
  }
  return result;
}

}  // namespace tapehead::optim
