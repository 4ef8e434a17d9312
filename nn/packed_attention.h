// Attention as PyTorch's nn.MultiheadAttention has it: the same results as MultiHeadAttention, with
// projections that are one matrix, and by its names, so that its weights load.
//
//   PackedMultiHeadAttention attn(512, 8);       // in_proj_weight (1536, 512): rows of q, k, v
//   attn.load_state_dict(io::read_tensors("torch_mha.safetensors"));
//   Tensor y = attn(x, x, x, causal_mask(T));    // (B, T, 512) -> (B, T, 512)
//
// Masks are those of mask.h (1 = may attend), not PyTorch's; `hidden_rows = HiddenRows::NaN` gives
// a query without keys what it gets there. Initialised as PyTorch does, number by number.
#pragma once

#include "attend.h"
#include "linear.h"

namespace tapehead::nn {

class PackedMultiHeadAttention : public Layer<PackedMultiHeadAttention> {
 public:
  /// `bias`: of all four projections. Error unless num_heads divides d_model and both are at least
  /// 1.
  PackedMultiHeadAttention(Index d_model, Index num_heads, double dropout = 0.0, bool bias = true);

  /// query (B, Tq, d_model), key and value (B, Tk, d_model) -> (B, Tq, d_model). One tensor as all
  /// three is projected in one product. ShapeError for other shapes.
  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value,
                 const Tensor& mask = {}, const Tensor& bias = {});

  /// As in MultiHeadAttention.
  Tensor attention_weights() const { return kept_.get(); }
  void keep_weights(bool keep) { kept_.keep(keep); }
  bool keeps_weights() const { return kept_.keeps(); }

  const Index d_model, num_heads, d_k;
  Parameter in_proj_weight;  // (3 d_model, d_model)
  Parameter in_proj_bias;    // (3 d_model), or undefined
  Linear out_proj;
  Dropout dropout;
  HiddenRows hidden_rows = HiddenRows::Uniform;

 private:
  std::vector<Tensor> project(const Tensor& query, const Tensor& key, const Tensor& value);

  KeptWeights kept_;
};

/// nn.MultiheadAttention(d_model, num_heads, kdim=kdim, vdim=vdim): keys and values of widths of
/// their own, such as those of another model.
class CrossAttention : public Layer<CrossAttention> {
 public:
  /// Error for sizes below 1, or num_heads that doesn't divide d_model.
  CrossAttention(Index d_model, Index num_heads, Index kdim, Index vdim, double dropout = 0.0,
                 bool bias = true);

  /// query (B, Tq, d_model), key (B, Tk, kdim), value (B, Tk, vdim) -> (B, Tq, d_model). ShapeError
  /// for other shapes.
  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value,
                 const Tensor& mask = {}, const Tensor& bias = {});

  /// As in MultiHeadAttention.
  Tensor attention_weights() const { return kept_.get(); }
  void keep_weights(bool keep) { kept_.keep(keep); }
  bool keeps_weights() const { return kept_.keeps(); }

  const Index d_model, num_heads, d_k, kdim, vdim;
  Parameter q_proj_weight;  // (d_model, d_model)
  Parameter k_proj_weight;  // (d_model, kdim)
  Parameter v_proj_weight;  // (d_model, vdim)
  Parameter in_proj_bias;   // (3 d_model), or undefined
  Linear out_proj;
  Dropout dropout;
  HiddenRows hidden_rows = HiddenRows::Uniform;

 private:
  KeptWeights kept_;
};

}  // namespace tapehead::nn
