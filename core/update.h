// One step of an optimiser, over all elements of one parameter, in a single pass over memory. The
// order of operations and the roundings are PyTorch's, so Float32 results are the same bits.
#pragma once

#include "ndarray.h"

namespace tapehead::core {

/// Stochastic gradient descent:  d = g + weight_decay p;  with momentum, b = momentum b +
/// (1 - dampening) d (on the first step b = d) and d = b, or d + momentum b for Nesterov;
/// p = p - lr d.
struct SgdUpdate {
  double lr, momentum, dampening, weight_decay;
  bool nesterov;
  bool first;
};
/// All arrays have one shape and floating dtype. `buffer` is row-major, and may be undefined where
/// momentum is 0.
void sgd_(NDArray& parameter, const NDArray& gradient, NDArray& buffer, const SgdUpdate& update);

/// Adam (Kingma and Ba, 2015):  p = keep p;  d = g + l2 p;  m = beta1 m + (1 - beta1) d;
/// v = beta2 v + (1 - beta2) d d;  p = p - step_size m / (sqrt(v) / root_correction + eps).
struct AdamUpdate {
  double beta1, beta2, eps;
  double step_size;        // lr / (1 - beta1^t)
  double root_correction;  // sqrt(1 - beta2^t)
  double l2;               // weight decay through the gradient
  double keep;             // 1, or 1 - lr weight_decay: decoupled weight decay
};
/// All arrays have one shape and floating dtype; `mean` and `square` are row-major.
void adam_(NDArray& parameter, const NDArray& gradient, NDArray& mean, NDArray& square,
           const AdamUpdate& update);

/// The sum of the squares of all elements, in double precision.
double sum_of_squares(const NDArray& x);

}  // namespace tapehead::core
