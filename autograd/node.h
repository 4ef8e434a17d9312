// Node: one op on the tape, or a leaf.
#pragma once

#include <atomic>

#include "tape.h"
#include "tensor.h"

namespace tapehead {

/// Hooks of a tensor. An empty one stands where retain_grad() was called.
using TensorHooks = detail::HookList<TensorHook>;

namespace detail {
void forget(TensorHooks* hooks) noexcept;
}

/// Nodes link to the nodes of their inputs, never to tensors. Numbers grow from inputs to outputs.
struct Node {
  Node(const char* op_name, const NDArray& output)
      : dtype(output.dtype()), op(op_name), shape(output.shape()) {
    ++tape.live_nodes;
  }
  virtual ~Node() {
    --tape.live_nodes;
    if (hooks) [[unlikely]]
      detail::forget(hooks);
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  static void* operator new(std::size_t bytes) { return core::allocate(bytes); }
  static void operator delete(void* p, std::size_t bytes) { core::deallocate(p, bytes); }

  /// Gives each input its share of `gradient`.
  virtual void propagate(const Tensor& /*gradient*/, Run& /*run*/) {}
  /// Lets go of everything saved, and of the inputs.
  virtual void free() noexcept {}
  /// Appends the nodes of the inputs that a gradient flows to: none once freed.
  virtual void list_inputs(std::vector<Node*>& /*out*/) const {}
  bool is_leaf() const { return number == 0; }

  core::RefCount refs;
  bool freed = false, collects = false;  // collects: keeps its gradient after backward
  DType dtype;                           // of the output, and so of its gradient
  std::uint64_t number = 0;
  const char* op;
  Shape shape;  // of the output, too
  Tensor grad;
  TensorHooks* hooks = nullptr;          // its own
  std::atomic<Run*> queued_by{nullptr};  // with, meanwhile, the gradient gathered so far
  Tensor incoming;
  Node* next_dead = nullptr;
};

namespace detail {

// How many tensors show a storage. Almost always it is one's alone; then no atomic
// read-modify-write is needed.
inline void count_tensor(core::Storage* storage, std::uint32_t change) {
  if (storage->refs.value() == 1)
    storage->tensors.store(storage->tensors.load(std::memory_order_relaxed) + change,
                           std::memory_order_relaxed);
  else
    storage->tensors.fetch_add(change, std::memory_order_relaxed);
}

}  // namespace detail

inline TensorImpl::TensorImpl(NDArray&& value, Ref<Node>&& history)
    : array(std::move(value)), node(std::move(history)) {
  ++tape.live_tensors;
  detail::count_tensor(array.storage(), 1);
}
inline TensorImpl::~TensorImpl() {
  --tape.live_tensors;
  detail::count_tensor(array.storage(), static_cast<std::uint32_t>(-1));
}

inline Tensor::Tensor(NDArray array) : Tensor(std::move(array), Ref<Node>()) {}
inline Tensor::Tensor(NDArray array, Ref<Node> history)
    : impl_(array.defined() ? new (core::allocate(sizeof(TensorImpl)))
                                  TensorImpl(std::move(array), std::move(history))
                            : nullptr) {}

}  // namespace tapehead
