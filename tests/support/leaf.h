// Leaves written as numbers.
#pragma once

#include <tapehead/autograd/create.h>

#include <vector>

namespace tapehead::testing {

using Values = std::vector<double>;

/// A vector of Float64 that requires a gradient.
inline Tensor leaf(const Values& numbers) {
  return tensor(numbers, {static_cast<Index>(numbers.size())}, Float64).requires_grad_();
}

}  // namespace tapehead::testing
