// Observers: told of every op of this thread while they live, before and after it runs; of every
// derivative rule that a backward pass runs, and of every call of a module.
//
//   struct Shapes : Observer {
//     void after(const OpCall& op, const Tensor& y) override { std::cout << op.op << y.shape(); }
//   } shapes;
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tape.h"
#include "tensor.h"

namespace tapehead {

/// One op being run.
struct OpCall {
  const char* op;
  const char* within;                     // the op whose derivative rule runs it; or "hook",
                                          // "backward" (of a collected gradient), "" (none)
  std::span<const Tensor* const> inputs;  // differentiable or not, in the op's order
  std::string arguments;                  // the rest, as written in a call: "1, 2"
};

/// Derive and override what you want to hear. The newest hears first; one must end before those
/// that began earlier do. What an observer computes is not told to any.
class Observer {
 public:
  Observer() : below_(std::exchange(tape.observers, this)) {}
  virtual ~Observer() { tape.observers = below_; }
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  virtual void before(const OpCall& /*call*/) {}
  virtual void after(const OpCall& /*call*/, const Tensor& /*result*/) {}
  /// The derivative rule of `node` is about to be given the gradient of its op's output.
  virtual void before_rule(const Node& /*node*/, const Tensor& /*gradient*/) {}
  /// A derivative rule of the op named `tape.running` has made a gradient ("" for the first).
  virtual void gradient(const Tensor& /*gradient*/) {}
  /// The rule is done. Not told if it threw.
  virtual void after_rule(const Node& /*node*/) {}
  /// A gradient that a backward pass was to find is complete: that of a leaf, before its hooks, or
  /// of what autograd::grad() was asked for.
  virtual void found(const Node& /*node*/, const Tensor& /*gradient*/) {}
  /// The module named last in module_path() begins.
  virtual void enter() {}
  /// It has returned `outputs`: the tensors of what its forward() returns, if that is a tensor or a
  /// vector, array, pair or tuple of them. Not told if it threw.
  virtual void leave(const std::vector<Tensor>& /*outputs*/) {}

 private:
  friend void notify_before(const OpCall& call);
  friend void notify_after(const OpCall& call, const Tensor& result);
  friend void notify_before_rule(const Node& node, const Tensor& gradient);
  friend void notify_gradient(const Tensor& gradient);
  friend void notify_after_rule(const Node& node);
  friend void notify_found(const Node& node, const Tensor& gradient);
  friend void notify_enter();
  friend void notify_leave(const std::vector<Tensor>& outputs);
  template <class Tell>
  static void tell(Tell tell);

  Observer* below_;
};

void notify_before(const OpCall& call);
void notify_after(const OpCall& call, const Tensor& result);
void notify_before_rule(const Node& node, const Tensor& gradient);
void notify_gradient(const Tensor& gradient);
void notify_after_rule(const Node& node);
void notify_found(const Node& node, const Tensor& gradient);
void notify_enter();
void notify_leave(const std::vector<Tensor>& outputs);

}  // namespace tapehead
