// EncoderBlock: self-attention and a feed-forward network, each on the normalised input and added
// to what it was given (pre-norm: Xiong et al., 2020).
//
//   EncoderBlock block(64, 4, 256);
//   x = block(x);                   // (B, T, 64)
//   x = block(x, causal_mask(T));   // a decoder-only block
#pragma once

#include "attention.h"
#include "feed_forward.h"
#include "layer_norm.h"

namespace tapehead::nn {

class EncoderBlock : public Layer<EncoderBlock> {
 public:
  /// `p` is the dropout of the attention weights, within the feed-forward network and after both.
  EncoderBlock(Index d_model, Index num_heads, Index d_ff, double p = 0.1,
               Activation activation = Activation::ReLU)
      : norm1(d_model),
        attn(d_model, num_heads, p),
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

  /// (B, T, d_model) -> the same. For masks see mask.h.
  Tensor forward(const Tensor& x, const Tensor& mask = {}) {
    const Tensor normed = norm1(x);                                     // (B, T, d_model)
    const Tensor y = x + dropout1(attn(normed, normed, normed, mask));  // (B, T, d_model)
    return y + dropout2(ff(norm2(y)));                                  // (B, T, d_model)
  }

  LayerNorm norm1;
  MultiHeadAttention attn;  // keeps no weights unless asked to: attn.keep_weights(true)
  Dropout dropout1;
  LayerNorm norm2;
  FeedForward ff;
  Dropout dropout2;
};

}  // namespace tapehead::nn
