// Masks: who may attend to whom. 1 = may attend, 0 = hidden, in any dtype.
//
//   attn(x, x, x, causal_mask(T));            // each sees itself and those before it
//   attn(x, x, x, padding_mask({5, 3}, T));   // sequences of 5 and of 3 tokens
//   attn(x, x, x, logical_and(causal_mask(T), padding_mask({5, 3}, T)));
//
// A query that may see no key attends to all alike; it is for the caller to ignore it.
#pragma once

#include <vector>

#include "../autograd/tensor.h"

namespace tapehead::nn {

/// (T, T) Bool: position i sees positions 0 to i. ShapeError for a negative T.
Tensor causal_mask(Index T);
/// (Tq, Tk) Bool: the queries are the last Tq of Tk positions. ShapeError for a negative size.
Tensor causal_mask(Index Tq, Index Tk);
/// (B, 1, 1, T) Bool: of sequence b the first lengths[b] keys are seen, the rest is padding. Error
/// for a length outside [0, T], ShapeError for a negative T.
Tensor padding_mask(const std::vector<Index>& lengths, Index T);

/// `mask` as Bool, checked against the scores (..., Tq, Tk) that it is for, usually (B, H, Tq, Tk).
/// Its shape is (Tq, Tk), or that of the scores with 1 for any size but the last: broadcasting
/// alone would let through masks that hide queries instead of keys, or one sequence's padding from
/// another. ShapeError otherwise, with the fix; Error for values other than 0 and 1.
Tensor checked_mask(const Tensor& mask, const Shape& scores);
/// `bias`, to be added to the scores, checked in the same way; DTypeError unless it has `dtype`.
Tensor checked_bias(const Tensor& bias, const Shape& scores, DType dtype);

}  // namespace tapehead::nn
