// Sums and maxima of rows. Every instruction set keeps the same number of partial results, 64 bytes
// of them, and combines them in the same order, so that all give the same bits.
#pragma once

#include "isa.h"

namespace tapehead::core::kernels::TAPEHEAD_ISA {

inline constexpr int parts = 64 / vector_bytes;
template <class T>
inline constexpr int lanes = 64 / static_cast<int>(sizeof(T));

/// 64 bytes of T.
template <class T>
struct Lanes {
  Vec<T> part[parts];
};

template <class T>
inline Lanes<T> all(T value) {
  Lanes<T> result;
  for (auto& v : result.part) v = Vec<T>{} + value;
  return result;
}

template <class T>
inline Lanes<T> load_lanes(const T* p) {
  Lanes<T> result;
  for (int i = 0; i < parts; ++i) result.part[i] = load(p + i * width<T>);
  return result;
}
template <class T>
inline void store_lanes(T* p, const Lanes<T>& x) {
  for (int i = 0; i < parts; ++i) store(p + i * width<T>, x.part[i]);
}

/// The first n, with `filler` for the others.
template <class T>
inline Lanes<T> load_lanes(const T* p, Index n, T filler) {
  T row[lanes<T>];
  for (int i = 0; i < lanes<T>; ++i) row[i] = i < n ? p[i] : filler;
  return load_lanes(row);
}
template <class T>
inline void store_lanes(T* p, Index n, const Lanes<T>& x) {
  T row[lanes<T>];
  store_lanes(row, x);
  for (Index i = 0; i < n; ++i) p[i] = row[i];
}

/// f of each vector.
template <class F, class T, class... More>
inline Lanes<T> each(const F& f, const Lanes<T>& x, const More&... more) {
  Lanes<T> result;
  for (int i = 0; i < parts; ++i) result.part[i] = f(x.part[i], more.part[i]...);
  return result;
}

template <class T>
inline void add(Lanes<T>& sum, const Lanes<T>& x) {
  for (int i = 0; i < parts; ++i) sum.part[i] += x.part[i];
}
template <class T>
inline void multiply_add(Lanes<T>& sum, const Lanes<T>& x, const Lanes<T>& y) {
  for (int i = 0; i < parts; ++i) sum.part[i] += x.part[i] * y.part[i];
}
/// The larger, and NaN if either is.
template <class T>
inline void keep_larger(Lanes<T>& most, const Lanes<T>& x) {
  for (int i = 0; i < parts; ++i)
    most.part[i] =
        most.part[i] >= x.part[i] || most.part[i] != most.part[i] ? most.part[i] : x.part[i];
}

/// All lanes together, halves first.
template <class T>
inline T sum(const Lanes<T>& x) {
  T row[lanes<T>];
  store_lanes(row, x);
  for (int half = lanes<T> / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) row[i] += row[i + half];
  return row[0];
}
template <class T>
inline T largest(const Lanes<T>& x) {
  T row[lanes<T>];
  store_lanes(row, x);
  for (int half = lanes<T> / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i)
      row[i] = row[i] >= row[i + half] || row[i] != row[i] ? row[i] : row[i + half];
  return row[0];
}

}  // namespace tapehead::core::kernels::TAPEHEAD_ISA
