// What an op is written down with: what it saves, and its inputs, each with the rule that gives its
// gradient. See record.h.
#pragma once

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "mutation.h"
#include "node.h"

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
    if constexpr (mutation::planted) return mutation::Rule::saved(tensor_, this);
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

}  // namespace tapehead
