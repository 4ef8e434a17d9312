// DecoderOnly: tokens in, for each position the logits of the next one out; each position sees
// itself and those before. How it knows their order is to be chosen.
//
//   DecoderOnly model({.vocabulary = 65, .context = 64, .positions = Positions::Rotary});
//   Tensor logits = model(tokens);        // Int64 (B, T) -> (B, T, 65), T <= 64
//   KVCache cache;
//   logits = model(tokens, &cache);       // remembers them, and goes on from there
#pragma once

#include <optional>

#include "causal_block.h"
#include "embedding.h"
#include "module_list.h"
#include "positions.h"

namespace tapehead::nn {

/// Vectors added to the tokens', fixed or learnt; queries and keys that are turned (rotary.h); or
/// scores that are lowered (alibi.h).
enum class Positions { Sinusoidal, Learned, Rotary, ALiBi };

struct DecoderOnlyOptions {
  Index vocabulary, context;
  Index d_model = 32, heads = 4, layers = 1, d_ff = 64;
  double dropout = 0;
  Positions positions = Positions::Sinusoidal;
};

class DecoderOnly : public Layer<DecoderOnly> {
 public:
  /// Error for sizes below 1 (0 layers are allowed), or heads that don't divide d_model.
  explicit DecoderOnly(const DecoderOnlyOptions& chosen);

  /// Int64 (B, T) -> (B, T, V). ShapeError for more than `context` tokens, those in the cache
  /// included, or for one outside [0, V); Error for Positions::Rotary and heads of an odd size.
  Tensor forward(const Tensor& tokens, KVCache* cache = nullptr);

  const DecoderOnlyOptions options;
  Embedding embedding;
  std::optional<SinusoidalPositions> sinusoidal;  // these two are named "positions"
  std::optional<LearnedPositions> learned;
  ModuleList<CausalBlock> blocks;
  LayerNorm norm;
  Linear head;

 private:
  Tensor placed(const Tensor& x, const CausalContext& context);
};

}  // namespace tapehead::nn
