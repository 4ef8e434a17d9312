// Attention: each query takes a weighted mean of the values, with weights from how well it matches
// the keys (Vaswani et al., 2017).
//
//   MultiHeadAttention attn(512, 8);
//   Tensor y = attn(x, x, x, causal_mask(T));   // (B, T, 512) -> (B, T, 512)
//   attn.attention_weights();                   // (B, 8, T, T)
//
// B sequences in a batch, Tq queries, Tk keys and values, H heads of d_k features. For masks and
// their shapes see mask.h; a `bias` of the same shapes is added to the scores.
#pragma once

#include "attend.h"
#include "linear.h"

namespace tapehead::nn {

struct Attention {
  Tensor output;   // (..., Tq, d_v)
  Tensor weights;  // (..., Tq, Tk), after dropout; differentiable
};
/// softmax(q k^T / sqrt(d_k) + bias, hidden scores -1e9) v, op by op, to be read. query
/// (..., Tq, d_k), key (..., Tk, d_k), value (..., Tk, d_v).
Attention scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                       const Tensor& mask = {}, Dropout* dropout = nullptr,
                                       const Tensor& bias = {},
                                       HiddenRows hidden_rows = HiddenRows::Uniform);

class MultiHeadAttention : public Layer<MultiHeadAttention> {
 public:
  /// Error unless num_heads divides d_model and both are at least 1.
  MultiHeadAttention(Index d_model, Index num_heads, double dropout = 0.1);

  /// query (B, Tq, d_model), key and value (B, Tk, d_model) -> (B, Tq, d_model). ShapeError for
  /// other shapes.
  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value,
                 const Tensor& mask = {}, const Tensor& bias = {});

  /// The weights of the last call on any thread, (B, H, Tq, Tk), after dropout, with their history.
  /// Error if there are none.
  Tensor attention_weights() const { return kept_.get(); }
  /// Whether calls keep their weights; without, they need not be made at all.
  void keep_weights(bool keep) { kept_.keep(keep); }
  bool keeps_weights() const { return kept_.keeps(); }

  const Index d_model, num_heads, d_k;
  Linear W_q, W_k, W_v, W_o;
  Dropout dropout;
  HiddenRows hidden_rows = HiddenRows::Uniform;

 private:
  KeptWeights kept_;
};

}  // namespace tapehead::nn
