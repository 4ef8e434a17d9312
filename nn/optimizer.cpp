#include "optimizer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "../core/elementwise.h"

namespace tapehead::optim {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

Optimizer::Optimizer(std::string name, const std::vector<ParamGroup>& groups, double lr,
                     double weight_decay, std::vector<std::string> buffers)
    : name_(std::move(name)), buffers_(std::move(buffers)), first_lr_(lr) {
  set_lr(lr);
  for (const ParamGroup& group : groups) append(group, weight_decay);
  if (parameters_.empty()) fail(name_, ": got no parameters; pass model.parameters()");
  states_.resize(parameters_.size());
}

void Optimizer::append(const ParamGroup& group, double weight_decay) {
  settings_.push_back({group.lr, group.weight_decay.value_or(weight_decay)});
  check("weight_decay", settings_.back().weight_decay, infinity);
  if (group.lr) check("lr", *group.lr, infinity);
  if (group.lr && first_lr_ == 0)
    fail(name_, ": lr must be above 0 where a group has its own, got 0; it is what the group's ",
         *group.lr, " is relative to");
  for (const Tensor& parameter : group.params) append(parameter, settings_.size() - 1);
}

void Optimizer::append(const Tensor& parameter, std::size_t group) {
  if (!parameter.defined())
    fail(name_, ": parameter ", parameters_.size(),
         " is undefined (made by Tensor()); pass leaves, such as model.parameters()");
  if (!parameter.is_leaf())
    fail(name_, ": a parameter of shape ", parameter.shape(),
         " is the result of an op; pass leaves, such as model.parameters()");
  core::check_target(name_.c_str(), parameter.array());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& known = parameters_[i];
    if (known.impl() == parameter.impl()) {
      if (group_of_[i] == group) return;
      fail(name_, ": a parameter of shape ", parameter.shape(),
           " is in two groups; leave it in one of them");
    }
    if (share_elements(known.array(), parameter.array()))
      fail(name_, ": parameters of shape ", known.shape(), " and ", parameter.shape(),
           " share memory, so that each step would change it twice; tie them by assignment, b = a, "
           "or pass one of them");
  }
  parameters_.push_back(parameter);
  group_of_.push_back(group);
}

void Optimizer::zero_grad() {
  for (Tensor& parameter : parameters_) parameter.zero_grad();
}

void Optimizer::set_lr(double lr) {
  check("lr", lr, infinity);
  lr_ = lr;
}

// Exactly the group's own as long as nobody sets another.
double Optimizer::lr(std::size_t i) const {
  const std::optional<double>& own = settings_[group_of_[i]].lr;
  return own ? *own * (lr_ / first_lr_) : lr_;
}

double Optimizer::weight_decay(std::size_t i) const { return settings_[group_of_[i]].weight_decay; }

void Optimizer::check(const char* what, double value, double limit) const {
  if (value >= 0 && value < limit) return;
  if (std::isinf(limit)) fail(name_, ": ", what, " must be at least 0 and finite, got ", value);
  fail(name_, ": ", what, " must be at least 0 and below ", limit, ", got ", value);
}

std::vector<std::size_t> Optimizer::begin_step() {
  std::vector<std::size_t> due;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor grad = parameters_[i].grad();
    if (!grad.defined()) continue;
    check_gradient(i, grad);
    due.push_back(i);
  }
  for (const std::size_t i : due) prepare(i);
  for (const std::size_t i : due) ++states_[i].steps;
  return due;
}

void Optimizer::check_gradient(std::size_t i, const Tensor& grad) const {
  const Tensor& parameter = parameters_[i];
  core::check_target(name_.c_str(), parameter.array());
  if (grad.shape() != parameter.shape() || grad.dtype() != parameter.dtype())
    fail<ShapeError>(name_, ": parameter ", i, " is ", parameter.shape(), " ",
                     core::name(parameter.dtype()), " and its gradient ", grad.shape(), " ",
                     core::name(grad.dtype()), "; call zero_grad() and backward() again");
}

void Optimizer::prepare(std::size_t i) {
  const Tensor& parameter = parameters_[i];
  std::vector<NDArray>& buffers = states_[i].buffers;
  while (buffers.size() < buffers_.size())
    buffers.push_back(NDArray::full(parameter.shape(), 0, parameter.dtype()));
  for (const NDArray& buffer : buffers)
    if (buffer.shape() != parameter.shape() || buffer.dtype() != parameter.dtype())
      fail(name_, ": a parameter was ", buffer.shape(), " ", core::name(buffer.dtype()),
           " and is now ", parameter.shape(), " ", core::name(parameter.dtype()),
           "; make a new optimizer after converting a model");
}

}  // namespace tapehead::optim
