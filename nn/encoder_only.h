// EncoderOnly: tokens in, for each position logits out; each position sees all the others.
//
//   EncoderOnly model({.vocabulary = 10, .context = 8});
//   Tensor logits = model(tokens);   // Int64 (B, T) -> (B, T, 10), T <= 8
#pragma once

#include "embedding.h"
#include "encoder_block.h"
#include "module_list.h"
#include "positions.h"

namespace tapehead::nn {

struct EncoderOnlyOptions {
  Index vocabulary, context;
  Index d_model = 32, heads = 4, layers = 1, d_ff = 64;
  double dropout = 0;
};

class EncoderOnly : public Layer<EncoderOnly> {
 public:
  /// Error for sizes below 1 (0 layers are allowed), or heads that don't divide d_model.
  explicit EncoderOnly(const EncoderOnlyOptions& chosen);

  /// Int64 (B, T) -> (B, T, V). ShapeError for T > context or a token outside [0, V).
  Tensor forward(const Tensor& tokens);

  const EncoderOnlyOptions options;
  Embedding embedding;
  SinusoidalPositions positions;
  ModuleList<EncoderBlock> blocks;  // pre-norm
  LayerNorm norm;
  Linear head;
};

}  // namespace tapehead::nn
