// Self-attention of causal models: each position sees itself and those before, whether they come
// with it or are in a KVCache.
//
//   GroupedQueryAttention attn(512, 8, 2);   // 8 heads of queries share 2 of keys and values
//   Tensor y = attn(x);                      // (B, T, 512) -> (B, T, 512)
//
// Both take a CausalContext: cache, mask, bias and rotary angles. What keys and values a cache
// holds is what there is to save: num_kv_heads of num_heads.
#pragma once

#include <array>

#include "attend.h"
#include "kv_cache.h"
#include "linear.h"

namespace tapehead::nn {

struct GroupedQueryOptions {
  double dropout = 0;
  bool bias = true;                                              // of all four projections
  std::array<const char*, 4> names{"W_q", "W_k", "W_v", "W_o"};  // in state_dict()
};

/// num_heads heads of queries, of which each num_heads / num_kv_heads neighbours attend to the same
/// keys and values (Ainslie et al., 2023). num_kv_heads = num_heads: multi-head attention; 1:
/// multi-query attention (Shazeer, 2019).
class GroupedQueryAttention : public Layer<GroupedQueryAttention> {
 public:
  /// Error for sizes below 1, num_heads that doesn't divide d_model, num_kv_heads that doesn't
  /// divide num_heads, or fewer than four names.
  GroupedQueryAttention(Index d_model, Index num_heads, Index num_kv_heads,
                        const GroupedQueryOptions& options = {});

  /// (B, T, d_model) -> the same. ShapeError for other shapes.
  Tensor forward(const Tensor& x, const CausalContext& context = {});

  /// As in MultiHeadAttention.
  Tensor attention_weights() const { return kept_.get(); }
  void keep_weights(bool keep) { kept_.keep(keep); }
  bool keeps_weights() const { return kept_.keeps(); }

  const Index d_model, num_heads, num_kv_heads, d_k;
  Linear W_q, W_k, W_v, W_o;
  Dropout dropout;
  HiddenRows hidden_rows = HiddenRows::Uniform;

 private:
  KeptWeights kept_;
};

/// GPT-2's: one projection to queries, keys and values, dropout of the weights and of the result.
class CausalSelfAttention : public Layer<CausalSelfAttention> {
 public:
  /// Error unless num_heads divides d_model and both are at least 1.
  CausalSelfAttention(Index d_model, Index num_heads, double dropout = 0);

  /// (B, T, d_model) -> the same. ShapeError for other shapes.
  Tensor forward(const Tensor& x, const CausalContext& context = {});

  /// As in MultiHeadAttention.
  Tensor attention_weights() const { return kept_.get(); }
  void keep_weights(bool keep) { kept_.keep(keep); }
  bool keeps_weights() const { return kept_.keeps(); }

  const Index d_model, num_heads, d_k;
  Linear c_attn, c_proj;
  Dropout attn_dropout, resid_dropout;
  HiddenRows hidden_rows = HiddenRows::Uniform;

 private:
  KeptWeights kept_;
};

}  // namespace tapehead::nn
