// What every kernel file starts from: its namespace and vectors of its instruction set's own width.
// Included by kernel files only. Functions here are templates over V, a float, a double or a vector
// of them, so that what is left over at the end of a row can be done one by one.
#pragma once

#include "table.h"

#if !defined(TAPEHEAD_ISA)
#error "kernel files are compiled once per instruction set: define TAPEHEAD_ISA"
#endif

namespace tapehead::core::kernels::TAPEHEAD_ISA {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

template <class T>
inline constexpr bool is_real = false;
template <>
inline constexpr bool is_real<float> = true;
template <>
inline constexpr bool is_real<double> = true;

template <class T>
struct VecOf {
  typedef T type __attribute__((vector_size(vector_bytes)));
  typedef T loose __attribute__((vector_size(vector_bytes), aligned(alignof(T)), may_alias));
};
/// As many T as a register holds; arithmetic is element by element.
template <class T>
using Vec = typename VecOf<T>::type;

template <class T>
inline constexpr int width = vector_bytes / static_cast<int>(sizeof(T));

template <class T>
inline Vec<T> load(const T* p) {
  return *reinterpret_cast<const typename VecOf<T>::loose*>(p);
}
template <class T>
inline void store(T* p, Vec<T> v) {
  *reinterpret_cast<typename VecOf<T>::loose*>(p) = v;
}

/// The element type of V, and unsigned integers of the same size and number.
template <class V>
struct Lane;
template <>
struct Lane<float> {
  using T = float;
  using Bits = std::uint32_t;
};
template <>
struct Lane<double> {
  using T = double;
  using Bits = std::uint64_t;
};
template <>
struct Lane<Vec<float>> {
  using T = float;
  using Bits = Vec<std::uint32_t>;
};
template <>
struct Lane<Vec<double>> {
  using T = double;
  using Bits = Vec<std::uint64_t>;
};
template <class V>
using Element = typename Lane<V>::T;
template <class V>
using Bits = typename Lane<V>::Bits;

template <class V>
inline Bits<V> to_bits(V x) {
  return __builtin_bit_cast(Bits<V>, x);
}
template <class V>
inline V from_bits(Bits<V> bits) {
  return __builtin_bit_cast(V, bits);
}

}  // namespace tapehead::core::kernels::TAPEHEAD_ISA
