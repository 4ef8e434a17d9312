// The smallest part of a plan that still shows the difference.
#pragma once

#include "graph.h"

namespace parity {

Difference shrink(const Difference& difference, std::uint64_t noise_seed);

}  // namespace parity
