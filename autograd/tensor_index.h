// What stands between the brackets of x[...], in LibTorch's spelling:
//
//   using namespace tapehead::indexing;      // Slice, None, Ellipsis
//   x.index({Slice(), 0, None, mask});       // x[:, 0, None, mask]
//   x.index({Slice(None, None, 2), "..."});  // x[::2, ...]
//   x.index_put_({rows, columns}, values);   // x[rows, columns] = values
#pragma once

#include <string_view>

#include "tensor.h"

namespace tapehead {

namespace indexing {

/// A new dimension of size 1; as a bound of a Slice, none.
inline constexpr std::nullopt_t None = std::nullopt;

/// As many whole dimensions as are left: Python's `...`, which may also be written "...".
struct EllipsisIndex {};
inline constexpr EllipsisIndex Ellipsis{};

/// Python's start:stop:step; bounds may be negative, and are cut to what is there.
class Slice {
 public:
  /// ShapeError unless the step is positive.
  Slice(std::optional<Index> start = {}, std::optional<Index> stop = {},
        std::optional<Index> step = {});

  Index start() const { return start_; }
  Index stop() const { return stop_; }
  Index step() const { return step_; }

 private:
  Index start_, stop_, step_;
};

}  // namespace indexing

/// One of them: a number (which takes its dimension away), a Slice, None, an ellipsis, an Int64
/// tensor of indices, a Bool mask, or true or false (a new dimension of size 1 or 0).
class TensorIndex {
 public:
  enum class Kind { Number, Range, NewDimension, Rest, Truth, Elements };

  template <std::integral T>
  TensorIndex(T number) : kind_(Kind::Number), number_(core::converted<Index>("index", number)) {}
  TensorIndex(bool truth) : kind_(Kind::Truth), number_(truth) {}
  TensorIndex(const indexing::Slice& slice) : kind_(Kind::Range), slice_(slice) {}
  TensorIndex(std::nullopt_t) : kind_(Kind::NewDimension) {}
  TensorIndex(indexing::EllipsisIndex) : kind_(Kind::Rest) {}
  /// Error for any other text than "...".
  TensorIndex(const char* text);
  /// DTypeError unless Int64 or Bool. One of 0 dimensions counts as its number or truth.
  TensorIndex(const Tensor& tensor);

  Kind kind() const { return kind_; }
  Index number() const { return number_; }  // or the truth
  const indexing::Slice& slice() const { return slice_; }
  const Tensor& tensor() const { return tensor_; }

 private:
  Kind kind_;
  Index number_ = 0;
  indexing::Slice slice_;
  Tensor tensor_;
};

}  // namespace tapehead
