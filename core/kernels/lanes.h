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
inline Lanes<T> load_lanes(const T* p, Index n, T filler = 0) {
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
/// The first n, and zeros.
template <class T>
inline Lanes<T> first(const Lanes<T>& x, Index n) {
  T row[lanes<T>];
  store_lanes(row, x);
  return load_lanes(row, n);
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
/// All lanes together, halves first.
template <class T>
inline T sum(const Lanes<T>& x) {
  T row[lanes<T>];
  store_lanes(row, x);
  for (int half = lanes<T> / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) row[i] += row[i + half];
  return row[0];
}

/// y_i = f(in_i...) for i < n.
template <class T, class F, class... In>
inline void map_along(Index n, T* y, const F& f, const In*... in) {
  Index i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>) store_lanes(y + i, each(f, load_lanes(in + i)...));
  if (i < n) store_lanes(y + i, n - i, each(f, load_lanes(in + i, n - i)...));
}

/// The sum of f(in_i...) for i < n.
template <class T, class F, class... In>
inline T sum_along(Index n, const F& f, const T* x, const In*... in) {
  Lanes<T> total = all(T{0});
  Index i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>)
    add(total, each(f, load_lanes(x + i), load_lanes(in + i)...));
  if (i < n)
    add(total, first(each(f, load_lanes(x + i, n - i), load_lanes(in + i, n - i)...), n - i));
  return sum(total);
}

/// The largest of n numbers, NaN left aside; -inf if there is none.
template <class T>
inline T largest_along(Index n, const T* x) {
  constexpr T none = -__builtin_huge_valf();
  Lanes<T> most = all(none);
  const auto keep = [&](const Lanes<T>& next) {
    for (int i = 0; i < parts; ++i)
      most.part[i] = next.part[i] > most.part[i] ? next.part[i] : most.part[i];
  };
  Index i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>) keep(load_lanes(x + i));
  if (i < n) keep(load_lanes(x + i, n - i, none));
  T row[lanes<T>];
  store_lanes(row, most);
  for (int half = lanes<T> / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) row[k] = row[k + half] > row[k] ? row[k + half] : row[k];
  return row[0];
}

}  // namespace tapehead::core::kernels::TAPEHEAD_ISA
