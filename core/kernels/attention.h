// Attention of one head, a block of queries at a time: the (Tq, Tk) scores are never all there.
#pragma once

#include "table.h"

namespace tapehead::core::kernels {

/// Elements (i, j) of a matrix of any strides: data[i * row + j * col]. Null where there is none.
template <class T>
struct Matrix {
  const T* data;
  Index row, col;
};

/// Row i: softmax(scale q_i k^T + bias_i, -1e9 where mask_i is false) times keep_i, times v.
template <class T>
struct Head {
  Index tq, tk, d, d_v;
  Matrix<T> q, k, v;
  Matrix<bool> mask;
  Matrix<T> bias, keep;
  T scale;
};

template <class T>
struct AttentionKernels {
  /// How many T of workspace both want.
  Index (*workspace)(const Head<T>& head);
  /// Queries begin … end of out (tq, d_v) and, unless null, weights (tq, tk).
  void (*forward)(const Head<T>& head, Index begin, Index end, T* out, T* weights, T* workspace);
  /// All of dq, dk, dv (row-major) and, unless null, dscores (tq, tk), from the gradient g of out.
  void (*backward)(const Head<T>& head, Matrix<T> g, Matrix<T> out, T* dq, T* dk, T* dv, T* dscores,
                   T* workspace);

  template <Isa>
  static const AttentionKernels& of();
};

/// Queries in one block; `begin` above is a multiple.
inline constexpr Index query_block = 48;

}  // namespace tapehead::core::kernels
