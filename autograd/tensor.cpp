#include "tensor.h"

#include <algorithm>

#include "node.h"

namespace tapehead {
namespace {

void check_has_gradient(const char* op, DType dtype) {
  if (!is_floating(dtype))
    fail<GraphError>(op, ": only Float32 and Float64 tensors have gradients, got ", name(dtype),
                     "; convert with .to(Float32)");
}

Ref<Node> new_leaf(const NDArray& array) {
  Ref<Node> node(new Node("leaf", array));
  node->collects = true;
  return node;
}

}  // namespace

void destroy(TensorImpl* impl) noexcept {
  impl->~TensorImpl();
  core::deallocate(impl, sizeof(TensorImpl));
}

void Tensor::refuse_undefined() {
  fail("tensor: this one is undefined (made by Tensor(), or a gradient that is not there); only ",
       "defined() may be asked of it");
}

bool Tensor::is_leaf() const { return !node() || node()->is_leaf(); }

Tensor& Tensor::requires_grad_(bool on) {
  if (on) check_has_gradient("requires_grad_", dtype());
  if (!on && !is_leaf())
    fail<GraphError>("requires_grad_: the result of ", node()->op,
                     " cannot forget its history; use detach()");
  if (!on) {
    impl_->node = {};
  } else if (!impl_->node) {
    impl_->node = new_leaf(array());
  }
  return *this;
}

Tensor& Tensor::set_data(NDArray value) {
  if (!value.defined())
    fail(
        "set_data: the given array is undefined (made by NDArray()); give one with a shape, if "
        "only an empty one");
  if (!is_leaf())
    fail<GraphError>("set_data: the result of ", node()->op,
                     " has a history that belongs to its value; use detach() first");
  const bool tracked = requires_grad();
  if (tracked) check_has_gradient("set_data", value.dtype());
  Ref<Node> leaf = tracked ? new_leaf(value) : Ref<Node>();
  if (tracked) std::swap(leaf->hooks, node()->hooks);
  detail::count_tensor(impl_->array.storage(), static_cast<std::uint32_t>(-1));
  detail::count_tensor(value.storage(), 1);
  const std::uint32_t version = impl_->array.version();
  impl_->array = std::move(value);
  impl_->node = std::move(leaf);
  // Whoever saved the old value shall notice.
  core::Storage& storage = *impl_->array.storage();
  storage.version = std::max(storage.version, version + 1);
  storage.writer = "set_data";
  return *this;
}
Tensor Tensor::grad() const { return node() ? node()->grad : Tensor(); }
void Tensor::zero_grad() {
  if (node()) node()->grad = {};
}
void Tensor::retain_grad() {
  if (!node())
    fail<GraphError>("retain_grad: this tensor of shape ", shape(),
                     " requires no gradient; call requires_grad_() on an input first");
  if (node()->hooks && !node()->collects) node()->hooks->add(nullptr);
  node()->collects = true;
}

void detail::forget(TensorHooks* hooks) noexcept { delete hooks; }

RemovableHandle Tensor::add_hook(TensorHook hook) const {
  if (!node())
    fail<GraphError>("register_hook: this tensor of shape ", shape(),
                     " requires no gradient; call requires_grad_() on an input first");
  TensorHooks*& hooks = node()->hooks;
  if (!hooks) {
    auto fresh = std::make_unique<TensorHooks>();
    if (node()->collects && !is_leaf()) fresh->add(nullptr);
    hooks = fresh.release();
  }
  return hooks->add(std::move(hook));
}

}  // namespace tapehead
