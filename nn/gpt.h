// GPT: a language model of GPT-2's shape (Radford et al., 2019). Names are those of nanoGPT and
// minGPT, whose state dicts load (without their masks, "….attn.bias").
//
//   GPT model({.vocabulary = 65, .context = 256, .d_model = 384, .heads = 6, .layers = 6});
//   Tensor logits = model(tokens);            // Int64 (B, T) -> (B, T, 65), T <= 256
//   KVCache cache;
//   logits = model(tokens, &cache);           // remembers them, and goes on from there
#pragma once

#include "activations.h"
#include "causal_attention.h"
#include "embedding.h"
#include "layer_norm.h"
#include "module_list.h"

namespace tapehead::nn {

/// Without sizes of its own it is GPT-2, with 124 million parameters.
struct GPTOptions {
  Index vocabulary = 50257, context = 1024;
  Index d_model = 768, heads = 12, layers = 12;
  double dropout = 0;
  bool tied = true;  // lm_head.weight is transformer.wte.weight
};

/// Two linear layers with GELU's tanh form between, four times as wide inside.
class GPTMLP : public Layer<GPTMLP> {
 public:
  GPTMLP(Index d_model, double dropout);
  /// (..., d_model) -> the same.
  Tensor forward(const Tensor& x) { return dropout(c_proj(gelu(c_fc(x)))); }

  Linear c_fc;
  GELU gelu;
  Linear c_proj;
  Dropout dropout;
};

class GPTBlock : public Layer<GPTBlock> {
 public:
  GPTBlock(Index d_model, Index heads, double dropout);
  /// (B, T, d_model) -> the same.
  Tensor forward(const Tensor& x, const CausalContext& context = {}) {
    const Tensor y = x + attn(ln_1(x), context);  // (B, T, d_model)
    return y + mlp(ln_2(y));                      // (B, T, d_model)
  }

  LayerNorm ln_1;
  CausalSelfAttention attn;  // keeps no weights unless asked to
  LayerNorm ln_2;
  GPTMLP mlp;
};

/// All but the head, and as PyTorch's layers draw their weights.
class GPTBody : public Layer<GPTBody> {
 public:
  explicit GPTBody(const GPTOptions& chosen);
  /// Int64 (B, T) -> (B, T, d_model).
  Tensor forward(const Tensor& tokens, KVCache* cache = nullptr);

  const GPTOptions options;
  Embedding wte, wpe;  // of tokens, of positions
  Dropout drop;
  ModuleList<GPTBlock> h;
  LayerNorm ln_f;
};

class GPT : public Layer<GPT> {
 public:
  /// Weights are drawn as nanoGPT draws them: from N(0, 0.02), those of layers that add to the
  /// residual path from N(0, 0.02 / sqrt(2 layers)); biases are 0. Error for sizes below 1 (0
  /// layers are allowed), or heads that don't divide d_model.
  explicit GPT(const GPTOptions& chosen = {});

  /// Int64 (B, T) -> (B, T, V). ShapeError for more than `context` tokens, those in the cache
  /// included, or for one outside [0, V).
  Tensor forward(const Tensor& tokens, KVCache* cache = nullptr) {
    return lm_head(transformer(tokens, cache));
  }

  const GPTOptions options;
  GPTBody transformer;
  Linear lm_head;
};

}  // namespace tapehead::nn
