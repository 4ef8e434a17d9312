#include "run.h"

#include <algorithm>
#include <atomic>

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

void check_answer(const Tensor& gradient, const Tensor& answer) {
  if (answer.shape() == gradient.shape() && answer.dtype() == gradient.dtype()) return;
  fail<ShapeError>("register_hook: a hook returned ", answer.shape(), " ", name(answer.dtype()),
                   " for a gradient of ", gradient.shape(), " ", name(gradient.dtype()),
                   "; return one like it, or an undefined tensor to leave it as it is");
}

// Names what runs, while it does.
struct Running {
  explicit Running(const char* what) : outer(std::exchange(tape.running, what)) {}
  ~Running() { tape.running = outer; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  const char* outer;
};

std::atomic<std::uint64_t> runs{0};

}  // namespace

Run::Run(bool retain_graph, bool create_graph, bool collecting)
    : id_(++runs),
      retain_graph_(retain_graph),
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
  const Running running(node.op);
  ++tape.visited;
  if (tape.observers) [[unlikely]]
    notify_before_rule(node, gradient);
  node.propagate(gradient, *this);
  if (tape.observers) [[unlikely]]
    notify_after_rule(node);
  if (!retain_graph_) node.free();
}

// A leaf collects what its hooks leave; another, what it is where retain_grad() stands among them.
// `kept`, if any, has the gradient before all hooks.
void Run::run_hooks(const Ref<Node>& node, Tensor& gradient, Tensor* kept) {
  const Running running("hook");
  for (const auto& hook : node->hooks->now()) {
    if (!*hook) {
      if (kept) *kept = gradient;
      continue;
    }
    Tensor answer = (*hook)(gradient);
    if (!answer.defined()) continue;
    check_answer(gradient, answer);
    gradient = std::move(answer);
  }
  if (kept && node->is_leaf()) *kept = gradient;
}

// Noted before hooks run, so that the run knows the node whatever they throw.
void Run::take_in(const Ref<Node>& node, Tensor& gradient, bool collects) {
  if (collects) collected_.push_back({node, gradient});
  if (node->hooks) [[unlikely]]
    run_hooks(node, gradient, collects ? &collected_.back().gradient : nullptr);
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
  const Running running("backward");  // for observers of the ops below
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
      gradient = taping() ? clone(gradient) : Tensor(gradient.array().clone());
  }
  for (auto& [node, gradient] : collected_) {
    if (node->grad.defined() && !taping())
      core::add_(node->grad.impl()->array, gradient.array(), 1, "backward");
    else
      node->grad = std::move(gradient);
  }
}

}  // namespace tapehead
