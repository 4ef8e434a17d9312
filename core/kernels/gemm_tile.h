// The inner loop of a product: a tile of C that fits the registers.
#pragma once

#include "isa.h"

namespace tapehead::core::kernels::TAPEHEAD_ISA {

// Rows of the tile, which is two vectors wide: with the two of B and one of A, all registers.
inline constexpr int tile_rows = vector_bytes == 64 ? 12 : vector_bytes == 32 ? 6 : 4;

/// Where the tile reads A: a[i * row + l * col]; B: `row` apart.
template <class T>
struct TileInput {
  const T* a;
  Index a_row, a_col;
  const T* b;
  Index b_row;
};

/// sums (R rows, N vectors) = the k products.
template <int R, int N, class T>
inline void multiply_tile(Index k, const TileInput<T>& in, Vec<T> (&sums)[R][N]) {
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) sums[i][j] = Vec<T>{};
  const T *a = in.a, *b = in.b;
  for (Index l = 0; l < k; ++l, a += in.a_col, b += in.b_row) {
    Vec<T> row[N];
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) row[j] = load(b + j * width<T>);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j) sums[i][j] += a[i * in.a_row] * row[j];
  }
}

/// The first `columns` of the N vectors to C, or added to it.
template <int R, int N, class T>
inline void store_tile(const Vec<T> (&sums)[R][N], T* c, Index c_row, Index columns,
                       bool accumulate) {
  if (columns == N * width<T>) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j) {
        T* const to = c + i * c_row + j * width<T>;
        store(to, accumulate ? load(to) + sums[i][j] : sums[i][j]);
      }
    return;
  }
  for (int i = 0; i < R; ++i) {
    T row[N * width<T>];
    for (int j = 0; j < N; ++j) store(row + j * width<T>, sums[i][j]);
    T* const to = c + i * c_row;
    for (Index j = 0; j < columns; ++j) to[j] = accumulate ? to[j] + row[j] : row[j];
  }
}

}  // namespace tapehead::core::kernels::TAPEHEAD_ISA
