// Batch: what a model reads and what it should answer.
#pragma once

#include "../autograd/create.h"

namespace tapehead::data {

/// A target that does not count: cross_entropy's ignore_index.
inline constexpr Index no_target = -100;

struct Batch {
  Tensor inputs;   // (B, T), Int64
  Tensor targets;  // (B, T), Int64: the answer at each position, or no_target
};

}  // namespace tapehead::data
