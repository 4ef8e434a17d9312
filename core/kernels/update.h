// Optimiser steps on n numbers; update.h of core says what they compute.
#pragma once

#include "table.h"

namespace tapehead::core::kernels {

template <class T>
struct UpdateKernels {
  struct Sgd {
    T minus_lr, momentum, undamped, weight_decay;
    bool nesterov, first;
  };
  struct Adam {
    T beta1, one_minus_beta1, beta2, one_minus_beta2, eps, minus_step_size, root_correction, l2,
        keep;
  };
  /// `b` is null where there is no momentum.
  void (*sgd)(Index n, const Sgd& step, T* p, const T* g, T* b);
  void (*adam)(Index n, const Adam& step, T* p, const T* g, T* m, T* v);
  /// In a fixed order, whatever the instruction set.
  double (*sum_of_squares)(Index n, const T* x);

  template <Isa>
  static const UpdateKernels& of();
};

}  // namespace tapehead::core::kernels
