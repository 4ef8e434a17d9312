// Shapes and strides: up to eight signed 64-bit numbers, held inline.
//
//   Shape s{2, 3};  s[-1] == 3;  numel(s) == 6;  broadcast("add", {2, 1}, {3}) == s
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <vector>

#include "error.h"

namespace tapehead::core {

using Index = std::int64_t;

class Dims {
 public:
  static constexpr int max_rank = 8;

  Dims() = default;
  Dims(const Dims& other) { *this = other; }
  Dims& operator=(const Dims& other) {
    rank_ = other.rank_;
    copy(other);
    return *this;
  }
  Dims(std::initializer_list<Index> values);
  explicit Dims(const std::vector<Index>& values);
  /// `rank` copies of `value`.
  static Dims filled(int rank, Index value) {
    Dims result;
    for (int d = 0; d < rank; ++d) result.push_back(value);
    return result;
  }

  int rank() const { return rank_; }
  /// Negative dimensions count from the end. Unchecked; see `dim` for users' numbers.
  Index& operator[](int d) { return values_.data()[d < 0 ? d + rank_ : d]; }
  Index operator[](int d) const { return values_.data()[d < 0 ? d + rank_ : d]; }
  void push_back(Index value) {
    if (rank_ == max_rank) [[unlikely]]
      fail<ShapeError>("shape: at most ", max_rank,
                       " dimensions are supported; merge some with view");
    values_.data()[rank_++] = value;
  }
  const Index* begin() const { return values_.data(); }
  const Index* end() const { return values_.data() + rank_; }
  bool operator==(const Dims& other) const {
    if (rank_ != other.rank_) return false;
    for (int d = 0; d < rank_; ++d)
      if (values_.data()[d] != other.values_.data()[d]) return false;
    return true;
  }

 private:
  // One number at a time: a wide load of numbers just stored one by one would stall. GCC cannot see
  // that the rank guards what is read, once it has turned the switch into moves.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
  void copy(const Dims& other) {
    Index* const to = values_.data();
    const Index* const from = other.values_.data();
    switch (rank_) {
      case 8:
        to[7] = from[7];
        [[fallthrough]];
      case 7:
        to[6] = from[6];
        [[fallthrough]];
      case 6:
        to[5] = from[5];
        [[fallthrough]];
      case 5:
        to[4] = from[4];
        [[fallthrough]];
      case 4:
        to[3] = from[3];
        [[fallthrough]];
      case 3:
        to[2] = from[2];
        [[fallthrough]];
      case 2:
        to[1] = from[1];
        [[fallthrough]];
      case 1:
        to[0] = from[0];
        [[fallthrough]];
      default:
        break;
    }
  }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

  std::array<Index, max_rank> values_;  // the first rank_ of them
  int rank_ = 0;
};

using Shape = Dims;
using Strides = Dims;

std::ostream& operator<<(std::ostream& out, const Dims& dims);

/// a * b, or ShapeError where it does not fit. Every product of sizes goes through here.
inline Index checked_product(Index a, Index b) {
  Index result = 0;
  if (__builtin_mul_overflow(a, b, &result)) [[unlikely]]
    fail<ShapeError>("shape: ", a, " x ", b, " overflows 64 bits; use smaller dimensions");
  return result;
}

/// a * b modulo 2^64: for strides of arrays without elements, which may be any number.
constexpr Index wrapping_product(Index a, Index b) {
  return static_cast<Index>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// Throws the ShapeError of a shape with a negative size or too many elements.
[[noreturn]] [[gnu::cold]] void refuse_shape(const Shape& shape);

/// The number of elements; 1 for a scalar. Throws ShapeError on a negative size or an overflow.
inline Index numel(const Shape& shape) {
  Index n = 1;
  bool overflow = false, negative = false;
  for (const Index size : shape) {
    negative |= size < 0;
    overflow |= __builtin_mul_overflow(n, size, &n);
  }
  if (negative || overflow) [[unlikely]]
    refuse_shape(shape);
  return n;
}

/// A dimension in 0..rank-1 from one in -rank..rank-1; ShapeError otherwise.
int dim(const char* op, Index d, int rank);

/// The same for ops that a tensor of 0 dimensions may do along 0 or -1, as in PyTorch: then 0.
int dim_if_any(const char* op, Index d, int rank);

/// Row-major strides. An empty dimension counts as one, as in PyTorch.
Strides row_major(const Shape& shape);

/// Where the i-th element of a row-major array of this shape is.
Dims index_of(const Shape& shape, Index i);
/// How far that element lies from the first in an array with these strides.
inline Index offset_of(const Shape& shape, const Strides& strides, Index i) {
  Index offset = 0;
  for (int d = shape.rank(); d-- > 0; i /= shape[d]) offset += i % shape[d] * strides[d];
  return offset;
}

/// `dims` without entry `d`, or with `value` inserted before entry `d`; 0 <= d.
Dims without(const Dims& dims, int d);
Dims with_inserted(const Dims& dims, int d, Index value);

/// The shape both broadcast to, or ShapeError naming op and shapes.
Shape broadcast(const char* op, const Shape& a, const Shape& b);

/// Strides with which an array of `shape` reads as one of `target`: 0 where it is repeated.
Strides expanded(const char* op, const Shape& shape, const Strides& strides, const Shape& target);

}  // namespace tapehead::core
