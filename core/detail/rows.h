// Walking several arrays of one shape at once, row by row. All that elementwise functions know of
// shapes is here: dimensions are dropped and merged until rows are as long as they can be, then a
// row kernel runs over each.
#pragma once

#include <array>
#include <span>

#include "../kernels/elementwise.h"
#include "../ndarray.h"

namespace tapehead::core {

using kernels::RowKernel;

/// One array in such a walk: its first element, bytes an element, and strides over the common
/// shape.
struct Operand {
  std::byte* data;
  Index item;
  Strides strides;
};
inline constexpr std::size_t max_operands = 4;

/// The first byte of an array; writing through it is the caller's to account for.
inline std::byte* first_byte(const NDArray& x) {
  return x.storage()->data + x.offset() * size_of(x.dtype());
}

/// An array, expanded to `shape`; ShapeError, made by `op`, where that can't be.
inline Operand operand(const char* op, const NDArray& x, const Shape& shape) {
  return {first_byte(x), size_of(x.dtype()), expanded(op, x.shape(), x.strides(), shape)};
}
/// A number that stands for an array of `shape`. It must outlive the walk.
template <class T>
Operand operand(T& number, const Shape& shape) {
  return {reinterpret_cast<std::byte*>(&number), Index{sizeof(T)},
          Strides::filled(shape.rank(), 0)};
}

/// Runs `kernel` over one row: operand i begins at data[i], and its n elements of items[i] bytes
/// are steps[i] elements apart.
void run_row(RowKernel kernel, Index n, std::span<std::byte* const> data, const Index* items,
             const Index* steps);
/// Runs `kernel` over every row of `shape`, on several threads where there is enough to do.
void for_rows(RowKernel kernel, const Shape& shape, std::span<const Operand> operands);

/// DTypeError unless x is Bool.
void must_be_bool(const char* op, const NDArray& x);
/// DTypeError for Int64, which has no division.
void must_divide(const char* op, DType dtype);

/// The kernel that turns one dtype into another.
RowKernel cast_kernel(DType to, DType from);

}  // namespace tapehead::core
