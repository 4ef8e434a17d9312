// Comparisons: Bool results, which have no gradient.
#include <cmath>

#include "../../core/elementwise.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {

Tensor eq(const Tensor& a, const Tensor& b) {
  check_defined("eq", a, b);
  return record(
      "eq", [&] { return core::eq(a.array(), b.array()); }, with(a, b));
}
Tensor ne(const Tensor& a, const Tensor& b) {
  check_defined("ne", a, b);
  return record(
      "ne", [&] { return core::ne(a.array(), b.array()); }, with(a, b));
}
Tensor lt(const Tensor& a, const Tensor& b) {
  check_defined("lt", a, b);
  return record(
      "lt", [&] { return core::lt(a.array(), b.array()); }, with(a, b));
}
Tensor le(const Tensor& a, const Tensor& b) {
  check_defined("le", a, b);
  return record(
      "le", [&] { return core::le(a.array(), b.array()); }, with(a, b));
}
Tensor gt(const Tensor& a, const Tensor& b) {
  check_defined("gt", a, b);
  return record(
      "gt", [&] { return core::gt(a.array(), b.array()); }, with(a, b));
}
Tensor ge(const Tensor& a, const Tensor& b) {
  check_defined("ge", a, b);
  return record(
      "ge", [&] { return core::ge(a.array(), b.array()); }, with(a, b));
}

Tensor eq(const Tensor& a, Scalar b) {
  check_defined("eq", a);
  return record(
      "eq", [&] { return core::eq(a.array(), b); }, with(a), args(b));
}
Tensor ne(const Tensor& a, Scalar b) {
  check_defined("ne", a);
  return record(
      "ne", [&] { return core::ne(a.array(), b); }, with(a), args(b));
}
Tensor lt(const Tensor& a, Scalar b) {
  check_defined("lt", a);
  return record(
      "lt", [&] { return core::lt(a.array(), b); }, with(a), args(b));
}
Tensor le(const Tensor& a, Scalar b) {
  check_defined("le", a);
  return record(
      "le", [&] { return core::le(a.array(), b); }, with(a), args(b));
}
Tensor gt(const Tensor& a, Scalar b) {
  check_defined("gt", a);
  return record(
      "gt", [&] { return core::gt(a.array(), b); }, with(a), args(b));
}
Tensor ge(const Tensor& a, Scalar b) {
  check_defined("ge", a);
  return record(
      "ge", [&] { return core::ge(a.array(), b); }, with(a), args(b));
}

Tensor logical_not(const Tensor& x) {
  check_defined("logical_not", x);
  return record(
      "logical_not", [&] { return core::logical_not(x.array()); }, with(x));
}
Tensor logical_and(const Tensor& a, const Tensor& b) {
  check_defined("logical_and", a, b);
  return record(
      "logical_and", [&] { return core::logical_and(a.array(), b.array()); }, with(a, b));
}
Tensor logical_or(const Tensor& a, const Tensor& b) {
  check_defined("logical_or", a, b);
  return record(
      "logical_or", [&] { return core::logical_or(a.array(), b.array()); }, with(a, b));
}

Tensor logical_xor(const Tensor& a, const Tensor& b) {
  check_defined("logical_xor", a, b);
  return record(
      "logical_xor", [&] { return core::logical_xor(a.array(), b.array()); }, with(a, b));
}

// Error for what is not a mask: PyTorch works on the bits of Int64, which are not here.
static void check_masks(const char* op, const char* function, std::initializer_list<DType> dtypes) {
  for (const DType dtype : dtypes)
    if (dtype != Bool)
      fail<DTypeError>(op, ": expected Bool masks, got ", name(dtype), "; for what is not 0 use ",
                       function);
}
Tensor operator&(const Tensor& a, const Tensor& b) {
  check_defined("&", a, b);
  check_masks("&", "logical_and", {a.dtype(), b.dtype()});
  return logical_and(a, b);
}
Tensor operator|(const Tensor& a, const Tensor& b) {
  check_defined("|", a, b);
  check_masks("|", "logical_or", {a.dtype(), b.dtype()});
  return logical_or(a, b);
}
Tensor operator^(const Tensor& a, const Tensor& b) {
  check_defined("^", a, b);
  check_masks("^", "logical_xor", {a.dtype(), b.dtype()});
  return logical_xor(a, b);
}
Tensor operator~(const Tensor& x) {
  check_defined("~", x);
  check_masks("~", "logical_not", {x.dtype()});
  return logical_not(x);
}

// Only floats hold other than finite numbers.
static NDArray is(const NDArray& x, bool infinite) {
  if (!is_floating(x.dtype())) return NDArray::full(x.shape(), !infinite, Bool);
  const NDArray size = core::abs(x);
  return infinite ? core::eq(size, INFINITY) : core::lt(size, INFINITY);
}
Tensor isnan(const Tensor& x) {
  check_defined("isnan", x);
  return record(
      "isnan", [&] { return core::ne(x.array(), x.array()); }, with(x));
}
Tensor isinf(const Tensor& x) {
  check_defined("isinf", x);
  return record(
      "isinf", [&] { return is(x.array(), true); }, with(x));
}
Tensor isfinite(const Tensor& x) {
  check_defined("isfinite", x);
  return record(
      "isfinite", [&] { return is(x.array(), false); }, with(x));
}

Tensor isclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  check_defined("isclose", a, b);
  return record(
      "isclose", [&] { return core::isclose(a.array(), b.array(), rtol, atol, equal_nan); },
      with(a, b), args(rtol, atol));
}
bool equal(const Tensor& a, const Tensor& b) {
  check_defined("equal", a, b);
  return core::equal(a.array(), b.array());
}
bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  check_defined("allclose", a, b);
  return core::allclose(a.array(), b.array(), rtol, atol, equal_nan);
}

}  // namespace tapehead
