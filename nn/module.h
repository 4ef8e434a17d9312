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
#include <string>
#include <utility>
#include <vector>

#include "../autograd/tape.h"
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

  /// "Linear", "ModuleList<Block>".
  std::string type_name() const;

 protected:
  Module();

  /// Makes a member part of this module. Error for a name that is empty, has a dot in it or is
  /// taken, and for a child that contains this module.
  void add(const std::string& name, Module& child);
  void add(const std::string& name, Parameter& parameter);
  /// A tensor that is not learnt but belongs to the module; in state_dict() if `persistent`.
  void register_buffer(const std::string& name, Tensor& buffer, bool persistent = true);

  /// Error if a member module or parameter was not registered, here or below. Looks once.
  void check_registered() const;
  /// What the module path calls this one.
  const std::string& label() const { return label_; }

 private:
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
  NamedTensors tensors(std::vector<Entry> Module::*which, bool once) const;
  Skipped load(const char* op, const NamedTensors& targets, const NamedTensors& sources,
               bool strict);
  void check_name(const std::string& name) const;
  void set_label(const std::string& label);

  std::vector<Child> children_;
  std::vector<Entry> parameters_, buffers_;
  std::string label_;
  bool training_ = true;
  mutable std::atomic<bool> checked_ = false;
};

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
      return static_cast<Self*>(this)->forward(std::forward<Args>(args)...);
    } catch (Error& error) {
      error.locate(module_path());
      throw;
    }
  }

 private:
  detail::Extent extent() const override { return {static_cast<const Self*>(this), sizeof(Self)}; }
};

}  // namespace tapehead::nn
