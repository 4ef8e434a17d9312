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
// derivative are named in `with(mask)`, other arguments in `args(d0, d1)`, both for observers, and
// those that would only be noise to them in `unprinted(keepdim)`. What an op saves beside tensors
// of its caller, `saved(out.mean)`, is an array. An op that is made of others is not recorded: it
// says so by `composed`.
#pragma once

#include <memory>

#include "observer.h"
#include "op_node.h"

namespace tapehead {

namespace detail {

template <class Part>
bool wants_node(const Part& part) {
  if constexpr (requires { part.rule; })
    return needs_gradient(part.inputs);
  else
    return false;
}

template <class... Parts>
Ref<Node> make_node(const char* op, const NDArray& value, Parts&... parts) {
  return Ref<Node>(new OpNode<std::index_sequence_for<Parts...>, Parts...>(op, value, parts...));
}

template <class Part>
InputSpan inputs_of(const Part& part) {
  return part.inputs;
}
template <class... Values>
InputSpan inputs_of(const Arguments<Values...>&) {
  return {};
}
template <class Part>
core::TextPart arguments_of(const Part&) {
  return core::text_part("");
}
template <class... Values>
InputSpan inputs_of(const Unprinted<Values...>&) {
  return {};
}
template <class... Values>
core::TextPart arguments_of(const Arguments<Values...>& part) {
  return core::text_part(part);
}

/// An op that observers have been told of.
struct Announced;
struct Forget {
  void operator()(Announced* announced) const noexcept;
};
using Announcement = std::unique_ptr<Announced, Forget>;

/// Tells observers that an op begins, and that it is done.
Announcement announce(const char* op, std::initializer_list<InputSpan> inputs,
                      std::initializer_list<core::TextPart> arguments);
void report(const Announced& announced, const Tensor& result);

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

/// The result of an op.
Tensor make_tensor(NDArray&& array, Ref<Node>&& node);
/// Error for an undefined `self`.
void check_target(const char* op, const Tensor& self);
/// GraphError if a recorded in-place op on `self` would lose a gradient.
void check_in_place(const char* op, const Tensor& self);
/// Gives `self` its new history, which from now on collects the gradient if the old one did.
void replace_history(Tensor& self, Ref<Node> node);

}  // namespace detail

/// The one door to the tape: the result of an op, with a node if any input requires a gradient.
template <class Value, class... Parts>
Tensor record(const char* op, Value value, Parts... parts) {
  detail::Announcement announced;
  if (tape.observers) [[unlikely]]
    announced =
        detail::announce(op, {detail::inputs_of(parts)...}, {detail::arguments_of(parts)...});
  NDArray array = detail::evaluate(op, value, parts...);
  Ref<Node> node;
  if (tape.recording && (detail::wants_node(parts) || ...))
    node = detail::make_node(op, array, parts...);
  Tensor result = detail::make_tensor(std::move(array), std::move(node));
  if (announced) [[unlikely]]
    detail::report(*announced, result);
  return result;
}

/// The same for an op that changes `self`: `change` is handed its array. Rules see the inputs as
/// they were before; one about `self` itself is a `wrt(self, …)`.
template <class Change, class... Parts>
Tensor& record_in_place(const char* op, Tensor& self, Change change, Parts... parts) {
  detail::check_target(op, self);
  const bool recorded = tape.recording && (detail::wants_node(parts) || ...);
  if (recorded) detail::check_in_place(op, self);
  detail::Announcement announced;
  if (tape.observers) [[unlikely]]
    announced =
        detail::announce(op, {detail::inputs_of(parts)...}, {detail::arguments_of(parts)...});
  Ref<Node> node = recorded ? detail::make_node(op, self.array(), parts...) : Ref<Node>();
  const auto changed = [&] {
    change(self.impl()->array);
    return &self.impl()->array;
  };
  detail::evaluate(op, changed, parts...);
  if (recorded) detail::replace_history(self, std::move(node));
  if (announced) [[unlikely]]
    detail::report(*announced, self);
  return self;
}

/// What an op gives that is made of others, whose derivatives are its derivative: `value()`.
template <class Value, class... Parts>
auto composed(const char* op, Value value, Parts... parts) {
  return detail::evaluate(op, value, parts...);
}

}  // namespace tapehead
