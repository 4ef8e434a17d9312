// Tensors from nothing.
//
//   tensor({{1.0, 2.0}, {3.0, 4.0}})   // (2, 2), Float32
//   manual_seed(0); rand({3})          // .4962566, .7682218, .0884774, as in PyTorch
//
// Whole numbers give Int64, true and false give Bool, others Float32, unless a dtype is named.
#pragma once

#include <initializer_list>

#include "tensor.h"

namespace tapehead {

/// Nested lists of numbers: what stands in the braces of tensor({{1, 2}, {3, 4}}).
class NestedList {
 public:
  NestedList(bool value) : values_{value ? 1.0 : 0.0}, dtype_(Bool) {}
  template <std::integral T>
  NestedList(T value)
      : values_{static_cast<double>(value)},
        whole_{core::converted<Index>("tensor", value)},
        dtype_(Int64) {}
  template <std::floating_point T>
  NestedList(T value) : values_{static_cast<double>(value)}, dtype_(Float32) {}
  /// ShapeError unless all elements have one shape.
  NestedList(std::initializer_list<NestedList> elements);

  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  const std::vector<double>& values() const { return values_; }
  const std::vector<Index>& whole() const { return whole_; }

 private:
  Shape shape_;
  std::vector<double> values_;
  std::vector<Index> whole_;  // the same, exact, where dtype_ is Int64
  DType dtype_;
};

Tensor tensor(const NestedList& values);
Tensor tensor(const NestedList& values, DType dtype);
/// `values` in row-major order. ShapeError unless they fill `shape`.
Tensor tensor(const std::vector<double>& values, const Shape& shape, DType dtype = Float32);
Tensor tensor(const std::vector<Index>& values, const Shape& shape);

Tensor zeros(const Shape& shape, DType dtype = Float32);
Tensor ones(const Shape& shape, DType dtype = Float32);
/// DTypeError for a number that the dtype does not hold: 1.5 as Int64 (which PyTorch truncates),
/// 1e300 as Float32.
Tensor full(const Shape& shape, Scalar value);
Tensor full(const Shape& shape, Scalar value, DType dtype);
Tensor empty(const Shape& shape, DType dtype = Float32);  // uninitialised
Tensor zeros_like(const Tensor& x);
Tensor ones_like(const Tensor& x);
Tensor full_like(const Tensor& x, Scalar value);  // in the dtype of x
Tensor empty_like(const Tensor& x);

/// start, start + step, … up to but without `end`. Int64 if all three are whole.
Tensor arange(Scalar end);
Tensor arange(Scalar end, DType dtype);
Tensor arange(Scalar start, Scalar end, Scalar step = 1);
Tensor arange(Scalar start, Scalar end, Scalar step, DType dtype);
/// `steps` evenly spaced numbers from start to end, both included; their whole parts as Int64.
Tensor linspace(double start, double end, Index steps, DType dtype = Float32);
/// Ones on the diagonal of (n, n) or (n, m).
Tensor eye(Index n, DType dtype = Float32);
Tensor eye(Index n, Index m, DType dtype = Float32);

// Random, from the default generator, the same numbers as PyTorch's after the same calls.

/// Starts the default generator again.
void manual_seed(std::uint64_t seed);
Tensor rand(const Shape& shape, DType dtype = Float32);   // uniform in [0, 1)
Tensor randn(const Shape& shape, DType dtype = Float32);  // normal
Tensor randint(Index low, Index high, const Shape& shape, DType dtype = Int64);
Tensor randperm(Index n);
Tensor rand_like(const Tensor& x);   // of x's shape, dtype and order in memory
Tensor randn_like(const Tensor& x);  //
Tensor randint_like(const Tensor& x, Index low, Index high);
/// 1 with the probability that each element of `p` gives, else 0; Float32 or Float64. Constant,
/// whatever p is. Error for a probability outside [0, 1].
Tensor bernoulli(const Tensor& p);
Tensor bernoulli(const Tensor& x, double p);  // of x's shape and dtype, one p for all

}  // namespace tapehead
