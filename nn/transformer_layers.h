// The layers of an encoder and of a decoder, as PyTorch has them and by its names, so that their
// weights load. Post-norm, as in the paper (Vaswani et al., 2017), unless `norm_first`.
//
//   TransformerEncoderLayer layer(512, 8);
//   Tensor memory = layer(x);                                // (B, T, 512) -> (B, T, 512)
//   TransformerDecoderLayer decoder(512, 8);
//   Tensor y = decoder(target, memory, causal_mask(T));
//
// As PyTorch's with batch_first=True, masks apart, which are those of mask.h. Initialised as
// PyTorch does, number by number.
#pragma once

#include "activations.h"
#include "layer_norm.h"
#include "packed_attention.h"

namespace tapehead::nn {

struct TransformerLayerOptions {
  Index dim_feedforward = 2048;
  double dropout = 0.1;
  Activation activation = Activation::ReLU;
  double layer_norm_eps = 1e-5;
  bool norm_first = false;  // normalise what goes into a part, rather than what comes out
};

class TransformerEncoderLayer : public Layer<TransformerEncoderLayer> {
 public:
  /// Error for sizes below 1, or nhead that doesn't divide d_model.
  TransformerEncoderLayer(Index d_model, Index nhead, const TransformerLayerOptions& chosen = {});

  /// (B, T, d_model) -> the same.
  Tensor forward(const Tensor& x, const Tensor& mask = {});

  const TransformerLayerOptions options;
  PackedMultiHeadAttention self_attn;  // keeps no weights unless asked to
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2;
  Dropout dropout1, dropout2;

 private:
  Tensor attended(const Tensor& x, const Tensor& mask);
  Tensor fed(const Tensor& x);
};

class TransformerDecoderLayer : public Layer<TransformerDecoderLayer> {
 public:
  /// Error for sizes below 1, or nhead that doesn't divide d_model.
  TransformerDecoderLayer(Index d_model, Index nhead, const TransformerLayerOptions& chosen = {});

  /// target (B, T, d_model), memory (B, Tm, d_model) -> (B, T, d_model). `mask` says which
  /// positions of the target a position sees, `memory_mask` which of the memory.
  Tensor forward(const Tensor& target, const Tensor& memory, const Tensor& mask = {},
                 const Tensor& memory_mask = {});

  const TransformerLayerOptions options;
  PackedMultiHeadAttention self_attn, multihead_attn;  // keep no weights unless asked to
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout1, dropout2, dropout3;

 private:
  Tensor attended(const Tensor& x, const Tensor& mask);
  Tensor looked_up(const Tensor& x, const Tensor& memory, const Tensor& mask);
  Tensor fed(const Tensor& x);
};

}  // namespace tapehead::nn
