// Derivatives of functions of tensors, in one call each.
//
//   const auto f = [](const Tensor& x) { return exp(x) * x.sum(); };
//   const Tensor x = randn({3}, Float64), v = randn({3}, Float64);
//   Tensor J = func::jacobian(f, x);                       // (3, 3): J[i][j] = df_i / dx_j
//   auto [y, vJ] = func::vjp(f, x, v);                     // f(x) and v^T J
//   auto [same, Jv] = func::jvp(f, x, v);                  // f(x) and J v
//   Tensor H = func::hessian([&](const Tensor& t) { return f(t).sum(); }, x);
//
// Meanings and shapes are those of torch.autograd.functional, as torch.func has them too. Inputs
// need not require a gradient: each call differentiates by fresh handles on their values, recorded
// inside a NoGradGuard as well, and leaves every grad alone. With `create_graph` the results depend
// on the inputs that require a gradient and can be differentiated further; without it they are
// constants. What an output does not depend on has derivative zero.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tensor.h"

namespace tapehead {

/// One tensor or several, as a function returns them.
struct Outputs : std::vector<Tensor> {
  Outputs(Tensor output);
  Outputs(std::vector<Tensor> outputs);
};

namespace func {

using Tensors = std::vector<Tensor>;
using Function = std::function<Outputs(const Tensors& inputs)>;

namespace detail {

std::pair<Tensors, Tensors> vjp(const Function& f, const Tensors& inputs, const Tensors& v,
                                bool create_graph);
std::pair<Tensors, Tensors> jvp(const Function& f, const Tensors& inputs, const Tensors& v,
                                bool create_graph);
std::vector<Tensors> jacobian(const Function& f, const Tensors& inputs, bool create_graph);
std::vector<Tensors> hessian(const Function& f, const Tensors& inputs, bool create_graph);
std::pair<Tensors, Tensors> hvp(const Function& f, const Tensors& inputs, const Tensors& v,
                                bool create_graph);

// A function of one tensor, as one of several. Error unless it returns one.
Tensor only(const char* name, const Tensors& outputs);
template <class F>
Function of_one(const char* name, const F& f) {
  return [name, &f](const Tensors& x) { return Outputs(only(name, Outputs(f(x[0])))); };
}
inline Tensors maybe(const Tensor& v) { return v.defined() ? Tensors{v} : Tensors{}; }
inline std::pair<Tensor, Tensor> first(const std::pair<Tensors, Tensors>& both) {
  return {both.first[0], both.second[0]};
}

}  // namespace detail

// Each in two forms: of one tensor that gives one tensor, with a tensor in and tensors out; and of
// several, f(const std::vector<Tensor>&), with vectors. Error for an input that is not floating.

/// {f(inputs), the gradient of each input}, where output k has the gradient v[k], of its shape. v
/// may be left out where there is one output of one element.
template <class F>
std::pair<Tensors, Tensors> vjp(const F& f, const Tensors& inputs, const Tensors& v = {},
                                bool create_graph = false) {
  return detail::vjp(f, inputs, v, create_graph);
}
template <class F>
std::pair<Tensor, Tensor> vjp(const F& f, const Tensor& input, const Tensor& v = {},
                              bool create_graph = false) {
  return detail::first(
      detail::vjp(detail::of_one("vjp", f), {input}, detail::maybe(v), create_graph));
}

/// {f(inputs), how each output changes as the inputs move along v}: v[i] has the shape of input i,
/// and may be left out where there is one input of one element. By differentiating vjp, which is
/// linear in its v, by that v: needs rules that are differentiable, which all of the catalogue are.
template <class F>
std::pair<Tensors, Tensors> jvp(const F& f, const Tensors& inputs, const Tensors& v = {},
                                bool create_graph = false) {
  return detail::jvp(f, inputs, v, create_graph);
}
template <class F>
std::pair<Tensor, Tensor> jvp(const F& f, const Tensor& input, const Tensor& v = {},
                              bool create_graph = false) {
  return detail::first(
      detail::jvp(detail::of_one("jvp", f), {input}, detail::maybe(v), create_graph));
}

/// [output][input]: each of the output's shape followed by the input's, d output / d input. One
/// backward pass an element of the outputs.
template <class F>
std::vector<Tensors> jacobian(const F& f, const Tensors& inputs, bool create_graph = false) {
  return detail::jacobian(f, inputs, create_graph);
}
template <class F>
Tensor jacobian(const F& f, const Tensor& input, bool create_graph = false) {
  return detail::jacobian(detail::of_one("jacobian", f), {input}, create_graph)[0][0];
}

/// [input i][input j]: each of input i's shape followed by input j's, the second derivative of a
/// function that gives one tensor of one element.
template <class F>
std::vector<Tensors> hessian(const F& f, const Tensors& inputs, bool create_graph = false) {
  return detail::hessian(f, inputs, create_graph);
}
template <class F>
Tensor hessian(const F& f, const Tensor& input, bool create_graph = false) {
  return detail::hessian(detail::of_one("hessian", f), {input}, create_graph)[0][0];
}

/// {f(inputs), the Hessian times v}, of the inputs' shapes, without the Hessian: of a function that
/// gives one element. v as in jvp.
template <class F>
std::pair<Tensors, Tensors> hvp(const F& f, const Tensors& inputs, const Tensors& v = {},
                                bool create_graph = false) {
  return detail::hvp(f, inputs, v, create_graph);
}
template <class F>
std::pair<Tensor, Tensor> hvp(const F& f, const Tensor& input, const Tensor& v = {},
                              bool create_graph = false) {
  return detail::first(
      detail::hvp(detail::of_one("hvp", f), {input}, detail::maybe(v), create_graph));
}

}  // namespace func
}  // namespace tapehead
