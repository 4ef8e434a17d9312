#include "probe.h"

#include <cmath>
#include <cstring>

#include "../backward.h"

namespace tapehead {
namespace {

// Writes value(i) to each element i. No version tells of it.
template <class Value>
void write(const NDArray& array, Value value) {
  double* const data = reinterpret_cast<double*>(array.storage()->data) + array.offset();
  const Index n = array.size();
  if (array.is_contiguous())
    for (Index i = 0; i < n; ++i) data[i] = value(i);
  else
    for (Index i = 0; i < n; ++i)
      data[core::offset_of(array.shape(), array.strides(), i)] = value(i);
}

bool same_bits(const NDArray& a, const NDArray& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data<double>(), b.data<double>(),
                     static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

std::vector<double> elements(const std::vector<Tensor>& tensors) {
  std::vector<double> result;
  for (const Tensor& tensor : tensors) {
    const NDArray array = tensor.array().contiguous();
    result.insert(result.end(), array.data<double>(), array.data<double>() + array.size());
  }
  return result;
}

// (a - b) / distance
std::vector<double> slopes(std::vector<double> a, const std::vector<double>& b, double distance) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = (a[i] - b[i]) / distance;
  return a;
}

}  // namespace

Target::~Target() {
  if (!original.defined()) return;  // gone to another
  write(tensor.array(), [at = original.data<double>()](Index i) { return at[i]; });
}

void Target::set(Index i, double value) {
  const NDArray& array = tensor.array();
  double* const data = reinterpret_cast<double*>(array.storage()->data) + array.offset();
  data[core::offset_of(array.shape(), array.strides(), i)] = value;
}

void Target::set_all(const NDArray& speeds, double step) {
  write(tensor.array(), [at = here.data<double>(), speed = speeds.data<double>(), step](Index i) {
    return at[i] + step * speed[i];
  });
}

Probe::Probe(Checked checked) : checked_(std::move(checked)) {
  for (std::size_t i = 0; i < checked_.inputs.size(); ++i)
    add_target("input " + std::to_string(i), checked_.inputs[i]);
  for (const auto& [name, tensor] : checked_.parameters) add_target("parameter " + name, tensor);
  if (targets_.empty())
    fail("gradcheck: nothing to check: no input or parameter requires a gradient; call ",
         "requires_grad_() on one");
  refuse_nondeterminism();
}

void Probe::add_target(std::string name, const Tensor& tensor) {
  if (!tensor.defined() || !tensor.requires_grad()) return;
  if (tensor.dtype() != Float64)
    fail("gradcheck: ", name, " of shape ", tensor.shape(), " is ", core::name(tensor.dtype()),
         ", too coarse for central differences; convert it with .to(Float64)");
  if (tensor.array().overlaps_itself())
    fail("gradcheck: ", name, " of shape ", tensor.shape(), " and strides ", tensor.strides(),
         " shows one element at two places, which cannot be moved apart; pass a clone(), or expand "
         "inside the function");
  targets_.emplace_back(std::move(name), tensor);
}

std::vector<Tensor> Probe::outputs() const {
  const EnableGradGuard recorded;
  std::vector<Tensor> result;
  for (Tensor& output : checked_.f(checked_.inputs))
    if (core::is_floating(output.dtype())) result.push_back(std::move(output));
  if (result.empty()) fail("gradcheck: the function returned no floating tensor to differentiate");
  for (std::size_t i = 0; i < result.size(); ++i)
    if (result[i].dtype() != Float64)
      fail("gradcheck: ", checked_.output_name(i), " of shape ", result[i].shape(), " is ",
           core::name(result[i].dtype()), "; the function must keep to Float64");
  return result;
}

std::vector<Tensor> matched_outputs(const Outputs& outputs, const std::vector<Tensor>& weights) {
  std::vector<Tensor> result;
  for (const Tensor& output : outputs)
    if (core::is_floating(output.dtype())) result.push_back(output);
  if (result.size() != weights.size())
    fail("gradcheck: the function returned ", weights.size(), " floating tensors, and later ",
         result.size(), "; how many must not depend on values");
  for (std::size_t k = 0; k < result.size(); ++k)
    if (result[k].shape() != weights[k].shape())
      fail("gradcheck: output ", k, " of the function had shape ", weights[k].shape(),
           ", and later ", result[k].shape(), "; shapes must not depend on values");
  return result;
}

void check_options(const GradcheckOptions& options) {
  if (!(options.eps > 0 && std::isfinite(options.eps)))
    fail("gradcheck: eps must be a number above 0, got ", options.eps, "; 1e-6 suits Float64");
  if (!(options.atol >= 0 && options.rtol >= 0))
    fail("gradcheck: atol and rtol must not be negative, got ", options.atol, " and ",
         options.rtol);
}

void Probe::refuse_nondeterminism() {
  const std::vector<Tensor> first = outputs(), second = outputs();
  if (first.size() != second.size())
    fail("gradcheck: the function returned ", first.size(), " tensors, then ", second.size(),
         "; it must always do the same");
  for (std::size_t i = 0; i < first.size(); ++i)
    if (!same_bits(first[i].array().contiguous(), second[i].array().contiguous()))
      fail("gradcheck: the function is not deterministic: ", checked_.output_name(i), " of shape ",
           first[i].shape(),
           " was different the second time; switch dropout off (eval()), or wrap the function in "
           "seeded()");
  like_ = first;
  for (Tensor& output : like_) output = output.detach();
  here_ = elements(first);
}

std::vector<NDArray> Probe::gradients(const Tensor& output, const NDArray& g,
                                      bool create_graph) const {
  std::vector<NDArray> result(targets_.size());
  if (!output.requires_grad()) return result;
  std::vector<Tensor> wanted;
  for (const Target& target : targets_) wanted.push_back(target.tensor);
  const auto found = autograd::grad({output}, wanted, {Tensor(g)}, true, create_graph, true);
  for (std::size_t t = 0; t < found.size(); ++t)
    if (found[t].defined()) result[t] = found[t].array().contiguous();
  return result;
}

std::vector<double> Probe::values() const { return elements(matched_outputs(outputs(), like_)); }

void Probe::move(const Direction& direction, double step) {
  Target* const targets = &targets_[direction.target];
  if (direction.of_one_element()) return targets->set(direction.i, targets->at(direction.i) + step);
  for (std::size_t t = 0; t < direction.speeds.size(); ++t)
    targets[t].set_all(direction.speeds[t], step);
}

void Probe::shift(const Direction& direction, double step) {
  Target* const targets = &targets_[direction.target];
  const std::size_t count = direction.of_one_element() ? 1 : direction.speeds.size();
  for (std::size_t t = 0; t < count; ++t) targets[t].here = targets[t].original;
  move(direction, step);
  for (std::size_t t = 0; t < count; ++t) targets[t].here = targets[t].tensor.array().clone();
  here_ = values();
}

// A single element moves by what its neighbours among the floating-point numbers allow.
Slopes Probe::measure(const Direction& direction, double eps) {
  double ahead = eps, behind = eps;
  if (direction.of_one_element()) {
    const double at = targets_[direction.target].at(direction.i);
    ahead = at + eps - at, behind = at - (at - eps);
  }
  move(direction, eps);
  const std::vector<double> above = values();
  move(direction, -eps);
  const std::vector<double> below = values();
  move(direction, 0);
  return {slopes(above, below, ahead + behind), slopes(above, here_, ahead),
          slopes(here_, below, behind)};
}

double along(const Direction& direction, const std::vector<NDArray>& gradients) {
  if (direction.of_one_element()) return element(gradients[direction.target], direction.i);
  double result = 0;
  for (std::size_t t = 0; t < direction.speeds.size(); ++t) {
    const NDArray& gradient = gradients[direction.target + t];
    if (!gradient.defined()) continue;
    const double *g = gradient.data<double>(), *speed = direction.speeds[t].data<double>();
    for (Index i = 0; i < gradient.size(); ++i) result += speed[i] * g[i];
  }
  return result;
}

}  // namespace tapehead
