// Elementwise kernels: one output element from the elements at one index of the inputs.
//
//   add(NDArray::full({2, 3}, 1, DType::Float32), NDArray::full({3}, 2, DType::Float32))  // (2, 3)
//
// Inputs may have any strides; where two meet they broadcast and must have one dtype (DTypeError
// otherwise). Results are fresh and row-major. A Scalar takes the array's dtype; a fractional one
// with Int64 is a DTypeError. Any number of threads gives the same bits.
#pragma once

#include <optional>

#include "ndarray.h"

namespace tapehead::core {

// Float32, Float64 and Int64.
NDArray neg(const NDArray& x);
NDArray abs(const NDArray& x);
NDArray relu(const NDArray& x);
NDArray sign(const NDArray& x);   // -1, 0 or 1
NDArray floor(const NDArray& x);  // whole numbers stay what they are
NDArray ceil(const NDArray& x);
NDArray round(const NDArray& x);  // halves to even
NDArray trunc(const NDArray& x);

// Float32 and Float64. exp, log, expm1, log1p, tanh, sigmoid, silu, erf and gelu are our own
// polynomials: error bounds are stated in kernels/math.h and tested.
NDArray exp(const NDArray& x);
NDArray expm1(const NDArray& x);  // exp(x) - 1
NDArray log(const NDArray& x);
NDArray log1p(const NDArray& x);  // log(1 + x)
NDArray log2(const NDArray& x);
NDArray log10(const NDArray& x);
NDArray sqrt(const NDArray& x);
NDArray rsqrt(const NDArray& x);  // x^(-1/2)
NDArray sin(const NDArray& x);
NDArray cos(const NDArray& x);
NDArray tanh(const NDArray& x);
NDArray sigmoid(const NDArray& x);
NDArray silu(const NDArray& x);  // x sigmoid(x)
NDArray erf(const NDArray& x);
NDArray gelu(const NDArray& x);       // x Phi(x), Phi the normal distribution function
NDArray gelu_tanh(const NDArray& x);  // its tanh approximation

// Derivatives in one pass: g times dy/dx, from the output y or the input x.
NDArray relu_backward(const NDArray& g, const NDArray& y);
NDArray tanh_backward(const NDArray& g, const NDArray& y);
NDArray sigmoid_backward(const NDArray& g, const NDArray& y);
NDArray silu_backward(const NDArray& g, const NDArray& x);
NDArray gelu_backward(const NDArray& g, const NDArray& x);
NDArray gelu_tanh_backward(const NDArray& g, const NDArray& x);

// Float32, Float64 and Int64. Int64 / Int64 is a DTypeError naming .to; NaN propagates through
// maximum and minimum.
NDArray add(const NDArray& a, const NDArray& b);
NDArray sub(const NDArray& a, const NDArray& b);
NDArray mul(const NDArray& a, const NDArray& b);
NDArray div(const NDArray& a, const NDArray& b);
NDArray pow(const NDArray& a, const NDArray& b);
NDArray maximum(const NDArray& a, const NDArray& b);
NDArray minimum(const NDArray& a, const NDArray& b);
NDArray add(const NDArray& a, Scalar b);
NDArray sub(const NDArray& a, Scalar b);
NDArray sub(Scalar a, const NDArray& b);
NDArray mul(const NDArray& a, Scalar b);
NDArray div(const NDArray& a, Scalar b);
NDArray div(Scalar a, const NDArray& b);
NDArray pow(const NDArray& a, Scalar b);
NDArray pow(Scalar a, const NDArray& b);
/// floor(a / b), and a - floor(a / b) b, which has the sign of b. Error where Int64 is divided by
/// 0.
NDArray floor_divide(const NDArray& a, const NDArray& b);
NDArray remainder(const NDArray& a, const NDArray& b);
NDArray floor_divide(const NDArray& a, Scalar b);
NDArray remainder(const NDArray& a, Scalar b);

// Every dtype; the result is Bool. Comparisons with NaN are false, but ne is true. A number that
// the dtype cannot hold is compared as it is: no Int64 equals 1.5.
NDArray eq(const NDArray& a, const NDArray& b);
NDArray ne(const NDArray& a, const NDArray& b);
NDArray lt(const NDArray& a, const NDArray& b);
NDArray le(const NDArray& a, const NDArray& b);
NDArray gt(const NDArray& a, const NDArray& b);
NDArray ge(const NDArray& a, const NDArray& b);
NDArray eq(const NDArray& a, Scalar b);
NDArray ne(const NDArray& a, Scalar b);
NDArray lt(const NDArray& a, Scalar b);
NDArray le(const NDArray& a, Scalar b);
NDArray gt(const NDArray& a, Scalar b);
NDArray ge(const NDArray& a, Scalar b);

// Every dtype, and two may differ: what is not 0, NaN too, counts as true.
NDArray logical_not(const NDArray& x);
NDArray logical_and(const NDArray& a, const NDArray& b);
NDArray logical_or(const NDArray& a, const NDArray& b);
NDArray logical_xor(const NDArray& a, const NDArray& b);

/// a where the Bool `condition` is true, b elsewhere; all three broadcast.
NDArray where(const NDArray& condition, const NDArray& a, const NDArray& b);
/// x, but `value` where the Bool `mask` is true; both broadcast.
NDArray masked_fill(const NDArray& x, const NDArray& mask, Scalar value);
/// Each element moved into [low, high]; either bound may be missing, not both. NaN stays NaN, and a
/// bound that is NaN makes all NaN. DTypeError for a finite bound beyond the dtype's range.
NDArray clamp(const NDArray& x, std::optional<Scalar> low, std::optional<Scalar> high);

/// A row-major copy.
NDArray copy(const NDArray& x);
/// A row-major copy in another dtype, as a C++ cast converts; to Bool: whether it is not 0.
NDArray cast(const NDArray& x, DType dtype);

// In place: the target keeps its shape, to which the other operand broadcasts, and its dtype, which
// the other operand must have (copy_ converts). ShapeError where the target's memory overlaps
// itself (expanded): clone() it first. An operand that shares memory with the target is read first.
// `writer` is who a later version error will name.
void add_(NDArray& target, const NDArray& b, Scalar alpha = 1, const char* writer = "add_");
void sub_(NDArray& target, const NDArray& b, const char* writer = "sub_");
void mul_(NDArray& target, const NDArray& b, const char* writer = "mul_");
void div_(NDArray& target, const NDArray& b, const char* writer = "div_");
void add_(NDArray& target, Scalar b, const char* writer = "add_");
void mul_(NDArray& target, Scalar b, const char* writer = "mul_");
void div_(NDArray& target, Scalar b, const char* writer = "div_");
void copy_(NDArray& target, const NDArray& source, const char* writer = "copy_");
void fill_(NDArray& target, Scalar value, const char* writer = "fill_");
void masked_fill_(NDArray& target, const NDArray& mask, Scalar value,
                  const char* writer = "masked_fill_");
/// What each of these begins with: ShapeError where elements of the target share memory.
void check_target(const char* op, const NDArray& target);

/// Whether shapes, dtypes and all elements are equal.
bool equal(const NDArray& a, const NDArray& b);
/// Where |a - b| <= atol + rtol |b|, in double precision; infinities are close to themselves alone,
/// and NaN to NaN if `equal_nan`. Shapes broadcast. Error for a tolerance below 0.
NDArray isclose(const NDArray& a, const NDArray& b, double rtol = 1e-5, double atol = 1e-8,
                bool equal_nan = false, const char* op = "isclose");
/// Whether that is so everywhere.
bool allclose(const NDArray& a, const NDArray& b, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);

}  // namespace tapehead::core
