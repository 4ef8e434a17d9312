#include "backward.h"

#include <algorithm>
#include <span>

#include "observer.h"
#include "run.h"

namespace tapehead {
namespace {

void refuse_gradient(const Tensor& root, const Tensor& gradient) {
  fail<ShapeError>("backward: the gradient of a tensor ", root.shape(), " ", name(root.dtype()),
                   " must have that shape and dtype, got ", gradient.shape(), " ",
                   name(gradient.dtype()));
}

// The gradient that a pass starts from.
Tensor seed(const Tensor& root, const Tensor& gradient) {
  if (!root.requires_grad())
    fail<GraphError>("backward: this tensor of shape ", root.shape(),
                     " depends on no tensor that requires a gradient; call requires_grad_() on an "
                     "input, outside any NoGradGuard");
  if (gradient.defined()) {
    if (gradient.shape() != root.shape() || gradient.dtype() != root.dtype())
      refuse_gradient(root, gradient);
    return gradient;
  }
  if (root.numel() != 1)
    fail<GraphError>("backward: expected a tensor of one element, got shape ", root.shape(),
                     "; pass a gradient of that shape, or take sum() or mean() first");
  return Tensor(NDArray::full(root.shape(), 1, root.dtype()));
}

void seed_all(Run& run, std::span<const Tensor> roots, std::span<const Tensor> gradients) {
  if (!gradients.empty() && gradients.size() != roots.size())
    fail<GraphError>("backward: got ", gradients.size(), " gradients for ", roots.size(),
                     " tensors; pass one for each, or none");
  for (std::size_t i = 0; i < roots.size(); ++i) {
    Tensor first = seed(roots[i], gradients.empty() ? Tensor() : gradients[i]);
    run.give(*roots[i].node(), std::move(first));
  }
}

struct Wanted {
  Node* node;
  std::size_t index;
};
bool by_node(const Wanted& a, const Wanted& b) { return std::less<>()(a.node, b.node); }

std::vector<Wanted> wanted_nodes(const std::vector<Tensor>& inputs) {
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].requires_grad())
      fail<GraphError>("grad: input ", i, " of shape ", inputs[i].shape(),
                       " requires no gradient; call requires_grad_() on it first");
    wanted.push_back({inputs[i].node(), i});
  }
  std::sort(wanted.begin(), wanted.end(), by_node);
  return wanted;
}

}  // namespace

static void run_backward(std::span<const Tensor> roots, std::span<const Tensor> gradients,
                         std::optional<bool> retain_graph, bool create_graph) {
  Run run(retain_graph.value_or(create_graph), create_graph, true);
  seed_all(run, roots, gradients);
  for (auto [node, g] = run.next(); node; std::tie(node, g) = run.next()) {
    if (node->is_leaf() && tape.observers) notify_found(*node, g);
    run.arrive(node, g);
    if (!node->is_leaf()) run.propagate(*node, g);
  }
  run.commit();
}

void autograd::backward(const std::vector<Tensor>& roots, const std::vector<Tensor>& gradients,
                        std::optional<bool> retain_graph, bool create_graph) {
  run_backward(roots, gradients, retain_graph, create_graph);
}

void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph,
                      bool create_graph) const {
  run_backward({this, 1}, {&gradient, 1}, retain_graph, create_graph);
}

// Nothing older than the oldest wanted node can depend on any of them.
std::vector<Tensor> autograd::grad(const std::vector<Tensor>& outputs,
                                   const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& grad_outputs,
                                   std::optional<bool> retain_graph, bool create_graph,
                                   bool allow_unused) {
  const std::vector<Wanted> wanted = wanted_nodes(inputs);
  std::vector<Tensor> result(inputs.size());
  if (wanted.empty()) return result;
  std::uint64_t oldest = wanted[0].node->number;
  for (const Wanted& w : wanted) oldest = std::min(oldest, w.node->number);

  Run run(retain_graph.value_or(create_graph), create_graph, false);
  seed_all(run, outputs, grad_outputs);
  for (auto [node, g] = run.next(); node; std::tie(node, g) = run.next()) {
    const auto [first, last] =
        std::equal_range(wanted.begin(), wanted.end(), Wanted{node.raw(), 0}, by_node);
    for (auto w = first; w != last; ++w) result[w->index] = g;
    if (first != last && tape.observers) notify_found(*node, g);
    if (node->number <= oldest) continue;
    run.arrive(node, g);
    run.propagate(*node, g);
  }
  for (std::size_t i = 0; i < result.size() && !allow_unused; ++i)
    if (!result[i].defined())
      fail<GraphError>("grad: input ", i, " of shape ", inputs[i].shape(),
                       " was not used to compute the outputs; pass allow_unused = true for an "
                       "undefined gradient");
  return result;
}

}  // namespace tapehead
