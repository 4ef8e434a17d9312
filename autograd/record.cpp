#include "record.h"

#include <algorithm>

namespace tapehead::detail {

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

}  // namespace tapehead::detail
