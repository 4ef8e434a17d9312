// How an op is written down: its value, then its derivative with respect to each input.
//
//   // c = a b  gives  da = b g  and  db = a g.
//   record("mul", [&] { return core::mul(a.array(), b.array()); },
//          wrt(a, [b = saved(b)](const Tensor& g) { return g * b(); }),
//          wrt(b, [a = saved(a)](const Tensor& g) { return g * a(); }));
//
// A rule maps the gradient of the op's output to the gradient of one input. Its capture list is
// the list of what the op saves. It is written in differentiable ops, so it can be differentiated;
// while nobody wants that, `taping()` is false in a rule and it may take a fused path. A rule with
// a second parameter gets the op's output there: the node keeps the value, not the tensor, so
// there is no cycle. Where one pass gives several gradients, `wrt(each(a, b, c), rule)` returns an
// array of them; for a vector of tensors, `wrt(tensors, rule)` returns a vector. Inputs without a
// derivative are named in `with(mask)`, other arguments in `args(d0, d1)`, both for observers.
#pragma once

#include <array>
#include <optional>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <vector>

#include "node.h"
#include "observer.h"
#include "run.h"

namespace tapehead {

/// An input as the op saw it. Calling it gives the tensor, history included, or throws GraphError
/// if it was changed in place since. An undefined tensor stays one.
class Saved {
 public:
  explicit Saved(const Tensor& tensor)
      : tensor_(tensor), version_(tensor.defined() ? tensor.array().version() : 0) {}
  const Tensor& operator()() const {
    if (tensor_.defined() && tensor_.array().version() != version_) [[unlikely]]
      report_change(tensor_.array(), version_, tensor_.node());
    return tensor_;
  }
  [[noreturn]] static void report_change(const NDArray& now, std::uint32_t then,
                                         const Node* source);

 private:
  Tensor tensor_;
  std::uint32_t version_;
};
inline Saved saved(const Tensor& tensor) { return Saved(tensor); }

namespace detail {

template <class Inputs>
struct EdgesOf;
template <std::size_t N>
struct EdgesOf<std::array<const Tensor*, N>> {
  using type = std::array<Ref<Node>, N>;
};
template <>
struct EdgesOf<std::vector<const Tensor*>> {
  using type = std::vector<Ref<Node>, core::PoolAllocator<Ref<Node>>>;
};

/// Inputs and the rule that gives their gradients.
template <class InputList, class RuleType>
struct Group {
  using Inputs = InputList;
  using Rule = RuleType;
  using Edges = typename EdgesOf<Inputs>::type;
  static constexpr bool wants_output = !std::is_invocable_v<Rule&, const Tensor&>;

  bool needed() const {
    for (const Tensor* input : inputs)
      if (input->defined() && input->requires_grad()) return true;
    return false;
  }
  Inputs inputs;
  Rule rule;
};

template <std::size_t N>
struct With {
  std::array<const Tensor*, N> inputs;
};
template <class... Values>
struct Arguments {
  std::tuple<const Values&...> values;
};

/// Makes a rule once the value is there.
template <class MakeRule>
struct Later {
  MakeRule make;
};

// The groups among an op's parts, each with its rule.
template <class Part>
std::tuple<> as_group(Part&) {
  return {};
}
template <class Inputs, class Rule>
std::tuple<Group<Inputs, Rule>&> as_group(Group<Inputs, Rule>& group) {
  return group;
}
template <class Inputs, class MakeRule>
auto as_group(Group<Inputs, Later<MakeRule>>& group) {
  using Rule = decltype(group.rule.make());
  return std::tuple<Group<Inputs, Rule>>({group.inputs, group.rule.make()});
}

// What observers are told of a part.
template <class Part>
void list_inputs(const Part& part, std::vector<const Tensor*>& out) {
  if constexpr (requires { part.inputs; })
    for (const Tensor* input : part.inputs)
      if (input->defined()) out.push_back(input);
}
template <class Part>
void list_arguments(const Part& part, std::ostream& out) {
  if constexpr (requires { part.values; })
    std::apply(
        [&](const auto&... value) {
          const char* separator = "";
          ((out << separator << value, separator = ", "), ...);
        },
        part.values);
}

}  // namespace detail

template <class... Tensors>
std::array<const Tensor*, sizeof...(Tensors)> each(const Tensors&... tensors) {
  return {&tensors...};
}
template <class Rule>
detail::Group<std::array<const Tensor*, 1>, Rule> wrt(const Tensor& input, Rule rule) {
  return {{&input}, std::move(rule)};
}
template <std::size_t N, class Rule>
detail::Group<std::array<const Tensor*, N>, Rule> wrt(std::array<const Tensor*, N> inputs,
                                                      Rule rule) {
  return {inputs, std::move(rule)};
}
template <class Rule>
detail::Group<std::vector<const Tensor*>, Rule> wrt(const std::vector<Tensor>& inputs, Rule rule) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  return {std::move(pointers), std::move(rule)};
}
/// A rule that needs what computing the value left behind, made right after it:
/// `wrt(x, later([&] { return [mean = out.mean](const Tensor& g) { … }; }))`.
template <class MakeRule>
detail::Later<MakeRule> later(MakeRule make) {
  return {std::move(make)};
}
template <class... Tensors>
detail::With<sizeof...(Tensors)> with(const Tensors&... tensors) {
  return {{&tensors...}};
}
template <class... Values>
detail::Arguments<Values...> args(const Values&... values) {
  return {{values...}};
}

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
    std::apply([&](auto&... slot) { (apply(slot, gradient, output, run), ...); }, slots_);
  }

  void free() noexcept override {
    freed = true;
    std::apply([](auto&... slot) { ((slot.rule.reset(), slot.edges = {}), ...); }, slots_);
    output_ = {};
  }

 private:
  template <class Group>
  struct Slot {
    using GroupType = Group;
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
  static void apply(Slot<Group>& slot, const Tensor& gradient, const Tensor& output, Run& run) {
    if (!slot.rule) return;
    auto gradients = [&] {
      if constexpr (Group::wants_output)
        return (*slot.rule)(gradient, output);
      else
        return (*slot.rule)(gradient);
    }();
    if constexpr (std::is_same_v<decltype(gradients), Tensor>) {
      run.give(*slot.edges[0], std::move(gradients));
    } else {
      for (std::size_t k = 0; k < slot.edges.size(); ++k)
        if (slot.edges[k]) run.give(*slot.edges[k], std::move(gradients[k]));
    }
  }

  std::tuple<Slot<Groups>...> slots_;
  struct None {};
  [[no_unique_address]] std::conditional_t<wants_output, NDArray, None> output_;
  std::uint32_t version_ = 0;
};

namespace detail {

template <class... Groups>
Ref<Node> make_node(const char* op, const NDArray& value, std::tuple<Groups...> groups) {
  if constexpr (sizeof...(Groups) == 0) {
    return {};
  } else {
    return std::apply(
        [&](auto&... group) -> Ref<Node> {
          if (!tape.recording || !(group.needed() || ...)) return {};
          return Ref<Node>(new OpNode<std::remove_reference_t<Groups>...>(op, value, group...));
        },
        groups);
  }
}

template <class... Parts>
OpCall describe(const char* op, std::vector<const Tensor*>& inputs, const Parts&... parts) {
  std::ostringstream arguments;
  (list_inputs(parts, inputs), ...);
  (list_arguments(parts, arguments), ...);
  return {op, tape.running, inputs, arguments.str()};
}

/// Error for an undefined `self`.
void check_target(const char* op, const Tensor& self);
/// GraphError if a recorded in-place op on `self` would lose a gradient.
void check_in_place(const char* op, const Tensor& self);
/// Gives `self` its new history, which from now on collects the gradient if the old one did.
void succeed(Tensor& self, Ref<Node> node);

}  // namespace detail

/// The one door to the tape: the result of an op, with a node if any input requires a gradient.
template <class Value, class... Parts>
Tensor record(const char* op, Value value, Parts... parts) {
  const auto run = [&] {
    NDArray array = value();
    Ref<Node> node = detail::make_node(op, array, std::tuple_cat(detail::as_group(parts)...));
    return Tensor(std::move(array), std::move(node));
  };
  if (!tape.observers) [[likely]]
    return run();
  std::vector<const Tensor*> inputs;
  const OpCall call = detail::describe(op, inputs, parts...);
  notify_before(call);
  Tensor result = run();
  notify_after(call, result);
  return result;
}

/// The same for an op that changes `self`: `change` is handed its array. Rules see the inputs as
/// they were before; one about `self` itself is a `wrt(self, …)`.
template <class Change, class... Parts>
Tensor& record_in_place(const char* op, Tensor& self, Change change, Parts... parts) {
  detail::check_target(op, self);
  auto groups = std::tuple_cat(detail::as_group(parts)...);
  const bool recorded =
      tape.recording && std::apply([](auto&... g) { return (g.needed() || ...); }, groups);
  if (recorded) detail::check_in_place(op, self);
  std::vector<const Tensor*> inputs;
  OpCall call{op, tape.running, {}, {}};
  if (tape.observers) [[unlikely]]
    notify_before(call = detail::describe(op, inputs, parts...));
  Ref<Node> node = recorded ? detail::make_node(op, self.array(), groups) : Ref<Node>();
  change(self.impl()->array);
  if (recorded) detail::succeed(self, std::move(node));
  if (tape.observers) [[unlikely]]
    notify_after(call, self);
  return self;
}

}  // namespace tapehead
