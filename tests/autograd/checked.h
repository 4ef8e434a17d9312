// What the tests of gradcheck check.
#pragma once

#include <tapehead/autograd/ops.h>

#include "../support/compare.h"

namespace tapehead::testing {

inline Tensor noise_leaf(const Shape& shape, std::uint32_t seed = 1) {
  return noise(shape, seed).requires_grad_();
}

// x^2, with a rule of the caller's.
template <class Rule>
Tensor square(const Tensor& x, Rule rule) {
  return record(
      "square", [&] { return mul(x, x).array(); }, wrt(x, rule));
}

}  // namespace tapehead::testing
