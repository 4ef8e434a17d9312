// CausalBlock: EncoderBlock for models that write: each position sees itself and those before,
// which may be in a cache. The same parts, names and first weights.
//
//   CausalBlock block(64, 4, 256);
//   x = block(x);                   // (B, T, 64)
#pragma once

#include "causal_attention.h"
#include "feed_forward.h"
#include "layer_norm.h"

namespace tapehead::nn {

class CausalBlock : public Layer<CausalBlock> {
 public:
  /// `p` is the dropout of the attention weights, within the feed-forward network and after both.
  CausalBlock(Index d_model, Index num_heads, Index d_ff, double p = 0.1,
              Activation activation = Activation::ReLU)
      : norm1(d_model),
        attn(d_model, num_heads, num_heads, {.dropout = p}),
        dropout1(p),
        norm2(d_model),
        ff(d_model, d_ff, p, activation),
        dropout2(p) {
    add("norm1", norm1);
    add("attn", attn);
    add("dropout1", dropout1);
    add("norm2", norm2);
    add("ff", ff);
    add("dropout2", dropout2);
    attn.keep_weights(false);
  }

  /// (B, T, d_model) -> the same.
  Tensor forward(const Tensor& x, const CausalContext& context = {}) {
    const Tensor y = x + dropout1(attn(norm1(x), context));  // (B, T, d_model)
    return y + dropout2(ff(norm2(y)));                       // (B, T, d_model)
  }

  LayerNorm norm1;
  GroupedQueryAttention attn;  // keeps no weights unless asked to
  Dropout dropout1;
  LayerNorm norm2;
  FeedForward ff;
  Dropout dropout2;
};

}  // namespace tapehead::nn
