// How a loss gives its elements, or their mean or sum.
#pragma once

#include "../ops.h"

namespace tapehead {

/// Error for BatchMean.
inline Tensor reduced(const char* op, const Tensor& losses, Reduction reduction) {
  if (reduction == Reduction::BatchMean)
    fail(op, ": Reduction::BatchMean is for kl_div alone; use Mean or Sum");
  if (reduction == Reduction::None) return losses;
  return reduction == Reduction::Sum ? sum(losses) : mean(losses);
}

}  // namespace tapehead
