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

#include "observer.h"
#include "op_node.h"

namespace tapehead {

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

template <class... Parts>
OpCall describe(const char* op, std::vector<const Tensor*>& inputs, const Parts&... parts) {
  core::TextStream arguments;
  (list_inputs(parts, inputs), ...);
  (list_arguments(parts, arguments), ...);
  return {op, tape.running, inputs, arguments.str()};
}

/// The value of an op; a wrong one where a fault is planted.
template <class Compute, class... Parts>
auto evaluate([[maybe_unused]] const char* op, Compute& compute,
              [[maybe_unused]] const Parts&... parts) {
  if constexpr (!mutation::planted) {
    return compute();
  } else {
    mutation::Value value(op);
    const auto plant = [&](const auto& part) {
      if constexpr (requires { part.values; })
        std::apply([&](const auto&... x) { (value.argument(x), ...); }, part.values);
      else if constexpr (!requires { part.rule; })
        for (const Tensor* input : part.inputs) value.input(*input);
    };
    (plant(parts), ...);
    return value.result(compute());
  }
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
    NDArray array = detail::evaluate(op, value, parts...);
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
  const auto changed = [&] {
    change(self.impl()->array);
    return &self.impl()->array;
  };
  detail::evaluate(op, changed, parts...);
  if (recorded) detail::succeed(self, std::move(node));
  if (tape.observers) [[unlikely]]
    notify_after(call, self);
  return self;
}

}  // namespace tapehead
