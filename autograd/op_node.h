// The node of an op. See record.h.
//
// Every op makes a type of node of its own, so what all have in common is said once, outside of the
// templates: it is compiled once, not for each op.
#pragma once

#include <optional>

#include "op_parts.h"
#include "run.h"

namespace tapehead {
namespace detail {

using EdgeSpan = std::span<Ref<Node>>;

/// Links `node`, by its `edges`, to the nodes of `inputs`.
void link(Node& node, InputSpan inputs, EdgeSpan edges);
void append_edges(std::span<const Ref<Node>> edges, std::vector<Node*>& out);
/// Hands the k-th gradient on to the k-th node.
void give(Run& run, EdgeSpan edges, std::span<Tensor> gradients);
/// The output of `node` as a tensor; GraphError if it was changed since.
Tensor output_of(Node& node, const NDArray& output, std::uint32_t version);

/// What a node keeps of the K-th part of its op: of most, nothing.
template <std::size_t K, class Part>
struct Slot {
  static constexpr bool has_rule = false, wants_output = false;
};

/// Of a group, its rule and the nodes of its inputs. A rule that nobody needs is not kept.
template <class RuleType, class EdgeList>
struct RuleSlot {
  using Rule = RuleType;
  static constexpr bool has_rule = true;
  static constexpr bool wants_output = !std::is_invocable_v<Rule&, const Tensor&>;

  void propagate(const Tensor& gradient, const Tensor& output, Run& run) {
    if (!rule) return;
    auto gradients = [&] {
      if constexpr (!wants_output)
        return (*rule)(gradient);
      else if constexpr (mutation::planted)
        return (*rule)(gradient, mutation::Rule::output(output));
      else
        return (*rule)(gradient, output);
    }();
    if constexpr (std::is_same_v<decltype(gradients), Tensor>)
      give(run, edges, {&gradients, 1});
    else
      give(run, edges, gradients);
  }
  void free() noexcept {
    rule.reset();
    edges = {};
  }

  std::optional<Rule> rule;
  EdgeList edges;
};

template <class Rule>
Rule&& made(Rule& rule) {
  return std::move(rule);
}
template <class MakeRule>
auto made(Later<MakeRule>& later) {
  return later.make();
}
template <class Rule>
using Made = std::remove_reference_t<decltype(made(std::declval<Rule&>()))>;

template <std::size_t K, std::size_t N, class Rule>
struct Slot<K, Group<std::array<const Tensor*, N>, Rule>>
    : RuleSlot<Made<Rule>, std::array<Ref<Node>, N>> {
  void take(Group<std::array<const Tensor*, N>, Rule>& group, Node& node) {
    if (!needs_gradient(group.inputs)) return;
    this->rule.emplace(made(group.rule));
    link(node, group.inputs, this->edges);
  }
};
template <std::size_t K, class Rule>
struct Slot<K, Group<std::vector<const Tensor*>, Rule>>
    : RuleSlot<Made<Rule>, std::vector<Ref<Node>, core::PoolAllocator<Ref<Node>>>> {
  void take(Group<std::vector<const Tensor*>, Rule>& group, Node& node) {
    if (!needs_gradient(group.inputs)) return;
    this->rule.emplace(made(group.rule));
    this->edges.resize(group.inputs.size());
    link(node, group.inputs, this->edges);
  }
};

}  // namespace detail

/// A node with its rules inside: one block, no indirection.
template <class Indices, class... Parts>
class OpNode;
template <std::size_t... K, class... Parts>
class OpNode<std::index_sequence<K...>, Parts...> final : public Node,
                                                          private detail::Slot<K, Parts>... {
 public:
  OpNode(const char* op_name, const NDArray& output, Parts&... parts) : Node(op_name, output) {
    if constexpr (wants_output) output_ = output, version_ = output.version();
    (take(static_cast<detail::Slot<K, Parts>&>(*this), parts), ...);
    number = std::max(number, tape.next_number);
    tape.next_number = number + 1;
  }

  void propagate(const Tensor& gradient, Run& run) override {
    Tensor output;
    if constexpr (wants_output) output = detail::output_of(*this, output_, version_);
    std::size_t group = 0;
    (propagate(static_cast<detail::Slot<K, Parts>&>(*this), group, gradient, output, run), ...);
  }

  void list_inputs(std::vector<Node*>& out) const override {
    (list_inputs(static_cast<const detail::Slot<K, Parts>&>(*this), out), ...);
  }

  void free() noexcept override {
    freed = true;
    (free(static_cast<detail::Slot<K, Parts>&>(*this)), ...);
    output_ = {};
  }

 private:
  static constexpr bool wants_output = (detail::Slot<K, Parts>::wants_output || ...);

  template <class Slot, class Part>
  void take(Slot& slot, Part& part) {
    if constexpr (Slot::has_rule) slot.take(part, *this);
  }
  template <class Slot>
  void propagate(Slot& slot, std::size_t& group, const Tensor& gradient, const Tensor& output,
                 Run& run) {
    if constexpr (Slot::has_rule) {
      const mutation::RuleScope scope(op, group++, &slot.rule, sizeof(slot.rule));
      slot.propagate(gradient, output, run);
    }
  }
  template <class Slot>
  static void list_inputs(const Slot& slot, std::vector<Node*>& out) {
    if constexpr (Slot::has_rule) detail::append_edges(slot.edges, out);
  }
  template <class Slot>
  static void free(Slot& slot) noexcept {
    if constexpr (Slot::has_rule) slot.free();
  }

  struct None {};
  [[no_unique_address]] std::conditional_t<wants_output, NDArray, None> output_;
  std::uint32_t version_ = 0;
};

}  // namespace tapehead
