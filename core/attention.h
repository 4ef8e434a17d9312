// Scaled dot-product attention in one kernel: scores, mask, softmax and the weighted sum without
// leaving the cache. The readable composition is in autograd; tests hold the two together.
#pragma once

#include "ndarray.h"

namespace tapehead::core {

/// out = softmax(scale q k^T, masked) v.
struct Attention {
  NDArray out;      // (B, H, Tq, d_v)
  NDArray weights;  // (B, H, Tq, Tk), after dropout; undefined unless asked for
};
/// q (B, H, Tq, d), k (B, H, Tk, d), v (B, H, Tk, d_v), any strides. `mask` is undefined or a Bool
/// that broadcasts to (B, H, Tq, Tk), true = may attend; the others' scores are -1e9, so that a row
/// with no visible key is uniform. `bias` (undefined, or broadcasting likewise) is added to the
/// scores before the mask. `keep_scale` (undefined, or (B, H, Tq, Tk)) multiplies the weights:
/// dropout's 0 or 1 / (1 - p).
Attention attention(const NDArray& q, const NDArray& k, const NDArray& v, const NDArray& mask,
                    const NDArray& bias, const NDArray& keep_scale, double scale,
                    bool want_weights);

/// Gradients of q, k and v (and of the scores where `want_scores`, for a bias), from that of out.
struct AttentionGrads {
  NDArray q, k, v;
  NDArray scores;  // (B, H, Tq, Tk), or undefined
};
AttentionGrads attention_backward(const NDArray& g, const NDArray& q, const NDArray& k,
                                  const NDArray& v, const NDArray& mask, const NDArray& bias,
                                  const NDArray& keep_scale, double scale, const NDArray& out,
                                  bool want_scores);

}  // namespace tapehead::core
