// Rotary positions: each pair of a query's or key's features is turned by an angle that grows with
// its position, so that their product depends on how far apart they are (Su et al., 2021).
//
//   const RotaryAngles angles = rotary_angles(arange(T), d_k);
//   Q = apply_rotary(Q, angles), K = apply_rotary(K, angles);   // (B, H, T, d_k)
//
// A pair is two neighbours, features 2i and 2i + 1, as in the paper, Llama's own code and llama2.c.
// GPT-NeoX and Hugging Face's Llama pair features i and i + d_k / 2: their weights need the rows of
// W_q and W_k of each head put in the order 0, d_k / 2, 1, d_k / 2 + 1, ….
#pragma once

#include "../autograd/ops.h"

namespace tapehead::nn {

/// Undefined: nothing is turned.
struct RotaryAngles {
  Tensor cos, sin;  // (T, d_k / 2), or (B, 1, T, d_k / 2)
  bool defined() const { return cos.defined(); }
};

/// Pair i at position t is turned by t / base^(2i / d_k). `positions` is Int64 (T), or (B, T) where
/// sequences differ. Error for an odd d_k or one below 2 and for a base that is not above 0 and
/// finite, ShapeError for other positions, DTypeError unless the dtype is floating.
RotaryAngles rotary_angles(const Tensor& positions, Index d_k, DType dtype = Float32,
                           double base = 10000);
/// Error, naming `whose` it is, for a base that is not above 0 and finite.
void check_rotary_base(const char* whose, double base);
/// x (B, H, T, d_k), turned.
Tensor apply_rotary(const Tensor& x, const RotaryAngles& angles);

}  // namespace tapehead::nn
