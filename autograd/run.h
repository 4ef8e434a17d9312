// Run: one backward pass over the tape.
#pragma once

#include <vector>

#include "node.h"

namespace tapehead {

/// A queue of nodes by falling number, each with the gradient gathered so far. No recursion: a node
/// is run when all that came after it has been.
class Run {
 public:
  /// `collecting`: whether leaves shall keep what arrives (backward) or not (grad).
  Run(bool retain_graph, bool create_graph, bool collecting);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Adds to the gradient of `node` and queues it. An undefined gradient is zero. ShapeError for a
  /// gradient of the wrong shape, GraphError if another thread's pass holds the node.
  void give(Node& node, Tensor gradient);
  /// The next node and its whole gradient; null at the end.
  std::pair<Ref<Node>, Tensor> next();
  /// Takes in the gradient of a node: runs the hooks of its tensor, which may replace `gradient`,
  /// and notes what commit() shall collect.
  void arrive(const Ref<Node>& node, Tensor& gradient) {
    const bool collects = collecting_ && node->collects;
    if (collects || node->hooks) [[unlikely]]
      take_in(node, gradient, collects);
  }
  /// Hands `gradient` on to the inputs of `node`, and frees the node unless retained.
  void propagate(Node& node, const Tensor& gradient);
  /// Adds all that was collected; nothing has been touched if this throws.
  void commit();

  /// A number that no other pass has, on any thread.
  std::uint64_t id() const { return id_; }

 private:
  struct Outer {  // a node that an enclosing run has queued too
    Ref<Node> node;
    Run* run;
    Tensor incoming;
  };
  struct Collected {
    Ref<Node> node;
    Tensor gradient;
  };
  template <class T>
  using Pooled = std::vector<T, core::PoolAllocator<T>>;

  void claim(Node& node);
  void take_in(const Ref<Node>& node, Tensor& gradient, bool collects);
  static void run_hooks(const Ref<Node>& node, Tensor& gradient, Tensor* kept);
  Pooled<const core::Storage*> added_to() const;

  std::uint64_t id_;
  bool retain_graph_, collecting_;
  GradMode mode_;
  Run* around_;
  Pooled<Ref<Node>> queue_;
  Pooled<Outer> outer_;
  Pooled<Collected> collected_;
};

}  // namespace tapehead
