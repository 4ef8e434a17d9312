// The gradient of a function as a function of its own, to be checked like any other.
#include "../../core/random.h"
#include "../backward.h"
#include "../create.h"
#include "probe.h"

namespace tapehead {
namespace {

// The gradients of what f gives, weighted by `incoming`, zero where there is none.
std::vector<Tensor> gradients(const CheckedFunction& f, const std::vector<Tensor>& x,
                              const std::vector<Tensor>& incoming,
                              const std::vector<Tensor>& wanted) {
  const std::vector<Tensor> all = matched_outputs(f(x), incoming);
  std::vector<Tensor> outputs, weights;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].requires_grad()) outputs.push_back(all[k]), weights.push_back(incoming[k]);
  std::vector<Tensor> result = autograd::grad(outputs, wanted, weights, true, true, true);
  for (std::size_t i = 0; i < result.size(); ++i)
    if (!result[i].defined()) result[i] = zeros_like(wanted[i]);
  return result;
}

}  // namespace

Checked derivative(const Checked& checked) {
  Checked result = checked;
  result.outputs.clear();
  std::vector<Tensor> incoming, wanted;
  Probe probe(checked);
  core::Generator random(0);
  for (const Tensor& output : probe.outputs()) {
    const std::string name = "gradient of " + checked.output_name(incoming.size());
    incoming.push_back(Tensor(core::randn(random, output.shape(), Float64)).requires_grad_());
    result.parameters.emplace_back(name, incoming.back());
  }
  for (const Target& target : probe.targets()) {
    wanted.push_back(target.tensor);
    result.outputs.push_back("gradient by " + target.name);
  }
  result.f = [f = checked.f, incoming, wanted](const std::vector<Tensor>& x) {
    return Outputs(gradients(f, x, incoming, wanted));
  };
  return result;
}

Checked of_order(Checked checked, int order) {
  if (order < 1)
    fail("gradcheck: the order of the derivative must be at least 1, got ", order,
         "; 1 is the gradient, 2 that of the gradient");
  while (--order > 0) checked = derivative(checked);
  return checked;
}

}  // namespace tapehead
