// Matrix products of fixed ranks, all of them matmul's.
#include "../../core/elementwise.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {
namespace {

void check_product(const char* op, const Tensor& a, const Tensor& b, const char* wanted,
                   bool fits) {
  core::check_same(op, a.dtype(), b.dtype());
  if (!fits)
    fail<ShapeError>(op, ": expected ", wanted, ", got ", a.shape(), " and ", b.shape(),
                     "; matmul takes other ranks, and broadcasts");
}
void check_mm(const char* op, const Tensor& a, const Tensor& b) {
  check_product(op, a, b, "(n, k) and (k, m)",
                a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0));
}
void check_bmm(const char* op, const Tensor& a, const Tensor& b) {
  check_product(op, a, b, "(B, n, k) and (B, k, m)",
                a.dim() == 3 && b.dim() == 3 && a.size(0) == b.size(0) && a.size(2) == b.size(1));
}

// beta x + alpha product, where x broadcasts to the product's shape.
Tensor weighted_sum(const char* op, const Tensor& x, const Tensor& product, Scalar beta,
                    Scalar alpha) {
  core::check_same(op, x.dtype(), product.dtype());
  core::dispatch_numeric(op, x.dtype(), [&]<class T>() { beta.to<T>(op), alpha.to<T>(op); });
  core::expanded(op, x.shape(), x.strides(), product.shape());
  const auto value = [&] {
    const Tensor all(NDArray::full({}, true, Bool));
    const Tensor left = beta.real() == 0 ? masked_fill(x, all, 0) : beta.real() == 1 ? x : x * beta;
    return left + (alpha.real() == 1 ? product : product * alpha);
  };
  return composed(op, value, unprinted(beta, alpha));
}

}  // namespace

Tensor mm(const Tensor& a, const Tensor& b) {
  check_defined("mm", a, b);
  check_mm("mm", a, b);
  return matmul(a, b);
}

Tensor bmm(const Tensor& a, const Tensor& b) {
  check_defined("bmm", a, b);
  check_bmm("bmm", a, b);
  return matmul(a, b);
}

Tensor mv(const Tensor& a, const Tensor& v) {
  check_defined("mv", a, v);
  check_product("mv", a, v, "(n, k) and (k)",
                a.dim() == 2 && v.dim() == 1 && a.size(1) == v.size(0));
  return matmul(a, v);
}

Tensor dot(const Tensor& a, const Tensor& b) {
  check_defined("dot", a, b);
  check_product("dot", a, b, "(n) and (n)", a.dim() == 1 && b.dim() == 1 && a.size(0) == b.size(0));
  return matmul(a, b);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  check_defined("outer", a, b);
  check_product("outer", a, b, "(n) and (m)", a.dim() == 1 && b.dim() == 1);
  return unsqueeze(a, 1) * b;
}

Tensor addmm(const Tensor& x, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  check_defined("addmm", x, a, b);
  check_mm("addmm", a, b);
  return weighted_sum("addmm", x, matmul(a, b), beta, alpha);
}

Tensor baddbmm(const Tensor& x, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  check_defined("baddbmm", x, a, b);
  check_bmm("baddbmm", a, b);
  return weighted_sum("baddbmm", x, matmul(a, b), beta, alpha);
}

}  // namespace tapehead
