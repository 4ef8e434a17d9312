// Llama: a language model with RMSNorm, rotary positions, SwiGLU and grouped queries (Touvron et
// al., 2023). Names are those of Meta's code and of llama2.c, whose weights load.
//
//   Llama model({.vocabulary = 512, .context = 512, .d_model = 64, .heads = 8, .kv_heads = 4,
//                .layers = 5, .d_ff = 172});
//   Tensor logits = model(tokens);            // Int64 (B, T) -> (B, T, 512)
//   KVCache cache;
//   logits = model(tokens, &cache);           // remembers them, and goes on from there
#pragma once

#include "causal_attention.h"
#include "embedding.h"
#include "module_list.h"
#include "rms_norm.h"
#include "swiglu.h"

namespace tapehead::nn {

/// Without sizes of its own it is llama2.c's stories15M.
struct LlamaOptions {
  Index vocabulary = 32000, context = 256;
  Index d_model = 288, heads = 6, kv_heads = 6, layers = 6, d_ff = 768;
  double dropout = 0;
  double eps = 1e-5;    // of the norms
  double base = 10000;  // of the rotary angles
  bool tied = true;     // output.weight is tok_embeddings.weight
};

class LlamaBlock : public Layer<LlamaBlock> {
 public:
  explicit LlamaBlock(const LlamaOptions& options);
  /// (B, T, d_model) -> the same.
  Tensor forward(const Tensor& x, const CausalContext& context = {}) {
    const Tensor y = x + dropout(attention(attention_norm(x), context));  // (B, T, d_model)
    return y + feed_forward(ffn_norm(y));                                 // (B, T, d_model)
  }

  GroupedQueryAttention attention;  // keeps no weights unless asked to
  Dropout dropout;
  SwiGLU feed_forward;
  RMSNorm attention_norm, ffn_norm;
};

class Llama : public Layer<Llama> {
 public:
  /// Weights are drawn from N(0, 0.02), those of wo and w2, which add to the residual path, from
  /// N(0, 0.02 / sqrt(2 layers)). Error for sizes below 1 (0 layers are allowed), heads that don't
  /// divide d_model, or kv_heads that don't divide heads.
  explicit Llama(const LlamaOptions& chosen = {});

  /// Int64 (B, T) -> (B, T, V). ShapeError for more than `context` tokens, those in the cache
  /// included, or for one outside [0, V); Error for heads of an odd size.
  Tensor forward(const Tensor& tokens, KVCache* cache = nullptr);

  const LlamaOptions options;
  Embedding tok_embeddings;
  Dropout dropout;
  ModuleList<LlamaBlock> layers;
  RMSNorm norm;
  Linear output;
};

}  // namespace tapehead::nn
