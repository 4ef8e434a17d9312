#include "tensor.h"

#include <ostream>
#include <sstream>

#include "../core/print.h"
#include "node.h"

namespace tapehead {
namespace {

// Almost always the storage is this tensor's alone; then no atomic read-modify-write is needed.
void count(core::Storage* storage, std::uint32_t change) {
  if (storage->refs.value() == 1)
    storage->tensors.store(storage->tensors.load(std::memory_order_relaxed) + change,
                           std::memory_order_relaxed);
  else
    storage->tensors.fetch_add(change, std::memory_order_relaxed);
}

void check_has_gradient(const char* op, DType dtype) {
  if (!is_floating(dtype))
    fail<GraphError>(op, ": only Float32 and Float64 tensors have gradients, got ", name(dtype),
                     "; convert with .to(Float32)");
}

}  // namespace

TensorImpl::TensorImpl(NDArray&& value, Ref<Node>&& history)
    : array(std::move(value)), node(std::move(history)) {
  ++tape.live_tensors;
  if (array.defined()) count(array.storage(), 1);
}
TensorImpl::~TensorImpl() {
  --tape.live_tensors;
  if (array.defined()) count(array.storage(), static_cast<std::uint32_t>(-1));
}
void destroy(TensorImpl* impl) noexcept {
  impl->~TensorImpl();
  core::deallocate(impl, sizeof(TensorImpl));
}

Tensor::Tensor(NDArray array) : Tensor(std::move(array), Ref<Node>()) {}
Tensor::Tensor(NDArray array, Ref<Node> history)
    : impl_(new (core::allocate(sizeof(TensorImpl)))
                TensorImpl(std::move(array), std::move(history))) {}

bool Tensor::is_leaf() const { return !node() || node()->is_leaf(); }

Tensor& Tensor::requires_grad_(bool on) {
  if (on) check_has_gradient("requires_grad_", dtype());
  if (!on && !is_leaf())
    fail<GraphError>("requires_grad_: the result of ", node()->op,
                     " cannot forget its history; use detach()");
  if (!on) {
    impl_->node = {};
  } else if (!impl_->node) {
    impl_->node = Ref<Node>(new Node("leaf", array()));
    impl_->node->collects = true;
  }
  return *this;
}
Tensor& Tensor::set_data(NDArray value) {
  if (!is_leaf())
    fail<GraphError>("set_data: the result of ", node()->op,
                     " has a history that belongs to its value; use detach() first");
  const bool tracked = requires_grad();
  if (tracked) check_has_gradient("set_data", value.dtype());
  if (impl_->array.defined()) count(impl_->array.storage(), static_cast<std::uint32_t>(-1));
  if (value.defined()) count(value.storage(), 1);
  impl_->array = std::move(value);
  impl_->node = {};
  return requires_grad_(tracked);
}
Tensor Tensor::grad() const { return node() ? node()->grad : Tensor(); }
void Tensor::zero_grad() {
  if (node()) node()->grad = {};
}
void Tensor::retain_grad() {
  if (!node())
    fail<GraphError>("retain_grad: this tensor of shape ", shape(),
                     " requires no gradient; call requires_grad_() on an input first");
  node()->collects = true;
}

}  // namespace tapehead
