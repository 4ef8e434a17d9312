// How many tensors an op may return. Parts without elements cost nothing each, so they may be more
// than memory has room for.
#pragma once

#include <algorithm>
#include <limits>

#include "../tensor.h"

namespace tapehead {

/// MemoryError where so many handles are beyond the limit.
inline void check_parts(const char* op, Index count) {
  constexpr Index each = sizeof(Tensor) + sizeof(TensorImpl);
  constexpr Index most = std::numeric_limits<Index>::max() / each;
  core::check_budget(static_cast<std::uint64_t>(std::min(count, most) * each),
                     [&](std::ostream& out) { out << op << " into " << count << " parts"; });
}

}  // namespace tapehead
