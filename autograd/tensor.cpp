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
    impl_->node = Ref<Node>(new Node("leaf", array()));
    impl_->node->collects = true;
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
  detail::count_tensor(impl_->array.storage(), static_cast<std::uint32_t>(-1));
  detail::count_tensor(value.storage(), 1);
  const std::uint32_t version = impl_->array.version();
  impl_->array = std::move(value);
  impl_->node = {};
  // Whoever saved the old value shall notice.
  core::Storage& storage = *impl_->array.storage();
  storage.version = std::max(storage.version, version + 1);
  storage.writer = "set_data";
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
