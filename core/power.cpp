// Powers, sines and cosines: the functions that the C library computes.
#include <cmath>

#include "detail/rows.h"
#include "elementwise.h"

namespace tapehead::core {
namespace {

template <class T, class F>
void map_row(Index n, std::byte* const* data) {
  T* out = reinterpret_cast<T*>(data[0]);
  const T* x = reinterpret_cast<const T*>(data[1]);
  for (Index i = 0; i < n; ++i) out[i] = F{}(x[i]);
}
template <class T, class F>
void zip_row(Index n, std::byte* const* data) {
  T* out = reinterpret_cast<T*>(data[0]);
  const T *x = reinterpret_cast<const T*>(data[1]), *y = reinterpret_cast<const T*>(data[2]);
  for (Index i = 0; i < n; ++i) out[i] = F{}(x[i], y[i]);
}

template <class F>
NDArray map(const char* op, const NDArray& x, F) {
  return dispatch_floating(op, x.dtype(), [&]<class T>() {
    NDArray out = NDArray::empty(x.shape(), x.dtype());
    for_rows(map_row<T, F>, x.shape(),
             std::array{operand(op, out, x.shape()), operand(op, x, x.shape())});
    return out;
  });
}

constexpr auto power = []<class T>(T x, T y) {
  if constexpr (std::is_same_v<T, Index>) {
    std::uint64_t result = 1, factor = static_cast<std::uint64_t>(x);  // wraps around
    for (; y > 0; y >>= 1, factor *= factor)
      if (y & 1) result *= factor;
    return static_cast<Index>(result);
  } else {
    return std::pow(x, y);
  }
};

NDArray powers(DType dtype, const Shape& shape, const Operand& base, const Operand& exponent) {
  return dispatch_numeric("pow", dtype, [&]<class T>() {
    NDArray out = NDArray::empty(shape, dtype);
    for_rows(zip_row<T, std::remove_const_t<decltype(power)>>, shape,
             std::array{operand("pow", out, shape), base, exponent});
    return out;
  });
}

void check_exponent(DType dtype, Scalar exponent) {
  if (dtype == DType::Int64 && exponent.real() < 0)
    fail<DTypeError>("pow: Int64 to the power ", exponent,
                     " is not a whole number; convert with .to(Float32) first");
}
void check_exponents(const NDArray& exponents) {
  if (exponents.dtype() != DType::Int64) return;
  const NDArray flat = exponents.contiguous();
  for (Index i = 0; i < flat.size(); ++i) check_exponent(DType::Int64, flat.data<Index>()[i]);
}

}  // namespace

NDArray sin(const NDArray& x) {
  return map("sin", x, [](auto v) { return std::sin(v); });
}
NDArray cos(const NDArray& x) {
  return map("cos", x, [](auto v) { return std::cos(v); });
}

NDArray pow(const NDArray& a, const NDArray& b) {
  check_same("pow", a.dtype(), b.dtype());
  check_exponents(b);
  const Shape shape = broadcast("pow", a.shape(), b.shape());
  return powers(a.dtype(), shape, operand("pow", a, shape), operand("pow", b, shape));
}

// The powers that are common have functions of their own.
NDArray pow(const NDArray& a, Scalar b) {
  check_exponent(a.dtype(), b);
  const double p = b.real();
  if (is_floating(a.dtype())) {
    if (p == 2) return mul(a, a);
    if (p == 3) return mul(mul(a, a), a);
    if (p == 0.5) return sqrt(a);
    if (p == -0.5) return rsqrt(a);
    if (p == -1) return div(1, a);
    if (p == -2) return div(1, mul(a, a));
  }
  return dispatch_numeric("pow", a.dtype(), [&]<class T>() {
    T exponent = b.to<T>("pow");
    return powers(a.dtype(), a.shape(), operand("pow", a, a.shape()), operand(exponent, a.shape()));
  });
}
NDArray pow(Scalar a, const NDArray& b) {
  check_exponents(b);
  return dispatch_numeric("pow", b.dtype(), [&]<class T>() {
    T base = a.to<T>("pow");
    return powers(b.dtype(), b.shape(), operand(base, b.shape()), operand("pow", b, b.shape()));
  });
}

}  // namespace tapehead::core
