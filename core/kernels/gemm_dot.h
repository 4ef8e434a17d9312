// Products of few rows with a B whose columns lie along memory: dot products, B read once.
#pragma once

#include "gemm.h"
#include "lanes.h"

namespace tapehead::core::kernels::TAPEHEAD_ISA {

inline constexpr Index dot_rows = 4;

// C columns at once share the reads of a.
template <int C, class T>
inline void dots(Index k, const T* a, const T* b, Index b_col, T* out) {
  Lanes<T> sums[C] = {};
  Index l = 0;
  for (; l + lanes<T> <= k; l += lanes<T>) {
    const Lanes<T> x = load_lanes(a + l);
    for (int j = 0; j < C; ++j) multiply_add(sums[j], x, load_lanes(b + j * b_col + l));
  }
  if (l < k) {
    const Lanes<T> x = load_lanes(a + l, k - l, T{0});
    for (int j = 0; j < C; ++j)
      multiply_add(sums[j], x, load_lanes(b + j * b_col + l, k - l, T{0}));
  }
  for (int j = 0; j < C; ++j) out[j] = sum(sums[j]);
}

template <class T>
void multiply_dots(const Product<T>& p) {
  constexpr int group = 4;
  for (Index j = 0; j < p.n; j += group)
    for (Index i = 0; i < p.m; ++i) {
      T row[group];
      const T *const a = p.a + i * p.a_row, *const b = p.b + j * p.b_col;
      const Index columns = p.n - j < group ? p.n - j : group;
      if (columns == group)
        dots<group>(p.k, a, b, p.b_col, row);
      else
        for (Index c = 0; c < columns; ++c) dots<1>(p.k, a, b + c * p.b_col, p.b_col, row + c);
      T* const c = p.c + i * p.c_row + j;
      for (Index q = 0; q < columns; ++q) c[q] = p.accumulate ? c[q] + row[q] : row[q];
    }
}

}  // namespace tapehead::core::kernels::TAPEHEAD_ISA
