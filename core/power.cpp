// Powers, remainders, sines, cosines, and logarithms to other bases: the functions that the C
// library computes.
#include <algorithm>
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

// The largest whole number not above x / y, by way of the remainder, so that it is exact.
constexpr auto floored = []<class T>(T x, T y) {
  if constexpr (std::is_same_v<T, Index>) {
    if (y == -1) return static_cast<Index>(-static_cast<std::uint64_t>(x));  // wraps around
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
  } else {
    if (y == 0) return x / y;
    const T rest = std::fmod(x, y);
    const T quotient = (x - rest) / y - T(rest != 0 && (rest < 0) != (y < 0));
    if (quotient == 0) return std::copysign(T{0}, x / y);
    const T whole = std::floor(quotient);
    return quotient - whole > T(0.5) ? whole + 1 : whole;
  }
};

// With the sign of y.
constexpr auto rest = []<class T>(T x, T y) {
  if constexpr (std::is_same_v<T, Index>) {
    if (y == -1) return Index{0};  // x % y may overflow
    const Index r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
  } else {
    const T r = std::fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
  }
};

template <class F>
NDArray zip(const char* op, DType dtype, const Shape& shape, const Operand& a, const Operand& b,
            F) {
  return dispatch_numeric(op, dtype, [&]<class T>() {
    NDArray out = NDArray::empty(shape, dtype);
    for_rows(zip_row<T, F>, shape, std::array{operand(op, out, shape), a, b});
    return out;
  });
}
NDArray powers(DType dtype, const Shape& shape, const Operand& base, const Operand& exponent) {
  return zip("pow", dtype, shape, base, exponent, power);
}

void check_divisors(const char* op, const NDArray& b) {
  if (b.dtype() != DType::Int64) return;
  const NDArray flat = b.contiguous();
  if (std::count(flat.data<Index>(), flat.data<Index>() + flat.size(), Index{0}) > 0)
    fail(op, ": whole numbers cannot be divided by 0; convert with .to(Float32), where they can");
}

template <class F>
NDArray divided(const char* op, const NDArray& a, const NDArray& b, F f) {
  check_same(op, a.dtype(), b.dtype());
  check_divisors(op, b);
  const Shape shape = broadcast(op, a.shape(), b.shape());
  return zip(op, a.dtype(), shape, operand(op, a, shape), operand(op, b, shape), f);
}
template <class F>
NDArray divided(const char* op, const NDArray& a, Scalar b, F f) {
  return dispatch_numeric(op, a.dtype(), [&]<class T>() {
    NDArray divisor = NDArray::empty({}, a.dtype());
    *divisor.mutable_data<T>(op) = b.to<T>(op);
    return divided(op, a, divisor, f);
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
NDArray log2(const NDArray& x) {
  return map("log2", x, [](auto v) { return std::log2(v); });
}
NDArray log10(const NDArray& x) {
  return map("log10", x, [](auto v) { return std::log10(v); });
}

NDArray floor_divide(const NDArray& a, const NDArray& b) {
  return divided("floor_divide", a, b, floored);
}
NDArray remainder(const NDArray& a, const NDArray& b) { return divided("remainder", a, b, rest); }
NDArray floor_divide(const NDArray& a, Scalar b) { return divided("floor_divide", a, b, floored); }
NDArray remainder(const NDArray& a, Scalar b) { return divided("remainder", a, b, rest); }

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
