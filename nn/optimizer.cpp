#include "optimizer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "../core/elementwise.h"

namespace tapehead::optim {

namespace {

// Where each element lies in the storage.
std::vector<Index> places(const NDArray& x) {
  std::vector<Index> result;
  for (Index i = 0; i < x.size(); ++i)
    result.push_back(x.offset() + core::offset_of(x.shape(), x.strides(), i));
  std::sort(result.begin(), result.end());
  return result;
}

bool share_elements(const NDArray& a, const NDArray& b) {
  if (!a.shares_storage_with(b)) return false;
  const std::vector<Index> left = places(a), right = places(b);
  std::vector<Index> both;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                        std::back_inserter(both));
  return !both.empty();
}

}  // namespace

Optimizer::Optimizer(std::string name, const std::vector<Tensor>& parameters, double lr)
    : name_(std::move(name)) {
  for (const Tensor& parameter : parameters) append(parameter);
  if (parameters_.empty()) fail(name_, ": got no parameters; pass model.parameters()");
  set_lr(lr);
}

void Optimizer::append(const Tensor& parameter) {
  if (!parameter.is_leaf())
    fail(name_, ": a parameter of shape ", parameter.shape(),
         " is the result of an op; pass leaves, such as model.parameters()");
  core::check_target(name_.c_str(), parameter.array());
  for (const Tensor& known : parameters_) {
    if (known.impl() == parameter.impl()) return;
    if (share_elements(known.array(), parameter.array()))
      fail(name_, ": parameters of shape ", known.shape(), " and ", parameter.shape(),
           " share memory, so that each step would change it twice; tie them by assignment, b = a, "
           "or pass one of them");
  }
  parameters_.push_back(parameter);
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

std::vector<std::size_t> Optimizer::due() const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor &parameter = parameters_[i], grad = parameter.grad();
    if (!grad.defined()) continue;
    core::check_target(name_.c_str(), parameter.array());
    if (grad.shape() != parameter.shape() || grad.dtype() != parameter.dtype())
      fail<ShapeError>(name_, ": parameter ", i, " is ", parameter.shape(), " ",
                       core::name(parameter.dtype()), " and its gradient ", grad.shape(), " ",
                       core::name(grad.dtype()), "; call zero_grad() and backward() again");
    result.push_back(i);
  }
  return result;
}

void Optimizer::prepare(NDArray& state, const Tensor& parameter) const {
  if (!state.defined()) state = NDArray::full(parameter.shape(), 0, parameter.dtype());
  if (state.shape() != parameter.shape() || state.dtype() != parameter.dtype())
    fail(name_, ": a parameter was ", state.shape(), " ", core::name(state.dtype()), " and is now ",
         parameter.shape(), " ", core::name(parameter.dtype()),
         "; make a new optimizer after converting a model");
}

}  // namespace tapehead::optim
