// Layer normalisation of `rows` rows of n numbers, each row right after the other.
#pragma once

#include "table.h"

namespace tapehead::core::kernels {

template <class T>
struct LayerNormKernels {
  /// y = (x - mean) rstd weight + bias; weight and bias may be null (1 and 0).
  void (*forward)(Index rows, Index n, const T* x, const T* weight, const T* bias, T eps, T* y,
                  T* mean, T* rstd);
  /// dx, and dweight and dbias added to what is there.
  void (*backward)(Index rows, Index n, const T* g, const T* x, const T* weight, const T* mean,
                   const T* rstd, T* dx, T* dweight, T* dbias);
  /// The same of RMS norm: 0 for the mean, and mean, bias and dbias are null.
  decltype(forward) rms_forward;
  decltype(backward) rms_backward;

  template <Isa>
  static const LayerNormKernels& of();
};

}  // namespace tapehead::core::kernels
