#include "optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapehead::optim {

Optimizer::Optimizer(std::string name, const std::vector<Tensor>& parameters, double lr)
    : name_(std::move(name)) {
  for (const Tensor& parameter : parameters) {
    const auto same = [&](const Tensor& p) { return p.impl() == parameter.impl(); };
    if (!parameter.is_leaf())
      fail(name_, ": a parameter of shape ", parameter.shape(),
           " is the result of an op; pass leaves, such as model.parameters()");
    if (std::none_of(parameters_.begin(), parameters_.end(), same))
      parameters_.push_back(parameter);
  }
  if (parameters_.empty()) fail(name_, ": got no parameters; pass model.parameters()");
  set_lr(lr);
}

void Optimizer::zero_grad() {
  for (Tensor& parameter : parameters_) parameter.zero_grad();
}

void Optimizer::set_lr(double lr) {
  check("lr", lr, std::numeric_limits<double>::infinity());
  lr_ = lr;
}

void Optimizer::check(const char* what, double value, double limit) const {
  if (value >= 0 && value < limit) return;
  if (std::isinf(limit)) fail(name_, ": ", what, " must be at least 0 and finite, got ", value);
  fail(name_, ": ", what, " must be at least 0 and below ", limit, ", got ", value);
}

void Optimizer::prepare(NDArray& state, const Tensor& parameter) const {
  if (!state.defined()) state = NDArray::full(parameter.shape(), 0, parameter.dtype());
  if (state.shape() != parameter.shape() || state.dtype() != parameter.dtype())
    fail(name_, ": a parameter was ", state.shape(), " ", core::name(state.dtype()), " and is now ",
         parameter.shape(), " ", core::name(parameter.dtype()),
         "; make a new optimizer after converting a model");
}

}  // namespace tapehead::optim
