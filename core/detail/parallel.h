// Loops over all cores. Who computes what never changes the result: work is split over outputs, or
// over chunks that the caller fixes and combines in order.
#pragma once

#include <omp.h>

#include <algorithm>
#include <exception>

#include "../shape.h"

namespace tapehead::core {

/// How many threads a loop started here may have.
inline Index thread_count() {
  return omp_in_parallel() ? 1 : static_cast<Index>(omp_get_max_threads());
}

/// f(begin, end) over [0, n), cut at multiples of `grain`: the least that is worth a thread. What f
/// computes for an index must not depend on where the cuts are. Nested calls run on one thread.
/// The first exception is rethrown here.
template <class F>
void parallel_for(Index n, Index grain, const F& f) {
  if (n <= 0) return;
  const Index chunks = (n + grain - 1) / grain;
  const Index threads = chunks == 1 ? 1 : std::min(chunks, thread_count());
  if (threads == 1) return f(Index{0}, n);
  std::exception_ptr error;
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    // The team may be smaller than asked for.
    const Index team = omp_get_num_threads(), me = omp_get_thread_num();
    const Index begin = chunks * me / team * grain, end = chunks * (me + 1) / team * grain;
    try {
      if (begin < end) f(begin, std::min(end, n));
    } catch (...) {
#pragma omp critical(tapehead_parallel_error)
      if (!error) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

/// A grain for parallel_for where one index costs `work` operations.
inline Index grain_for(Index work) {
  constexpr Index enough = 1 << 15;
  return std::max<Index>(1, enough / std::max<Index>(work, 1));
}

}  // namespace tapehead::core
