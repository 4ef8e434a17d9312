// Gradients: of everything that led to a tensor, or of chosen inputs.
//
//   const auto g = autograd::grad({y}, {x}, {}, {}, /*create_graph=*/true);
//   const auto gg = autograd::grad({g[0].sum()}, {x});      // second derivative
#pragma once

#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "ops.h"

namespace tapehead::autograd {

/// Tensor::backward of several roots in one pass. `gradients` is empty (each root then has one
/// element) or has one gradient for each root; an undefined one counts as none.
void backward(const std::vector<Tensor>& roots, const std::vector<Tensor>& gradients = {},
              std::optional<bool> retain_graph = {}, bool create_graph = false);

/// The sum over outputs of d(output)/d(input), weighted by `grad_outputs`, for each input. Touches
/// no leaf's grad; an input's own hooks do not change its gradient (see Tensor::register_hook).
/// GraphError for an input that requires no gradient or, unless `allow_unused`, was not used; with
/// it, such an input's gradient is undefined.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs = {},
                         std::optional<bool> retain_graph = {}, bool create_graph = false,
                         bool allow_unused = false);

/// The gradients of f(inputs…), weighted by `g`, as differentiable functions of inputs and g. A
/// fused op's rule calls this on its readable composition when its derivative is to be
/// differentiated. Stops at the inputs, whatever their history; undefined inputs stay undefined.
template <class F, class... Inputs>
std::array<Tensor, sizeof...(Inputs)> vjp(const Tensor& g, F f, const Inputs&... inputs) {
  const auto fresh_alias = [](const Tensor& x) { return x.defined() ? alias(x) : x; };
  const std::array<Tensor, sizeof...(Inputs)> fresh{fresh_alias(inputs)...};
  const Tensor y = std::apply(f, fresh);
  std::vector<Tensor> wanted;
  for (const Tensor& x : fresh)
    if (x.defined() && x.requires_grad()) wanted.push_back(x);
  std::array<Tensor, sizeof...(Inputs)> result;
  if (wanted.empty() || !y.requires_grad()) return result;
  const std::vector<Tensor> gradients = grad({y}, wanted, {g}, true, true, true);
  for (std::size_t i = 0, k = 0; i < fresh.size(); ++i)
    if (fresh[i].defined() && fresh[i].requires_grad()) result[i] = gradients[k++];
  return result;
}

}  // namespace tapehead::autograd
