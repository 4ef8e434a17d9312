// Which instruction set the kernels run on: chosen once, when first asked.
//
//   kernels<SoftmaxKernels<float>>().softmax(rows, n, x, y);
#pragma once

#include <atomic>
#include <vector>

#include "table.h"

namespace tapehead::core::kernels {

const char* name(Isa isa);
/// What this CPU runs, the baseline first.
std::vector<Isa> supported_isas();
/// From now on, in this process; for tests and measurements. Error if the CPU can't.
void use_isa(Isa isa);

namespace detail {
inline constinit std::atomic<Isa> chosen{Isa{-1}};
Isa choose();
}  // namespace detail

/// The best this CPU supports, or what TAPEHEAD_ISA=baseline|v3|v4 says. Error for any other name,
/// or one that the CPU does not support.
inline Isa isa() {
  const Isa chosen = detail::chosen.load(std::memory_order_relaxed);
  return chosen == Isa{-1} ? detail::choose() : chosen;
}

template <class Kernels>
const Kernels& kernels() {
  switch (isa()) {
#if defined(__x86_64__)
    case Isa::v4:
      return Kernels::template of<Isa::v4>();
    case Isa::v3:
      return Kernels::template of<Isa::v3>();
#endif
    default:
      return Kernels::template of<Isa::baseline>();
  }
}

}  // namespace tapehead::core::kernels
