// One matrix product on one thread.
#pragma once

#include "table.h"

namespace tapehead::core::kernels {

/// C (m, n) = A (m, k) B (k, n), or C += A B. Element (i, j) of A is a[i * a_row + j * a_col]; rows
/// of C lie c_row apart.
template <class T>
struct Product {
  Index m, n, k;
  const T* a;
  Index a_row, a_col;
  const T* b;
  Index b_row, b_col;
  T* c;
  Index c_row;
  bool accumulate;
};

template <class T>
struct GemmKernels {
  /// How many T of workspace `gemm` wants.
  Index (*workspace)(Index m, Index n, Index k);
  void (*gemm)(const Product<T>& product, T* workspace);

  template <Isa>
  static const GemmKernels& of();
};

}  // namespace tapehead::core::kernels
