// In-place ops. Rules see the inputs as they were; where a rule needs the old value of what is
// changed, that value is cloned first.
#include "../../core/elementwise.h"
#include "../create.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {
namespace {

// The value before the change, for the sake of another input's gradient.
Tensor before(const Tensor& self, const Tensor& other) {
  return taping() && self.defined() && other.requires_grad() ? self.clone() : Tensor();
}

// -value; one that x cannot take is refused as it was given.
Scalar negated(const NDArray& x, Scalar value) {
  core::dispatch_numeric("sub_", x.dtype(), [&]<class T>() { value.to<T>("sub_"); });
  return -value;
}

}  // namespace

Tensor& Tensor::add_(const Tensor& other, Scalar alpha) {
  check_defined("add_", other);
  return record_in_place(
      "add_", *this, [&](NDArray& x) { core::add_(x, other.array(), alpha); },
      wrt(*this, [](const Tensor& g) { return g; }),
      wrt(other, [s = other.shape(), alpha](const Tensor& g) {
        return sum_to(alpha.real() == 1 ? g : g * alpha, s);
      }));
}
Tensor& Tensor::add_(Scalar other) {
  return record_in_place(
      "add_", *this, [&](NDArray& x) { core::add_(x, other); },
      wrt(*this, [](const Tensor& g) { return g; }), args(other));
}

Tensor& Tensor::sub_(const Tensor& other, Scalar alpha) {
  check_defined("sub_", other);
  return record_in_place(
      "sub_", *this,
      [&](NDArray& x) {
        if (alpha.real() == 1) return core::sub_(x, other.array());
        core::add_(x, other.array(), negated(x, alpha), "sub_");
      },
      wrt(*this, [](const Tensor& g) { return g; }),
      wrt(other, [s = other.shape(), alpha](const Tensor& g) { return sum_to(g * -alpha, s); }));
}
Tensor& Tensor::sub_(Scalar other) {
  return record_in_place(
      "sub_", *this, [&](NDArray& x) { core::add_(x, negated(x, other), "sub_"); },
      wrt(*this, [](const Tensor& g) { return g; }), args(other));
}

// y = x b  gives  dx = b g  and  db = x g.
Tensor& Tensor::mul_(const Tensor& other) {
  check_defined("mul_", other);
  return record_in_place(
      "mul_", *this, [&](NDArray& x) { core::mul_(x, other.array()); },
      wrt(*this, [b = saved(other)](const Tensor& g) { return g * b(); }),
      wrt(other, [x = saved(before(*this, other)), s = other.shape()](const Tensor& g) {
        return sum_to(g * x(), s);
      }));
}
Tensor& Tensor::mul_(Scalar other) {
  return record_in_place(
      "mul_", *this, [&](NDArray& x) { core::mul_(x, other); },
      wrt(*this, [other](const Tensor& g) { return g * other; }), args(other));
}

// y = x / b  gives  dx = g / b  and  db = -g x / b^2.
Tensor& Tensor::div_(const Tensor& other) {
  check_defined("div_", other);
  return record_in_place(
      "div_", *this, [&](NDArray& x) { core::div_(x, other.array()); },
      wrt(*this, [b = saved(other)](const Tensor& g) { return g / b(); }),
      wrt(other, [x = saved(before(*this, other)), b = saved(other)](const Tensor& g) {
        return sum_to(-(g * x()) / (b() * b()), b().shape());
      }));
}
Tensor& Tensor::div_(Scalar other) {
  return record_in_place(
      "div_", *this, [&](NDArray& x) { core::div_(x, other); },
      wrt(*this, [other](const Tensor& g) { return g / other; }), args(other));
}

// Nothing of the old value is left, so its gradient is zero.
Tensor& Tensor::copy_(const Tensor& source) {
  check_defined("copy_", source);
  return record_in_place(
      "copy_", *this, [&](NDArray& x) { core::copy_(x, source.array()); },
      wrt(*this, [](const Tensor& g) { return zeros_like(g); }),
      wrt(source, [s = source.shape(), d = source.dtype()](const Tensor& g) {
        return sum_to(g, s).to(d);
      }));
}
Tensor& Tensor::fill_(Scalar value) {
  return record_in_place(
      "fill_", *this, [&](NDArray& x) { core::fill_(x, value); },
      wrt(*this, [](const Tensor& g) { return zeros_like(g); }), args(value));
}
Tensor& Tensor::zero_() {
  return record_in_place(
      "zero_", *this, [&](NDArray& x) { core::fill_(x, 0, "zero_"); },
      wrt(*this, [](const Tensor& g) { return zeros_like(g); }));
}

// dx = g where the mask is false.
Tensor& Tensor::masked_fill_(const Tensor& mask, Scalar value) {
  check_defined("masked_fill_", mask);
  return record_in_place(
      "masked_fill_", *this, [&](NDArray& x) { core::masked_fill_(x, mask.array(), value); },
      wrt(*this, [mask = saved(mask)](const Tensor& g) { return g.masked_fill(mask(), 0); }),
      with(mask), args(value));
}

}  // namespace tapehead
