#include "record.h"

#include <algorithm>

namespace tapehead {

void Saved::report_change(const NDArray& now, std::uint32_t then, const Node* source) {
  fail<GraphError>(tape.running, ": it saved a tensor of shape ", now.shape(), " (",
                   source ? source->op : "constant", ") at version ", then, ", now ", now.version(),
                   " because ", now.writer(),
                   " changed it in place; clone() it first, or change it after backward()");
}

namespace detail {

bool needs_gradient(InputSpan inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const Tensor* input) {
    return input->defined() && input->requires_grad();
  });
}

void link(Node& node, InputSpan inputs, EdgeSpan edges) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    Node* input = inputs[k]->defined() ? inputs[k]->node() : nullptr;
    if (!input) continue;
    edges[k] = Ref<Node>::share(input);
    node.number = std::max(node.number, input->number + 1);
  }
}

void append_edges(std::span<const Ref<Node>> edges, std::vector<Node*>& out) {
  for (const Ref<Node>& edge : edges)
    if (edge) out.push_back(edge.raw());
}

void give(Run& run, EdgeSpan edges, std::span<Tensor> gradients) {
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (!edges[k]) continue;
    if constexpr (mutation::planted)
      gradients[k] = mutation::Rule::gradient(std::move(gradients[k]), k);
    run.give(*edges[k], std::move(gradients[k]));
  }
}

Tensor output_of(Node& node, const NDArray& output, std::uint32_t version) {
  if (output.version() != version) [[unlikely]]
    Saved::report_change(output, version, &node);
  return Tensor(output, taping() ? Ref<Node>::share(&node) : Ref<Node>());
}

void check_target(const char* op, const Tensor& self) {
  if (!self.defined())
    fail(op, ": the tensor to change is undefined (made by Tensor(), or a gradient that is not ",
         "there); ask defined() first");
}

void replace_history(Tensor& self, Ref<Node> node) {
  if (Node* before = self.node(); before && before->collects) {
    node->collects = std::exchange(before->collects, false);
    node->grad = std::exchange(before->grad, {});
  }
  self.impl()->node = std::move(node);
}

// What gives the result of an in-place op without changing anything.
static std::string alternative(const std::string& op) {
  if (op == "copy_") return "the source in its place";
  const std::string name = op == "fill_"      ? "full_like"
                           : op == "zero_"    ? "zeros_like"
                           : op == "uniform_" ? "rand_like"
                           : op == "normal_"  ? "randn_like"
                           : op == "random_"  ? "randint"
                                              : op.substr(0, op.size() - 1);
  return name + ", which makes a new tensor";
}

void check_in_place(const char* op, const Tensor& self) {
  if (self.requires_grad() && self.is_leaf())
    fail<GraphError>(op,
                     ": a leaf that requires a gradient cannot be changed in place while ops "
                     "are recorded; use a NoGradGuard, or ",
                     alternative(op));
  if (self.array().storage()->tensors > 1)
    fail<GraphError>(op, ": another tensor shares the memory of this one, ", self.shape(),
                     ", and would miss the gradient; use ", alternative(op), ", or clone() first");
}

struct Announced {
  std::vector<const Tensor*> inputs;
  OpCall call;
};

void Forget::operator()(Announced* announced) const noexcept { delete announced; }

Announcement announce(const char* op, std::initializer_list<InputSpan> inputs,
                      std::initializer_list<core::TextPart> arguments) {
  Announcement announced(new Announced);
  for (const InputSpan part : inputs)
    for (const Tensor* input : part)
      if (input->defined()) announced->inputs.push_back(input);
  announced->call = {op, tape.running, announced->inputs, core::joined(arguments)};
  notify_before(announced->call);
  return announced;
}

void report(const Announced& announced, const Tensor& result) {
  notify_after(announced.call, result);
}

Tensor make_tensor(NDArray&& array, Ref<Node>&& node) {
  return Tensor(std::move(array), std::move(node));
}

}  // namespace detail
}  // namespace tapehead
