// What an op is written down with: what it saves, and its inputs, each with the rule that gives its
// gradient. See record.h.
#pragma once

#include <array>
#include <optional>
#include <span>
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

/// What computing the value left behind. Nobody else has it, so nobody can have changed it.
class SavedArray {
 public:
  explicit SavedArray(NDArray array) : array_(std::move(array)) {}
  const NDArray& operator()() const {
    if constexpr (mutation::planted) return mutation::Rule::saved(array_, this);
    return array_;
  }

 private:
  NDArray array_;
};
inline SavedArray saved(const NDArray& array) { return SavedArray(array); }

namespace detail {

// What is said of an op's inputs, once for all ops.
using InputSpan = std::span<const Tensor* const>;
bool needs_gradient(InputSpan inputs);
template <std::size_t N>
bool needs_gradient(const std::array<const Tensor*, N>& inputs) {
  if constexpr (N == 1)
    return inputs[0]->defined() && inputs[0]->requires_grad();
  else
    return needs_gradient(InputSpan(inputs));
}

/// Inputs and the rule that gives their gradients.
template <class InputList, class RuleType>
struct Group {
  InputList inputs;
  RuleType rule;
};

template <std::size_t N>
struct With {
  std::array<const Tensor*, N> inputs;
};
template <class... Values>
struct Arguments {
  std::tuple<const Values&...> values;
};
template <class... Values>
struct Unprinted {
  std::tuple<const Values&...> values;
};
template <class T>
core::TextPart argument_text(const T& value) {
  return core::text_part(value);
}
template <class T>
core::TextPart argument_text(const std::optional<T>& value) {
  return value ? core::text_part(*value) : core::text_part("None");
}
template <class... Values>
std::ostream& operator<<(std::ostream& out, const Arguments<Values...>& part) {
  return out << std::apply(
             [](const auto&... value) { return core::joined({argument_text(value)...}, ", "); },
             part.values);
}

/// Makes a rule once the value is there.
template <class MakeRule>
struct Later {
  MakeRule make;
};

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
/// Arguments of which observers are not told.
template <class... Values>
detail::Unprinted<Values...> unprinted(const Values&... values) {
  return {{values...}};
}

}  // namespace tapehead
