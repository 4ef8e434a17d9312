// Work split over threads. Who calls it makes sure that the split cannot be seen in the result:
// each range writes its own outputs, or partial results that are combined in a fixed order.
#pragma once

#include <omp.h>

#include "shape.h"

namespace tapehead::core {

/// Fewer elements than this are not worth waking threads for.
inline constexpr Index parallel_threshold = 32768;

/// Calls f(first, last) over ranges that cover 0..total, each on a thread of its own where `work`
/// (elements touched in all) is large enough. `f` must not throw. Boundaries are multiples of
/// `grain`.
template <class F>
void parallel_ranges(Index total, Index work, Index grain, F f) {
  const Index pieces = (total + grain - 1) / grain;
  if (work < parallel_threshold || pieces < 2 || omp_in_parallel() || omp_get_max_threads() < 2)
    return f(Index{0}, total);
#pragma omp parallel
  {
    const Index threads = omp_get_num_threads(), me = omp_get_thread_num();
    const Index first = pieces * me / threads * grain;
    const Index last = std::min(total, pieces * (me + 1) / threads * grain);
    if (first < last) f(first, last);
  }
}

}  // namespace tapehead::core
