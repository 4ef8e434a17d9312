// Packing: a strip of up to `lanes` rows (of A) or columns (of B) is laid out as [k][lanes], the
// order in which the tile reads it. What the strip lacks is filled with zeros.
#pragma once

#include "isa.h"

namespace tapehead::core::kernels::TAPEHEAD_ISA {

inline Index smaller(Index a, Index b) { return a < b ? a : b; }

template <int... I>
struct Ints {};
template <int N, int... I>
struct CountTo : CountTo<N - 1, N - 1, I...> {};
template <int... I>
struct CountTo<0, I...> {
  using type = Ints<I...>;
};

// a0 b0 a1 b1 ... from the lower or the upper halves.
template <class V, int... I>
inline V interleaved_low(V a, V b, Ints<I...>) {
  return __builtin_shufflevector(a, b, (I / 2 + I % 2 * int{sizeof...(I)})...);
}
template <class V, int... I>
inline V interleaved_high(V a, V b, Ints<I...>) {
  constexpr int n = sizeof...(I);
  return __builtin_shufflevector(a, b, (n / 2 + I / 2 + I % 2 * n)...);
}

// Transposes a square of vectors: interleaving rows i and i + n / 2 moves one bit of the column
// number into the row number, so log2(n) rounds move all of them.
template <class T>
inline void transpose(Vec<T> (&rows)[width<T>]) {
  constexpr int n = width<T>;
  using Lanes = typename CountTo<n>::type;
#pragma GCC unroll 4
  for (int round = 1; round < n; round *= 2) {
    Vec<T> next[n];
#pragma GCC unroll 8
    for (int i = 0; i < n / 2; ++i) {
      next[2 * i] = interleaved_low(rows[i], rows[i + n / 2], Lanes{});
      next[2 * i + 1] = interleaved_high(rows[i], rows[i + n / 2], Lanes{});
    }
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) rows[i] = next[i];
  }
}

template <class T>
inline void copy(T* to, const T* from, Index n) {
  Index i = 0;
  for (; i + width<T> <= n; i += width<T>) store(to + i, load(from + i));
  for (; i < n; ++i) to[i] = from[i];
}

/// Lane r of step l is from[r * lane + l * step]; `count` of the `lanes` are there.
template <class T>
void pack(T* to, Index lanes, Index count, Index k, const T* from, Index lane, Index step) {
  constexpr int w = width<T>;
  if (count < lanes)
    for (Index l = 0; l < k; ++l)
      for (Index r = count; r < lanes; ++r) to[l * lanes + r] = 0;
  Index done = 0;  // lanes
  if (lane == 1) {
    for (Index l = 0; l < k; ++l) copy(to + l * lanes, from + l * step, count);
    done = count;
  } else if (step == 1) {
    for (; done + w <= count; done += w) {
      Index l = 0;
      for (; l + w <= k; l += w) {
        Vec<T> square[w];
#pragma GCC unroll 16
        for (int r = 0; r < w; ++r) square[r] = load(from + (done + r) * lane + l);
        transpose<T>(square);
#pragma GCC unroll 16
        for (int r = 0; r < w; ++r) store(to + (l + r) * lanes + done, square[r]);
      }
      for (; l < k; ++l)
        for (int r = 0; r < w; ++r) to[l * lanes + done + r] = from[(done + r) * lane + l];
    }
  }
  for (Index l = 0; l < k; ++l)
    for (Index r = done; r < count; ++r) to[l * lanes + r] = from[r * lane + l * step];
}

}  // namespace tapehead::core::kernels::TAPEHEAD_ISA
