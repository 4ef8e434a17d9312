// Functions of one element, applied along a row.
#pragma once

#include <cstddef>

#include "table.h"

namespace tapehead::core::kernels {

/// Computes a row of n elements: data[0] is written, data[1], … are read. data[0] may be one of the
/// others, and overlaps none otherwise. What an element becomes does not depend on its place.
using RowKernel = void (*)(Index n, std::byte* const* data);

/// For float, double and Index.
template <class T>
struct NumericKernels {
  RowKernel neg, abs, relu, sign;
  RowKernel add, sub, mul, maximum, minimum;
  RowKernel relu_backward;  // g, y
  RowKernel add_scaled;     // x + y z, for x, y, z
  RowKernel clamp;          // x, low, high

  template <Isa>
  static const NumericKernels& of();
};

/// For float and double.
template <class T>
struct RealKernels {
  RowKernel exp, expm1, log, log1p, sqrt, rsqrt, tanh, sigmoid, silu, erf, gelu, gelu_tanh;
  RowKernel floor, ceil, round, trunc;
  RowKernel div;
  // g and the output (tanh, sigmoid) or the input (silu, gelu).
  RowKernel tanh_backward, sigmoid_backward, silu_backward, gelu_backward, gelu_tanh_backward;

  template <Isa>
  static const RealKernels& of();
};

/// For every dtype.
template <class T>
struct AnyKernels {
  RowKernel eq, ne, lt, le, gt, ge;                          // to bool
  RowKernel where;                                           // bool, T, T
  RowKernel from_float, from_double, from_whole, from_bool;  // to T

  template <Isa>
  static const AnyKernels& of();
};

}  // namespace tapehead::core::kernels
