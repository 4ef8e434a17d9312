// The hooks of a module, and how a call runs them. See Module::register_forward_hook.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../autograd/hooks.h"
#include "../autograd/tensor.h"

namespace tapehead::nn {

class Module;
using Tensors = std::vector<Tensor>;

/// What forward() is about to be called with; an answer takes its place.
using ForwardPreHook = std::function<Tensors(Module&, const Tensors& inputs)>;
/// What forward() was called with and has returned; an answer takes the place of the latter.
using ForwardHook = std::function<Tensors(Module&, const Tensors& inputs, const Tensors& outputs)>;
/// The gradients of both; an answer takes the place of grad_input.
using FullBackwardHook =
    std::function<Tensors(Module&, const Tensors& grad_input, const Tensors& grad_output)>;

namespace detail {

struct ModuleHooks {
  tapehead::detail::HookList<ForwardPreHook> forward_pre;
  tapehead::detail::HookList<ForwardHook> forward;
  tapehead::detail::HookList<FullBackwardHook> full_backward;
};

class BackwardHookCall;

/// One call of a module that has hooks, or that observers are told of.
class WatchedCall {
 public:
  explicit WatchedCall(Module& module);
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;

  /// Runs the hooks before forward(); it shall be called with what `inputs` are then.
  void before(Tensors& inputs);
  /// Runs those after it; whether the call shall return what `outputs` are then.
  bool after(Tensors& outputs);
  /// Error: the tensors of a reference cannot be replaced.
  [[noreturn]] void refuse_reference() const;

 private:
  Module& module_;
  Tensors inputs_;
  std::shared_ptr<BackwardHookCall> backward_;
};

// The arguments that are tensors, and how forward() gets those that stand in their place.

template <class Argument>
inline constexpr bool is_tensor = std::same_as<std::remove_cvref_t<Argument>, Tensor>;

template <class Argument>
void append(const Argument& argument, Tensors& out) {
  if constexpr (is_tensor<Argument>) out.push_back(argument);
}

/// How many of the first `count` Arguments are tensors.
template <class... Arguments>
constexpr std::size_t tensors_among(std::size_t count) {
  constexpr std::array<bool, sizeof...(Arguments)> tensors{is_tensor<Arguments>...};
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) found += tensors[i] ? 1 : 0;
  return found;
}

template <class Argument>
decltype(auto) in_place_of(std::remove_reference_t<Argument>& argument, Tensors& inputs,
                           std::size_t k) {
  if constexpr (!is_tensor<Argument>)
    return static_cast<Argument&&>(argument);
  else if constexpr (std::is_lvalue_reference_v<Argument>)
    return static_cast<Tensor&>(inputs[k]);
  else
    return static_cast<Tensor&&>(inputs[k]);
}

/// Calls f with each tensor of a result: a tensor, or a vector, array, pair or tuple of such.
template <class Result, class F>
void each_tensor(Result& result, const F& f) {
  if constexpr (is_tensor<Result>) {
    f(result);
  } else if constexpr (requires { std::tuple_size<std::remove_cv_t<Result>>::value; }) {
    std::apply([&](auto&... part) { (each_tensor(part, f), ...); }, result);
  } else if constexpr (requires { result.begin(), result.end(); }) {
    for (auto&& part : result) each_tensor(part, f);
  }
}

/// A module's hook of any return type: nothing, a tensor, or tensors. Error, in the name of `op`,
/// for an empty one.
template <class... Arguments, class F>
std::function<Tensors(Module&, Arguments...)> module_hook(const char* op, F f) {
  tapehead::detail::check_hook(op, f);
  using Answer = std::invoke_result_t<F&, Module&, Arguments...>;
  if constexpr (is_tensor<Answer>)
    return [f = std::move(f)](Module& module, Arguments... arguments) mutable {
      Tensor answer = f(module, arguments...);
      return answer.defined() ? Tensors{std::move(answer)} : Tensors();
    };
  else
    return tapehead::detail::answering<Tensors, Module&, Arguments...>(std::move(f));
}

}  // namespace detail
}  // namespace tapehead::nn
