#include "observer.h"

namespace tapehead {

// Silent while an observer runs: what it computes is not news.
template <class Tell>
void Observer::tell(Tell tell) {
  Observer* const top = std::exchange(tape.observers, nullptr);
  struct Restore {
    Observer* top;
    ~Restore() { tape.observers = top; }
  } const restore{top};
  for (Observer* o = top; o; o = o->below_) tell(*o);
}

void notify_before(const OpCall& call) {
  Observer::tell([&](Observer& o) { o.before(call); });
}
void notify_after(const OpCall& call, const Tensor& result) {
  Observer::tell([&](Observer& o) { o.after(call, result); });
}
void notify_before_rule(const Node& node, const Tensor& gradient) {
  Observer::tell([&](Observer& o) { o.before_rule(node, gradient); });
}
void notify_gradient(const Tensor& gradient) {
  Observer::tell([&](Observer& o) { o.gradient(gradient); });
}
void notify_after_rule(const Node& node) {
  Observer::tell([&](Observer& o) { o.after_rule(node); });
}
void notify_found(const Node& node, const Tensor& gradient) {
  Observer::tell([&](Observer& o) { o.found(node, gradient); });
}
void notify_enter() {
  Observer::tell([](Observer& o) { o.enter(); });
}
void notify_leave(const std::vector<Tensor>& outputs) {
  Observer::tell([&](Observer& o) { o.leave(outputs); });
}

}  // namespace tapehead
