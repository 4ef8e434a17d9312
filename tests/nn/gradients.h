// Gradients that a test chooses.
#pragma once

#include <tapehead/autograd/ops.h>

namespace tapehead::testing {

/// Makes g the gradient of p, as that of sum(p g).
inline void set_grad(Tensor& p, const Tensor& g) {
  p.zero_grad();
  (p * g).sum().backward();
}

}  // namespace tapehead::testing
