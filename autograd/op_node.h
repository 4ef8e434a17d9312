// The node of an op. See record.h.
#pragma once

#include <algorithm>
#include <optional>

#include "op_parts.h"
#include "run.h"

namespace tapehead {

/// A node with its rules inside: one block, no indirection. Rules nobody needs are not kept.
template <class... Groups>
class OpNode final : public Node {
 public:
  OpNode(const char* op_name, const NDArray& output, Groups&... groups) : Node(op_name, output) {
    if constexpr (wants_output) output_ = output, version_ = output.version();
    std::apply([&](auto&... slot) { (take(slot, groups), ...); }, slots_);
    number = std::max(number, tape.next_number);
    tape.next_number = number + 1;
  }

  void propagate(const Tensor& gradient, Run& run) override {
    Tensor output;
    if constexpr (wants_output) {
      if (output_.version() != version_) [[unlikely]]
        Saved::report_change(output_, version_, this);
      output = Tensor(output_, taping() ? Ref<Node>::share(this) : Ref<Node>());
    }
    std::size_t group = 0;
    const auto run_rule = [&](auto& slot) {
      const mutation::RuleScope scope(op, group++, &slot.rule, sizeof(slot.rule));
      apply(slot, gradient, output, run);
    };
    std::apply([&](auto&... slot) { (run_rule(slot), ...); }, slots_);
  }

  void list_inputs(std::vector<Node*>& out) const override {
    std::apply([&](const auto&... slot) { (list_edges(slot, out), ...); }, slots_);
  }

  void free() noexcept override {
    freed = true;
    std::apply([](auto&... slot) { ((slot.rule.reset(), slot.edges = {}), ...); }, slots_);
    output_ = {};
  }

 private:
  template <class Group>
  struct Slot {
    typename Group::Edges edges;
    std::optional<typename Group::Rule> rule;
  };
  static constexpr bool wants_output = (Groups::wants_output || ...);

  template <class Group>
  void take(Slot<Group>& slot, Group& group) {
    if (!group.needed()) return;
    slot.rule.emplace(std::move(group.rule));
    if constexpr (requires { slot.edges.resize(1); }) slot.edges.resize(group.inputs.size());
    for (std::size_t k = 0; k < group.inputs.size(); ++k) {
      Node* input = group.inputs[k]->defined() ? group.inputs[k]->node() : nullptr;
      if (!input) continue;
      slot.edges[k] = Ref<Node>::share(input);
      number = std::max(number, input->number + 1);
    }
  }

  template <class Group>
  static void list_edges(const Slot<Group>& slot, std::vector<Node*>& out) {
    for (const Ref<Node>& edge : slot.edges)
      if (edge) out.push_back(edge.raw());
  }

  template <class Group>
  static void apply(Slot<Group>& slot, const Tensor& gradient, const Tensor& output, Run& run) {
    if (!slot.rule) return;
    auto gradients = [&] {
      if constexpr (!Group::wants_output)
        return (*slot.rule)(gradient);
      else if constexpr (mutation::planted)
        return (*slot.rule)(gradient, mutation::Rule::output(output));
      else
        return (*slot.rule)(gradient, output);
    }();
    if constexpr (std::is_same_v<decltype(gradients), Tensor>) {
      give(run, *slot.edges[0], std::move(gradients), 0);
    } else {
      for (std::size_t k = 0; k < slot.edges.size(); ++k)
        if (slot.edges[k]) give(run, *slot.edges[k], std::move(gradients[k]), k);
    }
  }

  static void give(Run& run, Node& input, Tensor gradient, [[maybe_unused]] std::size_t k) {
    if constexpr (mutation::planted) gradient = mutation::Rule::gradient(std::move(gradient), k);
    run.give(input, std::move(gradient));
  }

  std::tuple<Slot<Groups>...> slots_;
  struct None {};
  [[no_unique_address]] std::conditional_t<wants_output, NDArray, None> output_;
  std::uint32_t version_ = 0;
};

}  // namespace tapehead
