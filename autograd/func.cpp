#include "func.h"

#include "../core/elementwise.h"
#include "backward.h"
#include "create.h"

namespace tapehead {

Outputs::Outputs(Tensor output) { push_back(std::move(output)); }
Outputs::Outputs(std::vector<Tensor> outputs) : vector(std::move(outputs)) {}

}  // namespace tapehead

namespace tapehead::func {
namespace {

// Handles to differentiate by: with history where the results shall depend on the inputs.
Tensors fresh(const char* name, const Tensors& inputs, bool create_graph) {
  if (inputs.empty()) fail(name, ": there is no input to differentiate by");
  Tensors result;
  for (const Tensor& input : inputs) {
    if (!core::is_floating(input.dtype()))
      fail<DTypeError>(name, ": input ", result.size(), " of shape ", input.shape(), " is ",
                       core::name(input.dtype()),
                       ", by which nothing can be differentiated; convert it with .to(Float64), or "
                       "let the function capture it");
    const bool linked = create_graph && input.requires_grad();
    result.push_back(linked ? alias(input) : input.detach().requires_grad_());
  }
  return result;
}

// One tensor for each of `like`, of its shape and dtype.
void check_directions(const char* name, const char* what, const Tensors& v, const Tensors& like) {
  if (v.size() != like.size())
    fail(name, ": v must have one tensor for each ", what, ", got ", v.size(), " for ",
         like.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    if (v[i].shape() != like[i].shape() || v[i].dtype() != like[i].dtype())
      fail<ShapeError>(name, ": v of ", what, " ", i, " must be ", like[i].shape(), " ",
                       core::name(like[i].dtype()), " as that is, got ", v[i].shape(), " ",
                       core::name(v[i].dtype()));
}

// v itself, or the number 1 where it may be left out.
Tensors directions(const char* name, const char* what, const Tensors& v, const Tensors& like) {
  if (v.empty() && like.size() == 1 && like[0].numel() == 1) return {ones_like(like[0])};
  check_directions(name, what, v, like);
  return v;
}

// The gradients of `by`, zero where there is none, for what of `outputs` has a history.
Tensors gradients(const Tensors& outputs, const Tensors& by, const Tensors& v, bool create_graph) {
  Tensors roots, weights;
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (outputs[k].requires_grad()) roots.push_back(outputs[k]), weights.push_back(v[k]);
  Tensors result = autograd::grad(roots, by, weights, true, create_graph, true);
  for (std::size_t i = 0; i < by.size(); ++i)
    if (!result[i].defined()) result[i] = zeros_like(by[i]);
  return result;
}

void check_outputs(const char* name, const Tensors& outputs) {
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (!core::is_floating(outputs[k].dtype()))
      fail<DTypeError>(name, ": output ", k, " of shape ", outputs[k].shape(), " is ",
                       core::name(outputs[k].dtype()),
                       ", which has no derivative; leave it out of what the function gives");
}

Tensors settled(Tensors tensors, bool create_graph) {
  if (!create_graph)
    for (Tensor& tensor : tensors) tensor = tensor.detach();
  return tensors;
}

// Zero but for a 1 at element i.
Tensor one_at(Index i, const Tensor& y) {
  NDArray flat = NDArray::full({y.numel()}, 0, y.dtype());
  NDArray element = flat.narrow(0, i, 1);
  core::fill_(element, 1);
  return Tensor(flat.view(y.shape()));
}

Shape joined(Shape a, const Shape& b) {
  for (const Index size : b) a.push_back(size);
  return a;
}

// The Jacobian of y by each x: a row of it for each element of y.
Tensors jacobians(const Tensor& y, const Tensors& x, bool create_graph) {
  std::vector<Tensors> rows(x.size());
  for (Index i = 0; i < y.numel(); ++i) {
    const Tensors g = gradients({y}, x, {one_at(i, y)}, create_graph);
    for (std::size_t k = 0; k < x.size(); ++k) rows[k].push_back(g[k]);
  }
  Tensors result;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Shape shape = joined(y.shape(), x[k].shape());
    result.push_back(rows[k].empty() ? zeros(shape, x[k].dtype()) : stack(rows[k]).view(shape));
  }
  return result;
}

// The Jacobian of every output, in the name of `name`.
std::vector<Tensors> jacobians_of(const char* name, const Function& f, const Tensors& inputs,
                                  bool create_graph) {
  const EnableGradGuard recorded;
  const Tensors x = fresh(name, inputs, create_graph), outputs = f(x);
  std::vector<Tensors> result;
  for (const Tensor& y : outputs)
    result.push_back(settled(jacobians(y, x, create_graph), create_graph));
  return result;
}

// The one element of a scalar function.
Tensor element(const char* name, const Function& f, const Tensors& x) {
  const Tensor y = detail::only(name, f(x));
  if (y.numel() != 1)
    fail<ShapeError>(name, ": the function must give one element, got shape ", y.shape(),
                     "; take its sum() or another norm");
  return y;
}

}  // namespace

Tensor detail::only(const char* name, const Tensors& outputs) {
  if (outputs.size() != 1)
    fail(name, ": the function must give one tensor, got ", outputs.size(),
         "; for several, take and give a std::vector<Tensor>");
  return outputs[0];
}

std::pair<Tensors, Tensors> detail::vjp(const Function& f, const Tensors& inputs, const Tensors& v,
                                        bool create_graph) {
  const EnableGradGuard recorded;
  const Tensors x = fresh("vjp", inputs, create_graph);
  const Tensors y = f(x);
  Tensors g = gradients(y, x, directions("vjp", "output", v, y), create_graph);
  return {settled(y, create_graph), settled(std::move(g), create_graph)};
}

// u -> u^T J is linear in u; its own vjp with v is J v, whatever u is.
std::pair<Tensors, Tensors> detail::jvp(const Function& f, const Tensors& inputs, const Tensors& v,
                                        bool create_graph) {
  const EnableGradGuard recorded;
  const Tensors x = fresh("jvp", inputs, create_graph);
  const Tensors along = directions("jvp", "input", v, x);
  const Tensors y = f(x);
  Tensors u;
  check_outputs("jvp", y);
  for (const Tensor& output : y) u.push_back(zeros_like(output).requires_grad_());
  const Tensors g = gradients(y, x, u, true);
  Tensors result = gradients(g, u, along, create_graph);
  return {settled(y, create_graph), settled(std::move(result), create_graph)};
}

std::vector<Tensors> detail::jacobian(const Function& f, const Tensors& inputs, bool create_graph) {
  return jacobians_of("jacobian", f, inputs, create_graph);
}

// The Jacobian of the gradient.
std::vector<Tensors> detail::hessian(const Function& f, const Tensors& inputs, bool create_graph) {
  const Function gradient = [&f](const Tensors& x) {
    const Tensor y = element("hessian", f, x);
    return Outputs(gradients({y}, x, {ones_like(y)}, true));
  };
  return jacobians_of("hessian", gradient, inputs, create_graph);
}

// The Hessian is symmetric: v^T H is H v.
std::pair<Tensors, Tensors> detail::hvp(const Function& f, const Tensors& inputs, const Tensors& v,
                                        bool create_graph) {
  const EnableGradGuard recorded;
  const Tensors x = fresh("hvp", inputs, create_graph);
  const Tensors along = directions("hvp", "input", v, x);
  const Tensor y = element("hvp", f, x);
  const Tensors g = gradients({y}, x, {ones_like(y)}, true);
  Tensors result = gradients(g, x, along, create_graph);
  return {settled({y}, create_graph), settled(std::move(result), create_graph)};
}

}  // namespace tapehead::func
