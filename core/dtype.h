// The four dtypes, and numbers on their way into arrays.
//
//   dispatch(x.dtype(), [&]<class T>() { std::fill_n(x.mutable_data<T>(), x.size(), T{}); });
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include "error.h"
#include "shape.h"

namespace tapehead {

using core::Index;

enum class DType : std::uint8_t { Float32, Float64, Int64, Bool };

/// "Float32", …
const char* name(DType dtype);

/// Bytes of one element.
constexpr Index size_of(DType dtype) {
  return dtype == DType::Bool ? 1 : dtype == DType::Float32 ? 4 : 8;
}
constexpr bool is_floating(DType dtype) { return dtype <= DType::Float64; }

}  // namespace tapehead

namespace tapehead::core {

/// A whole number type to count with.
template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;

/// Whether T can hold `value`, less its fraction where T is whole.
template <class T, class U>
bool holds(U value) {
  if constexpr (Whole<T> && std::floating_point<U>) {
    constexpr U limit = 2 * static_cast<U>(std::numeric_limits<T>::max() / 2 + 1);  // a power of 2
    const U whole = std::trunc(value);
    return whole < limit && whole >= (std::is_signed_v<T> ? -limit : U{0});
  } else if constexpr (Whole<T> && Whole<U>) {
    return static_cast<U>(static_cast<T>(value)) == value &&
           (static_cast<T>(value) < 0) == (value < 0);
  } else {
    return true;
  }
}

/// `value` as a T, less its fraction where T is whole. DTypeError where T cannot hold it.
template <class T, class U>
T converted(const char* op, U value) {
  if (!holds<T>(value)) [[unlikely]]
    fail<DTypeError>(op, ": ", value, " is beyond what ", 8 * sizeof(T),
                     "-bit whole numbers hold; keep it a floating-point number");
  return static_cast<T>(value);
}

}  // namespace tapehead::core

namespace tapehead {

/// A number given by the user, whole or not, before it takes a tensor's dtype.
class Scalar {
 public:
  template <std::integral T>
  Scalar(T value)
      : real_(static_cast<double>(value)),
        whole_(core::converted<Index>("scalar", value)),
        dtype_(std::is_same_v<T, bool> ? DType::Bool : DType::Int64) {}
  template <std::floating_point T>
  Scalar(T value) : real_(static_cast<double>(value)), dtype_(DType::Float32) {}

  /// What a tensor of this number alone would have: Bool, Int64 or Float32.
  DType dtype() const { return dtype_; }
  Scalar operator-() const {
    if (!is_whole()) return -real_;
    return static_cast<Index>(-static_cast<std::uint64_t>(whole_));
  }
  bool is_whole() const { return dtype_ != DType::Float32; }
  double real() const { return real_; }

  /// Whether a T can be equal to it: no fraction is lost, and it is in T's range.
  template <class T>
  bool fits() const {
    if constexpr (std::is_same_v<T, bool>) return real_ == 0 || real_ == 1;
    if constexpr (std::is_same_v<T, Index>)
      return is_whole() || (real_ == std::trunc(real_) && core::holds<Index>(real_));
    return true;
  }

  /// As a T. DTypeError where T is Index and the number has a fractional part or does not fit.
  template <class T>
  T to(const char* op) const {
    if constexpr (std::is_same_v<T, Index>) {
      return is_whole() ? whole_ : truncated(op);
    } else if constexpr (std::is_same_v<T, bool>) {
      return real_ != 0;
    } else {
      return static_cast<T>(real_);
    }
  }
  /// The same for an element of its own: DTypeError too where a finite number is beyond T.
  template <class T>
  T stored(const char* op) const {
    if constexpr (std::is_same_v<T, float>)
      if (std::isfinite(real_) && std::abs(real_) > double{std::numeric_limits<T>::max()})
        beyond_float(op);
    return to<T>(op);
  }

 private:
  Index truncated(const char* op) const;
  [[noreturn]] void beyond_float(const char* op) const;

  double real_;
  Index whole_ = 0;
  DType dtype_;
};
std::ostream& operator<<(std::ostream& out, const Scalar& scalar);

}  // namespace tapehead

namespace tapehead::core {

using tapehead::DType;
using tapehead::is_floating;
using tapehead::name;
using tapehead::Scalar;
using tapehead::size_of;

/// The dtype of a C++ type: float, double, Index or bool.
template <class T>
inline constexpr DType dtype_of = DType::Bool;
template <>
inline constexpr DType dtype_of<float> = DType::Float32;
template <>
inline constexpr DType dtype_of<double> = DType::Float64;
template <>
inline constexpr DType dtype_of<Index> = DType::Int64;

/// DTypeError unless `dtype` is Float32 or Float64.
inline void check_floating(const char* op, DType dtype) {
  if (!is_floating(dtype)) [[unlikely]]
    fail<DTypeError>(op, ": expected Float32 or Float64, got ", name(dtype),
                     "; convert with .to(Float32)");
}

/// Calls f.operator()<T>() with the C++ type of a floating `dtype`; DTypeError for the others.
template <class F>
decltype(auto) dispatch_floating(const char* op, DType dtype, F f) {
  check_floating(op, dtype);
  if (dtype == DType::Float32) return f.template operator()<float>();
  return f.template operator()<double>();
}

/// Of two dtypes the one that holds more: Bool, Int64, Float32, Float64 in this order.
inline DType wider(DType a, DType b) {
  for (const DType dtype : {DType::Float64, DType::Float32, DType::Int64})
    if (a == dtype || b == dtype) return dtype;
  return DType::Bool;
}
/// DTypeError, which advises to convert to `wanted`, unless both are the same.
inline void check_same(const char* op, DType a, DType b, DType wanted) {
  if (a != b) [[unlikely]]
    fail<DTypeError>(op, ": dtypes ", name(a), " and ", name(b),
                     " differ; convert one of them, for example with .to(", name(wanted), ")");
}
inline void check_same(const char* op, DType a, DType b) { check_same(op, a, b, wider(a, b)); }

/// DTypeError for Bool, which cannot be counted with.
inline void check_numeric(const char* op, DType dtype) {
  if (dtype == DType::Bool)
    fail<DTypeError>(op, ": expected a numeric dtype, got Bool; convert with .to(Int64)");
}
/// The same for the dtypes that can be counted with.
template <class F>
decltype(auto) dispatch_numeric(const char* op, DType dtype, F f) {
  if (dtype == DType::Int64) return f.template operator()<Index>();
  check_numeric(op, dtype);
  return dispatch_floating(op, dtype, f);
}

/// The same for every dtype.
template <class F>
decltype(auto) dispatch(DType dtype, F f) {
  switch (dtype) {
    case DType::Float32:
      return f.template operator()<float>();
    case DType::Float64:
      return f.template operator()<double>();
    case DType::Int64:
      return f.template operator()<Index>();
    default:
      return f.template operator()<bool>();
  }
}

}  // namespace tapehead::core
