// Module: a function with parameters, and a tree of them.
//
//   struct Block : Layer<Block> {
//     explicit Block(Index d) : norm(d), linear(d, d) { add("norm", norm), add("linear", linear); }
//     Tensor forward(const Tensor& x) { return x + linear(norm(x)); }
//     LayerNorm norm;
//     Linear linear;
//   };
//
// Modules are ordinary members, so they can be neither copied nor moved; copy_from() copies what
// they have learnt. Each registers its parts in its constructor; a forgotten member is an error at
// the first call. What a member points to, such as what a unique_ptr or vector holds, lies
// elsewhere and is not looked for: forgotten, it is simply not learnt. ModuleList and Sequential
// hold any number of modules and register them. What is said of "all" parameters, buffers or
// modules reaches the whole tree.
#pragma once

#include <atomic>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../autograd/tape.h"
#include "module_hooks.h"
#include "parameter.h"
#include "unregistered.h"

namespace tapehead::nn {

/// All that a module has learnt, by name, in the order of registration.
using StateDict = NamedTensors;

/// Names that load_state_dict(…, strict = false) passed over.
struct Skipped {
  std::vector<std::string> missing, unexpected;
};

namespace detail {
/// "encoder.0" and "attn" are "encoder.0.attn".
std::string joined(const std::string& path, const std::string& name);
}  // namespace detail

/// Derive from Layer<Self>, not from this.
class Module {
 public:
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module();

  /// All parameters: those of this module, then of each child. One that is tied is listed once,
  /// under its first name.
  NamedTensors named_parameters() const;
  std::vector<Tensor> parameters() const;
  /// How many numbers those are.
  Index num_parameters() const;
  /// All buffers, persistent or not, in the same manner.
  NamedTensors named_buffers() const;
  /// This module, named "", and all below it.
  std::vector<std::pair<std::string, Module*>> named_modules();
  std::vector<std::pair<std::string, const Module*>> named_modules() const;

  /// All parameters and persistent buffers, off the tape, sharing memory with this module. A tied
  /// parameter is there under each of its names, as in PyTorch.
  StateDict state_dict() const;
  /// Copies values in, converting dtypes. Error, with all that is missing, unexpected or of another
  /// shape, or with a name that is there twice, and nothing loaded; unless `strict`, missing and
  /// unexpected names are passed over.
  Skipped load_state_dict(const StateDict& state, bool strict = true);
  /// Copies all parameters and buffers of a module that has the same names and shapes.
  void copy_from(const Module& other);

  /// Whether dropout is active, for all modules.
  Module& train(bool on = true);
  Module& eval() { return train(false); }
  bool is_training() const { return training_; }

  /// Converts all floating parameters, their gradients, and buffers. Whoever holds one of these
  /// tensors sees the change. DTypeError for other than floats, GraphError for a buffer that is the
  /// result of an op; then nothing is converted.
  Module& to(DType dtype);
  /// Calls f on all modules, children before parents.
  Module& apply(const std::function<void(Module&)>& f);
  /// Forgets all gradients: they become undefined.
  void zero_grad();
  /// Freezes all parameters (false) or has them learn again.
  Module& requires_grad_(bool on = true);

  /// Has every call of this module call `hook(module, inputs)` before its forward(), with those
  /// arguments of the call that are Tensors, undefined ones included. A hook may return nothing;
  /// tensors, as many as there are inputs, that take their place (Error for another number); or, of
  /// one input, the tensor itself.
  ///
  /// Of all hooks: they run in the order of registration, each on what the one before it left; one
  /// that throws ends the call or the pass like any other error. They belong to the module: they
  /// run whichever thread calls it, and are not to be added or removed while another does. What a
  /// hook holds lives until it is removed or the module is gone.
  template <class Hook>
  RemovableHandle register_forward_pre_hook(Hook hook) {
    return hooks().forward_pre.add(
        detail::module_hook<const Tensors&>("register_forward_pre_hook", std::move(hook)));
  }
  /// Has every call call `hook(module, inputs, outputs)` after its forward(). Outputs are the
  /// tensors of what that returns, if it is a tensor or a vector, array, pair or tuple of them, and
  /// may be replaced as inputs above.
  template <class Hook>
  RemovableHandle register_forward_hook(Hook hook) {
    return hooks().forward.add(detail::module_hook<const Tensors&, const Tensors&>(
        "register_forward_hook", std::move(hook)));
  }
  /// Has every backward pass through a call of this module call `hook(module, grad_input,
  /// grad_output)` when the gradients of all inputs are known: those of inputs and of outputs, as
  /// listed above, undefined where there are none (where PyTorch 1.13 has zeros for a constant
  /// beside an input that requires a gradient). What it returns, as above, takes the place of
  /// grad_input. If no input requires a gradient, it is called when those of the outputs are known,
  /// and is to return nothing.
  ///
  /// As in PyTorch: the hooks of a call are those that there are when forward() begins, removed or
  /// not by the time of the pass, as long as the module lives; a pass that reaches inputs without
  /// coming through an output runs none; forward() gets inputs that share the memory of those
  /// given, so it cannot change them in place where that is recorded. With `create_graph` hooks are
  /// recorded.
  template <class Hook>
  RemovableHandle register_full_backward_hook(Hook hook) {
    return hooks().full_backward.add(detail::module_hook<const Tensors&, const Tensors&>(
        "register_full_backward_hook", std::move(hook)));
  }

  /// "Linear", "ModuleList<Block>".
  std::string type_name() const;
  /// What stands in parentheses when it is printed: "in_features=4, out_features=3, bias=True".
  virtual std::string extra_repr() const { return ""; }

 protected:
  Module();

  /// Makes a member part of this module. Error for a name that is empty, has a dot in it or is
  /// taken, and for a child that contains this module.
  void add(const std::string& name, Module& child);
  void add(const std::string& name, Parameter& parameter);
  /// Makes `child` all that this module is: what is in it keeps its names, with none in front.
  void add_as_self(Module& child);
  /// A tensor that is not learnt but belongs to the module; in state_dict() if `persistent`.
  void register_buffer(const std::string& name, Tensor& buffer, bool persistent = true);

  /// Error if a member module or parameter was not registered, here or below. Looks once.
  void check_registered() const;
  /// What the module path calls this one.
  const std::string& label() const { return label_; }
  /// Whether a call has hooks to run or observers to tell.
  bool watched() const { return hooks_ != nullptr || tape.observers != nullptr; }

 private:
  friend class detail::WatchedCall;
  struct Child {
    std::string name;
    Module* module;
  };
  struct Entry {
    std::string name;
    Tensor* tensor;
    bool persistent;
  };

  virtual detail::Extent extent() const = 0;
  /// A container that is never called, so that its name must be said by its children.
  virtual bool is_list() const { return false; }

  template <class M>
  static void list(M& module, const std::string& path, bool once,
                   std::vector<std::pair<std::string, M*>>& out);
  std::vector<std::pair<std::string, const Module*>> tree(bool once) const;
  friend std::string to_string(const Module& module);
  NamedTensors tensors(std::vector<Entry> Module::*which, bool once) const;
  Skipped load(const char* op, const NamedTensors& targets, const NamedTensors& sources,
               bool strict);
  void check_name(const std::string& name) const;
  bool reaches(const Module& other) const;
  void adopt(const std::string& name, Module& child);
  void set_label(const std::string& label);
  detail::ModuleHooks& hooks();

  std::vector<Child> children_;
  std::vector<Entry> parameters_, buffers_;
  std::string label_;
  std::shared_ptr<detail::ModuleHooks> hooks_;
  bool training_ = true;
  mutable std::atomic<bool> checked_ = false;
};

/// The module and all below it, indented as PyTorch prints them, with how many parameters each has:
///   FeedForward(  # 38 parameters
///     (linear1): Linear(in_features=4, out_features=3, bias=True)  # 15 parameters
///   …
std::string to_string(const Module& module);
std::ostream& operator<<(std::ostream& out, const Module& module);

/// What a module is written with: calling it runs `Self::forward`, of any arguments, under the
/// module's name. An error that passes through says where, once: `(in encoder.0.attn.W_q)`.
template <class Self>
class Layer : public Module {
 public:
  template <class... Args>
  decltype(auto) operator()(Args&&... args) {
    const ModuleCall call(label());
    try {
      check_registered();
      if (!watched()) [[likely]]
        return static_cast<Self*>(this)->forward(std::forward<Args>(args)...);
      return watched_call<Args...>(std::index_sequence_for<Args...>(), args...);
    } catch (Error& error) {
      error.locate(module_path());
      throw;
    }
  }

 private:
  template <class... Args, std::size_t... I>
  decltype(auto) watched_call(std::index_sequence<I...>, std::remove_reference_t<Args>&... args) {
    detail::WatchedCall call(*this);
    Tensors inputs, outputs;
    (detail::append(args, inputs), ...);
    call.before(inputs);
    const auto forward = [&]() -> decltype(auto) {
      return static_cast<Self*>(this)->forward(
          detail::in_place_of<Args>(args, inputs, detail::tensors_among<Args...>(I))...);
    };
    using Result = decltype(forward());
    if constexpr (std::is_void_v<Result>) {
      forward();
      call.after(outputs);
    } else {
      Result result = forward();
      detail::each_tensor(result, [&](const Tensor& y) { outputs.push_back(y); });
      if (call.after(outputs)) {
        std::size_t k = 0;
        if constexpr (std::is_reference_v<Result>)
          call.refuse_reference();
        else
          detail::each_tensor(result, [&](Tensor& y) { y = outputs[k++]; });
      }
      return result;
    }
  }

  detail::Extent extent() const override { return {static_cast<const Self*>(this), sizeof(Self)}; }
};

}  // namespace tapehead::nn
