// Walking several arrays of one shape at once, row by row. All that elementwise kernels know of
// shapes is here: dimensions are dropped and merged until rows are as long as they can be, then a
// row kernel runs over each.
#pragma once

#include <array>
#include <span>

#include "ndarray.h"

namespace tapehead::core {

/// Computes one row of n elements: data[0] is written, data[1], … are read; neighbours in data[i]
/// are steps[i] elements apart. data[0] may be one of the others, never overlap one otherwise.
using RowKernel = void (*)(Index n, std::byte* const* data, const Index* steps);

/// One array in such a walk: its first element, bytes an element, and strides over the common
/// shape.
struct Operand {
  std::byte* data = nullptr;
  Index item = 0;
  Strides strides;
};
inline constexpr std::size_t max_operands = 4;

/// The first byte of an array; writing through it is the caller's to account for.
inline std::byte* first_byte(const NDArray& x) {
  return x.storage()->data + x.offset() * size_of(x.dtype());
}

/// Runs `kernel` over every row of `shape`, on several threads where there is enough to do.
void for_rows(RowKernel kernel, const Shape& shape, std::span<const Operand> operands);

}  // namespace tapehead::core
