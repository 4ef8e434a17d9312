#include "module_hooks.h"

#include <algorithm>
#include <mutex>

#include "../autograd/create.h"
#include "../autograd/record.h"
#include "module.h"

namespace tapehead::nn {
namespace detail {

// What the rules of one backward pass leave for each other. Passes may be nested, and a retained
// graph sees many.
template <class T>
class PerRun {
 public:
  template <class Change>
  void change(Change change_it) {
    const std::lock_guard lock(mutex_);
    const auto mine = find();
    change_it(mine == all_.end() ? all_.emplace_back(tape.run->id(), T()).second : mine->second);
  }
  T take() {
    const std::lock_guard lock(mutex_);
    const auto mine = find();
    if (mine == all_.end()) return {};
    T result = std::move(mine->second);
    all_.erase(mine);
    return result;
  }

 private:
  auto find() {
    return std::find_if(all_.begin(), all_.end(),
                        [](const auto& entry) { return entry.first == tape.run->id(); });
  }

  std::mutex mutex_;
  std::vector<std::pair<std::uint64_t, T>> all_;
};

}  // namespace detail

namespace {

using Running = std::vector<std::shared_ptr<const FullBackwardHook>>;
using detail::PerRun;

// The same tensors under nodes of their own. A pass hands `rule` the gradients of all of them at
// once: each of those nodes leaves its gradient and sends a 0 to a joint node below them, which is
// run after all of them and gives the inputs what the rule returns.
template <class Rule>
Tensors behind_joint(const Tensors& tensors, Rule rule) {
  const auto left = std::make_shared<PerRun<Tensors>>();
  const Tensor joint = record(
      "module_hooks", [] { return NDArray::full({}, 0, Float32); },
      wrt(tensors, [left, rule](const Tensor&) { return rule(left->take()); }));
  Tensors result = tensors;
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    if (!tensors[k].defined() || !tensors[k].requires_grad()) continue;
    result[k] = record(
        "module_hooks", [&] { return tensors[k].array(); },
        wrt(joint, [left, k, n = tensors.size()](const Tensor& g) {
          left->change([&](Tensors& gradients) {
            gradients.resize(n);
            gradients[k] = g;
          });
          return zeros({});
        }));
  }
  return result;
}

bool any_requires_grad(const Tensors& tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const Tensor& x) { return x.defined() && x.requires_grad(); });
}

// Takes the place of `now`.
void replace(const char* hook, const char* what, const Module& module, Tensors& now,
             Tensors answer) {
  if (answer.size() != now.size())
    fail(hook, ": a hook of ", module.type_name(), " returned ", answer.size(), " tensors for ",
         now.size(), " ", what, "; return one for each, or nothing to leave them");
  now = std::move(answer);
}

}  // namespace

namespace detail {

/// The backward hooks of one call, between its outputs and its inputs.
class BackwardHookCall : public std::enable_shared_from_this<BackwardHookCall> {
 public:
  BackwardHookCall(Module& module, std::weak_ptr<ModuleHooks> owner, Running hooks)
      : module_(module), owner_(std::move(owner)), hooks_(std::move(hooks)) {}

  void set_up_inputs(Tensors& inputs) {
    for (const Tensor& input : inputs)
      inputs_.push_back(input.defined() ? Like{true, input.shape(), input.dtype()} : Like{});
    leads_on_ = any_requires_grad(inputs);
    if (!leads_on_) return;
    inputs = behind_joint(inputs, [self = shared_from_this()](const Tensors& gradients) {
      return self->reach_inputs(gradients);
    });
  }
  void set_up_outputs(Tensors& outputs) {
    if (!any_requires_grad(outputs)) return;
    outputs = behind_joint(outputs, [self = shared_from_this()](const Tensors& gradients) {
      self->reach_outputs(gradients);
      return gradients;
    });
  }

 private:
  void reach_outputs(const Tensors& grad_output) {
    if (leads_on_)
      grad_output_.change([&](Tensors& kept) { kept = grad_output; });
    else
      run(Tensors(inputs_.size()), grad_output);
  }
  Tensors reach_inputs(const Tensors& grad_input) {
    const Tensors grad_output = grad_output_.take();
    return grad_output.empty() ? grad_input : run(grad_input, grad_output);
  }

  // Each hook sees what the one before it left.
  Tensors run(Tensors grad_input, const Tensors& grad_output) {
    const auto alive = owner_.lock();
    for (std::size_t i = 0; alive && i < hooks_.size(); ++i) {
      Tensors answer = (*hooks_[i])(module_, grad_input, grad_output);
      if (answer.empty()) continue;
      if (!leads_on_) refuse_gradients(answer);
      check_gradients(answer);
      replace("register_full_backward_hook", "inputs", module_, grad_input, std::move(answer));
    }
    return grad_input;
  }
  void refuse_gradients(const Tensors& answer) const {
    for (const Tensor& g : answer)
      if (g.defined())
        fail("register_full_backward_hook: a hook of ", module_.type_name(),
             " returned a gradient, but no input of the call requires one; return nothing");
  }

  void check_gradients(const Tensors& answer) const {
    for (std::size_t k = 0; k < std::min(answer.size(), inputs_.size()); ++k) {
      const auto& [defined, shape, dtype] = inputs_[k];
      if (!defined || !answer[k].defined()) continue;
      if (answer[k].shape() != shape || answer[k].dtype() != dtype)
        fail<ShapeError>("register_full_backward_hook: a hook of ", module_.type_name(),
                         " returned ", answer[k].shape(), " ", name(answer[k].dtype()),
                         " for the gradient of input ", k, ", which is ", shape, " ", name(dtype),
                         "; a gradient has its input's shape and dtype");
    }
  }

  struct Like {  // an input: its gradient must be the same
    bool defined = false;
    Shape shape = {};
    DType dtype = Float32;
  };

  Module& module_;
  std::weak_ptr<ModuleHooks> owner_;  // gone with the module
  Running hooks_;
  std::vector<Like> inputs_;
  bool leads_on_ = false;  // whether an input requires a gradient
  PerRun<Tensors> grad_output_;
};

WatchedCall::WatchedCall(Module& module) : module_(module) {
  if (tape.observers) notify_enter();
}
WatchedCall::~WatchedCall() = default;

void WatchedCall::before(Tensors& inputs) {
  if (const auto hooks = module_.hooks_) {
    for (const auto& hook : hooks->forward_pre.now())
      if (Tensors answer = (*hook)(module_, inputs); !answer.empty())
        replace("register_forward_pre_hook", "inputs", module_, inputs, std::move(answer));
    Running running = hooks->full_backward.now();
    if (!running.empty() && taping()) {
      backward_ = std::make_shared<BackwardHookCall>(module_, hooks, std::move(running));
      backward_->set_up_inputs(inputs);
    }
  }
  inputs_ = inputs;
}

bool WatchedCall::after(Tensors& outputs) {
  const Tensors before = outputs;
  if (const auto hooks = module_.hooks_) {
    for (const auto& hook : hooks->forward.now())
      if (Tensors answer = (*hook)(module_, inputs_, outputs); !answer.empty())
        replace("register_forward_hook", "outputs", module_, outputs, std::move(answer));
    if (backward_) backward_->set_up_outputs(outputs);
  }
  if (tape.observers) notify_leave(outputs);
  return !std::equal(before.begin(), before.end(), outputs.begin(),
                     [](const Tensor& a, const Tensor& b) { return a.impl() == b.impl(); });
}

void WatchedCall::refuse_reference() const {
  fail(module_.type_name(),
       ": its forward() returns a reference, so hooks cannot replace what it returns; return it by "
       "value");
}

}  // namespace detail
}  // namespace tapehead::nn
