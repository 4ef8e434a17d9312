// Softmax and its relatives on `rows` rows of n numbers, each row right after the other.
#pragma once

#include "table.h"

namespace tapehead::core::kernels {

template <class T>
struct SoftmaxKernels {
  /// y = exp(x) / sum(exp(x)), and dx = y (g - sum(g y)).
  void (*softmax)(Index rows, Index n, const T* x, T* y);
  void (*softmax_backward)(Index rows, Index n, const T* g, const T* y, T* dx);
  /// y = x - log(sum(exp(x))), and dx = g - exp(y) sum(g).
  void (*log_softmax)(Index rows, Index n, const T* x, T* y);
  void (*log_softmax_backward)(Index rows, Index n, const T* g, const T* y, T* dx);
  /// One number a row: log(sum(exp(x))), sum(x).
  void (*logsumexp)(Index rows, Index n, const T* x, T* out);
  void (*sum)(Index rows, Index n, const T* x, T* out);
  /// dx = g (exp(y) - shift), with y = log_softmax(x) and one g a row.
  void (*cross_entropy_backward)(Index rows, Index n, const T* g, const T* y, T shift, T* dx);

  template <Isa>
  static const SoftmaxKernels& of();
};

}  // namespace tapehead::core::kernels
