// Transformer: the encoder and decoder of "Attention Is All You Need" (Vaswani et al., 2017),
// tokens in, logits out.
//
//   Transformer model({.source_vocabulary = 11, .target_vocabulary = 11, .context = 10});
//   Tensor logits = model(source, target);   // (B, Ts) and (B, T) -> (B, T, 11)
//
// A target begins with start() and is one token behind what it is to be answered with: at its
// position t are the logits of token t.
#pragma once

#include "embedding.h"
#include "module_list.h"
#include "positions.h"
#include "transformer_layers.h"

namespace tapehead::nn {

/// Without sizes of its own it is the paper's base model.
struct TransformerOptions {
  Index source_vocabulary, target_vocabulary, context;
  Index d_model = 512, heads = 8, layers = 6, d_ff = 2048;
  double dropout = 0.1;
};

class Transformer : public Layer<Transformer> {
 public:
  /// Matrices are drawn as xavier_uniform_ does. Error for sizes below 1 (0 layers are allowed), or
  /// heads that don't divide d_model.
  explicit Transformer(const TransformerOptions& chosen);

  /// Int64 source (B, Ts) and target (B, T) -> (B, T, target_vocabulary). No position of the target
  /// sees a later one; `source_mask` hides padding, see padding_mask(). ShapeError for more than
  /// `context` tokens or one outside its vocabulary.
  Tensor forward(const Tensor& source, const Tensor& target, const Tensor& source_mask = {}) {
    return decode(target, encode(source, source_mask), source_mask);
  }
  /// Both halves: source -> memory (B, Ts, d_model), and target and memory -> logits.
  Tensor encode(const Tensor& source, const Tensor& source_mask = {});
  Tensor decode(const Tensor& target, const Tensor& memory, const Tensor& source_mask = {});

  /// The token that a target begins with, the one after the target's vocabulary.
  Index start() const { return options.target_vocabulary; }

  const TransformerOptions options;
  Embedding source_embedding, target_embedding;  // the latter has a row for start() too
  SinusoidalPositions positions;
  Dropout dropout;
  ModuleList<TransformerEncoderLayer> encoder;  // post-norm
  ModuleList<TransformerDecoderLayer> decoder;
  Linear head;

 private:
  Tensor embedded(Embedding& embedding, const Tensor& tokens);
};

}  // namespace tapehead::nn
