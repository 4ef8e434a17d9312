// How a kernel is found: every kernel file is compiled once per instruction set (`Isa`) and offers
// a table of functions; the set is chosen once, when first asked.
//
//   kernels<SoftmaxKernels<float>>().softmax(rows, n, x, y);
//
// To add a file: a struct of function pointers with `template <Isa> static const Me& of();` in its
// header, and at the end of the .cpp the definition of `of` and its explicit instantiation for
// Isa::TAPEHEAD_ISA. Kernel files use no std:: templates and no inline function from outside their
// namespace: the linker keeps one copy of such a function, perhaps one that an older CPU can't run.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace tapehead::core::kernels {

using Index = std::int64_t;

/// x86-64-v3 has AVX2 and FMA, x86-64-v4 has AVX-512. Other architectures have the baseline alone.
enum class Isa : std::int8_t { baseline, v3, v4 };

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
