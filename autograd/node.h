// Node: one op on the tape, or a leaf.
#pragma once

#include <atomic>

#include "tape.h"
#include "tensor.h"

namespace tapehead {

/// Nodes link to the nodes of their inputs, never to tensors. Numbers grow from inputs to outputs.
struct Node {
  Node(const char* op_name, const NDArray& output)
      : op(op_name), shape(output.shape()), dtype(output.dtype()) {
    ++tape.live_nodes;
  }
  virtual ~Node() { --tape.live_nodes; }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  static void* operator new(std::size_t bytes) { return core::allocate(bytes); }
  static void operator delete(void* p, std::size_t bytes) { core::deallocate(p, bytes); }

  /// Gives each input its share of `gradient`.
  virtual void propagate(const Tensor& /*gradient*/, Run& /*run*/) {}
  /// Lets go of everything saved, and of the inputs.
  virtual void free() noexcept {}
  bool is_leaf() const { return number == 0; }

  core::RefCount refs;
  bool freed = false, collects = false;  // collects: keeps its gradient after backward
  std::uint64_t number = 0;
  const char* op;
  Shape shape;  // of the output, and so of its gradient
  DType dtype;
  Tensor grad;
  std::atomic<Run*> queued_by{nullptr};  // with, meanwhile, the gradient gathered so far
  Tensor incoming;
  Node* next_dead = nullptr;
};

}  // namespace tapehead
