// What every kernel file starts from: its namespace and vectors of its instruction set's own width.
// Included by kernel files only.
#pragma once

#include "table.h"

#if !defined(TAPEHEAD_ISA)
#error "kernel files are compiled once per instruction set: define TAPEHEAD_ISA"
#endif

namespace tapehead::core::kernels::TAPEHEAD_ISA {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

template <class T>
struct VecOf {
  typedef T type __attribute__((vector_size(vector_bytes)));
};
/// As many T as a register holds; arithmetic is element by element.
template <class T>
using Vec = typename VecOf<T>::type;

template <class T>
inline constexpr int width = vector_bytes / static_cast<int>(sizeof(T));

}  // namespace tapehead::core::kernels::TAPEHEAD_ISA
