#include "clip_grad.h"

#include <algorithm>
#include <cmath>

#include "../core/elementwise.h"
#include "../core/update.h"

namespace tapehead::optim {

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm) {
  if (!(max_norm >= 0)) fail("clip_grad_norm_: max_norm must be at least 0, got ", max_norm);
  std::vector<Tensor> grads;
  double squares = 0;
  for (const Tensor& parameter : parameters) {
    if (!parameter.defined())
      fail("clip_grad_norm_: parameter ", &parameter - parameters.data(),
           " is undefined (made by Tensor()); pass leaves, such as model.parameters()");
    const Tensor grad = parameter.grad();
    const auto same = [&](const Tensor& g) { return g.impl() == grad.impl(); };
    if (!grad.defined() || std::any_of(grads.begin(), grads.end(), same)) continue;
    core::check_target("clip_grad_norm_", grad.array());
    squares += core::sum_of_squares(grad.array());
    grads.push_back(grad);
  }
  const double norm = std::sqrt(squares), scale = max_norm / (norm + 1e-6);
  if (scale >= 1) return norm;  // not so where the norm is NaN
  for (const Tensor& grad : grads) core::mul_(grad.impl()->array, scale, "clip_grad_norm_");
  return norm;
}

}  // namespace tapehead::optim
