// How a kernel is found: every kernel file is compiled once per instruction set (`Isa`) and offers
// a table of functions; dispatch.h chooses the set.
//
// To add a file: a struct of function pointers with `template <Isa> static const Me& of();` in its
// header, and at the end of the .cpp the definition of `of` and its explicit instantiation for
// Isa::TAPEHEAD_ISA. Kernel files use no std:: templates and no inline function from outside their
// namespace: the linker keeps one copy of such a function, perhaps one that an older CPU can't run.
#pragma once

#include <cstdint>

namespace tapehead::core::kernels {

using Index = std::int64_t;

/// x86-64-v3 has AVX2 and FMA, x86-64-v4 has AVX-512. Other architectures have the baseline alone.
enum class Isa : std::int8_t { baseline, v3, v4 };

}  // namespace tapehead::core::kernels
