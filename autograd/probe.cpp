#include "probe.h"

#include <cstring>

#include "backward.h"

namespace tapehead {
namespace {

// Where element i lies in the storage.
Index place(const NDArray& array, Index i) {
  return array.offset() +
         (array.is_contiguous() ? i : core::offset_of(array.shape(), array.strides(), i));
}

bool same_bits(const NDArray& a, const NDArray& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data<double>(), b.data<double>(),
                     static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

std::vector<double> slopes(std::vector<double> above, const std::vector<double>& below,
                           double distance) {
  for (std::size_t i = 0; i < above.size(); ++i) above[i] = (above[i] - below[i]) / distance;
  return above;
}

}  // namespace

Target::~Target() {
  if (!original.defined()) return;  // moved from
  for (Index i = 0; i < size(); ++i) set(i, at(i));
}

void Target::set(Index i, double value) {
  const NDArray& array = tensor.array();
  reinterpret_cast<double*>(array.storage()->data)[place(array, i)] = value;
}

Probe::Probe(const CheckedFunction& f, const std::vector<Tensor>& inputs,
             const NamedTensors& parameters)
    : f_(f), inputs_(inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    add_target("input " + std::to_string(i), inputs[i]);
  for (const auto& [name, tensor] : parameters) add_target("parameter " + name, tensor);
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
  for (Tensor& output : f_(inputs_))
    if (core::is_floating(output.dtype())) result.push_back(std::move(output));
  if (result.empty()) fail("gradcheck: the function returned no floating tensor to differentiate");
  for (std::size_t i = 0; i < result.size(); ++i)
    if (result[i].dtype() != Float64)
      fail("gradcheck: output ", i, " of shape ", result[i].shape(), " is ",
           core::name(result[i].dtype()), "; the function must keep to Float64");
  return result;
}

void Probe::refuse_nondeterminism() {
  const std::vector<Tensor> first = outputs(), second = outputs();
  if (first.size() != second.size())
    fail("gradcheck: the function returned ", first.size(), " tensors, then ", second.size(),
         "; it must always do the same");
  elements_ = 0;
  for (const Tensor& output : first) elements_ += static_cast<std::size_t>(output.numel());
  for (std::size_t i = 0; i < first.size(); ++i)
    if (!same_bits(first[i].array().contiguous(), second[i].array().contiguous()))
      fail("gradcheck: the function is not deterministic: output ", i, " of shape ",
           first[i].shape(),
           " was different the second time; switch dropout off (eval()), or call "
           "manual_seed() inside the function");
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

std::vector<double> Probe::values() const {
  std::vector<double> result;
  for (const Tensor& output : outputs()) {
    const NDArray array = output.array().contiguous();
    result.insert(result.end(), array.data<double>(), array.data<double>() + array.size());
  }
  if (result.size() != elements_)
    fail("gradcheck: the function gave ", elements_, " elements, and ", result.size(),
         " a small step away; the shape of its outputs must not depend on values");
  return result;
}

std::vector<double> Probe::measure(Target& target, Index i, double eps) {
  const double up = target.at(i) + eps, down = target.at(i) - eps;
  target.set(i, up);
  std::vector<double> above = values();
  target.set(i, down);
  const std::vector<double> below = values();
  target.set(i, target.at(i));
  return slopes(std::move(above), below, up - down);
}

void Probe::move(const std::vector<NDArray>& direction, double step) {
  for (std::size_t t = 0; t < targets_.size(); ++t)
    for (Index i = 0; i < targets_[t].size(); ++i)
      targets_[t].set(i, targets_[t].at(i) + step * direction[t].data<double>()[i]);
}

std::vector<double> Probe::measure(const std::vector<NDArray>& direction, double eps) {
  move(direction, eps);
  std::vector<double> above = values();
  move(direction, -eps);
  const std::vector<double> below = values();
  move(direction, 0);
  return slopes(std::move(above), below, 2 * eps);
}

}  // namespace tapehead
