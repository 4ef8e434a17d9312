// Which views are possible, and what their strides are.
#pragma once

#include <cstdint>
#include <ostream>

namespace parity {

/// `count` random shapes and strides; on each view, reshape and expand to a random shape. Writes
/// counts and differences; whether there was any.
bool compare_views(std::uint64_t seed, long count, std::ostream& out);

}  // namespace parity
