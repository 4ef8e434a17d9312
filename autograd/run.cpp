#include "run.h"

#include <algorithm>

#include "../core/elementwise.h"
#include "observer.h"
#include "ops.h"

namespace tapehead {
namespace {

bool lower(const Ref<Node>& a, const Ref<Node>& b) { return a->number < b->number; }

void check_gradient(const Node& node, const Tensor& gradient) {
  if (gradient.shape() == node.shape && gradient.dtype() == node.dtype) return;
  fail<ShapeError>(tape.running, ": its derivative rule returned ", gradient.shape(), " ",
                   name(gradient.dtype()), " for an input of ", node.shape, " ", name(node.dtype),
                   "; a gradient has its input's shape and dtype");
}

// A gradient can be added to where it lies unless the user gave it another value meanwhile.
void check_collected(const Node& node) {
  const NDArray& grad = node.grad.array();
  if (grad.shape() == node.shape && grad.dtype() == node.dtype && !grad.overlaps_itself()) return;
  fail<ShapeError>("backward: the gradient collected so far for ", node.op, " ", node.shape, " ",
                   name(node.dtype), " was made ", grad.shape(), " ", name(grad.dtype()),
                   " with strides ", grad.strides(),
                   ", to which nothing can be added; call zero_grad() first");
}

}  // namespace

Run::Run(bool retain_graph, bool create_graph, bool collecting)
    : retain_graph_(retain_graph),
      collecting_(collecting),
      mode_(create_graph),
      around_(std::exchange(tape.run, this)) {}

// After a throw, what is queued must forget this run; nodes shared with an outer run go back.
Run::~Run() {
  tape.run = around_;
  for (const Ref<Node>& node : queue_) node->incoming = {}, node->queued_by = nullptr;
  for (const Collected& done : collected_) done.node->queued_by = nullptr;
  for (Outer& outer : outer_) {
    outer.node->incoming = std::move(outer.incoming);
    outer.node->queued_by = outer.run;
  }
}

// A node belongs to one run at a time. One that a run around this one holds is set aside.
void Run::claim(Node& node) {
  Run* holder = nullptr;
  if (node.queued_by.compare_exchange_strong(holder, this, std::memory_order_acq_rel)) return;
  for (const Run* run = around_; run != holder; run = run->around_)
    if (run == nullptr)
      fail<GraphError>("backward: ", node.op, " ", node.shape,
                       " is part of another thread's backward pass; give each thread leaves of its "
                       "own, or run the passes one after the other");
  outer_.push_back({Ref<Node>::share(&node), holder, std::move(node.incoming)});
  node.incoming = {};
  node.queued_by = this;
}

void Run::give(Node& node, Tensor gradient) {
  if (!gradient.defined()) return;
  check_gradient(node, gradient);
  if (tape.observers) [[unlikely]]
    notify_gradient(gradient);
  if (node.queued_by.load(std::memory_order_relaxed) != this) {
    claim(node);
    node.incoming = std::move(gradient);
    queue_.push_back(Ref<Node>::share(&node));
    std::push_heap(queue_.begin(), queue_.end(), lower);
    return;
  }
  Tensor& sum = node.incoming;
  if (!taping() && sum.exclusive()) {
    core::add_(sum.impl()->array, gradient.array());
  } else if (!taping() && gradient.exclusive()) {
    core::add_(gradient.impl()->array, sum.array());
    sum = std::move(gradient);
  } else {
    sum = add(sum, gradient);
  }
}

// A node whose gradient will be committed stays claimed until then.
std::pair<Ref<Node>, Tensor> Run::next() {
  if (queue_.empty()) return {};
  std::pop_heap(queue_.begin(), queue_.end(), lower);
  Ref<Node> node = std::move(queue_.back());
  queue_.pop_back();
  Tensor gradient = std::move(node->incoming);
  node->incoming = {};
  if (!(collecting_ && node->collects)) node->queued_by.store(nullptr, std::memory_order_release);
  return {std::move(node), std::move(gradient)};
}

void Run::propagate(Node& node, const Tensor& gradient) {
  if (node.freed) [[unlikely]]
    fail<GraphError>(node.op,
                     ": a backward pass has been here, to its end or until it threw, and freed "
                     "what was saved; pass retain_graph = true the first time, or compute the "
                     "value again");
  struct Running {
    const char* outer;
    ~Running() { tape.running = outer; }
  } const running{std::exchange(tape.running, node.op)};
  ++tape.visited;
  node.propagate(gradient, *this);
  if (!retain_graph_) node.free();
}

void Run::collect(const Ref<Node>& node, Tensor gradient) {
  collected_.push_back({node, std::move(gradient)});
}

// The memory that commit() will add to, in order.
Run::Pooled<const core::Storage*> Run::added_to() const {
  Pooled<const core::Storage*> result;
  for (const Collected& c : collected_)
    if (c.node->grad.defined()) result.push_back(c.node->grad.array().storage());
  std::sort(result.begin(), result.end());
  return result;
}

// First what may throw, then what cannot. The gradient a user sees is never memory that someone
// else can write to, nor one that shows an element twice.
void Run::commit() {
  const Pooled<const core::Storage*> changing = added_to();
  const auto is_changing = [&](const Tensor& gradient) {
    return std::binary_search(changing.begin(), changing.end(), gradient.array().storage());
  };
  for (auto& [node, gradient] : collected_) {
    const bool first = !node->grad.defined();
    if (!first) check_collected(*node);
    if (!first && taping())
      gradient = add(node->grad, gradient);
    else if (!gradient.exclusive() && (first || is_changing(gradient)))
      gradient = clone(gradient);
  }
  for (auto& [node, gradient] : collected_) {
    if (node->grad.defined() && !taping())
      core::add_(node->grad.impl()->array, gradient.array(), 1, "backward");
    else
      node->grad = std::move(gradient);
  }
}

}  // namespace tapehead
