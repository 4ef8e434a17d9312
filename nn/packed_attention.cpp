#include "packed_attention.h"

#include "../autograd/create.h"
#include "init.h"

namespace tapehead::nn {
namespace {

// The biases of q, k and v: undefined where there are none.
std::vector<Tensor> in_three(const Tensor& bias) {
  return bias.defined() ? bias.chunk(3) : std::vector<Tensor>(3);
}

}  // namespace

PackedMultiHeadAttention::PackedMultiHeadAttention(Index model, Index heads, double p, bool bias)
    : d_model(model),
      num_heads(heads),
      d_k(head_size("PackedMultiHeadAttention", model, heads)),
      out_proj(model, model, bias),
      dropout(p) {
  in_proj_weight = Parameter(empty({3 * model, model}));
  init::xavier_uniform_(in_proj_weight);
  add("in_proj_weight", in_proj_weight);
  add("in_proj_bias", in_proj_bias);
  add("out_proj", out_proj);
  add("dropout", dropout);
  if (!bias) return;
  in_proj_bias = Parameter(zeros({3 * model}));
  init::zeros_(out_proj.bias);
}

std::vector<Tensor> PackedMultiHeadAttention::project(const Tensor& query, const Tensor& key,
                                                      const Tensor& value) {
  if (query.impl() == key.impl() && key.impl() == value.impl())
    return linear(query, in_proj_weight, in_proj_bias).split(d_model, -1);  // 3 (B, T, d_model)
  const std::vector<Tensor> W = in_proj_weight.chunk(3), b = in_three(in_proj_bias);
  return {linear(query, W[0], b[0]), linear(key, W[1], b[1]), linear(value, W[2], b[2])};
}

Tensor PackedMultiHeadAttention::forward(const Tensor& query, const Tensor& key,
                                         const Tensor& value, const Tensor& mask,
                                         const Tensor& bias) {
  check_inputs("PackedMultiHeadAttention", {"query", query, "d_model", d_model},
               {"key", key, "d_model", d_model}, {"value", value, "d_model", d_model});
  const std::vector<Tensor> projected = project(query, key, value);
  const Tensor Q = split_heads(projected[0], num_heads);  // (B, H, Tq, d_k)
  const Tensor K = split_heads(projected[1], num_heads);  // (B, H, Tk, d_k)
  const Tensor V = split_heads(projected[2], num_heads);  // (B, H, Tk, d_k)
  const Tensor output =
      attend(Q, K, V, {.mask = mask, .bias = bias, .hidden_rows = hidden_rows}, dropout, kept_);
  return out_proj(merge_heads(output));  // (B, Tq, d_model)
}

CrossAttention::CrossAttention(Index model, Index heads, Index key_width, Index value_width,
                               double p, bool bias)
    : d_model(model),
      num_heads(heads),
      d_k(head_size("CrossAttention", model, heads)),
      kdim(key_width),
      vdim(value_width),
      out_proj(model, model, bias),
      dropout(p) {
  if (kdim < 1 || vdim < 1)
    fail("CrossAttention: expected kdim and vdim of at least 1, got ", kdim, " and ", vdim);
  const auto weight = [&](const char* name, Parameter& parameter, Index width) {
    parameter = Parameter(empty({d_model, width}));
    init::xavier_uniform_(parameter);
    add(name, parameter);
  };
  weight("q_proj_weight", q_proj_weight, d_model);
  weight("k_proj_weight", k_proj_weight, kdim);
  weight("v_proj_weight", v_proj_weight, vdim);
  add("in_proj_bias", in_proj_bias);
  add("out_proj", out_proj);
  add("dropout", dropout);
  if (!bias) return;
  in_proj_bias = Parameter(zeros({3 * d_model}));
  init::zeros_(out_proj.bias);
}

Tensor CrossAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                               const Tensor& mask, const Tensor& bias) {
  check_inputs("CrossAttention", {"query", query, "d_model", d_model}, {"key", key, "kdim", kdim},
               {"value", value, "vdim", vdim});
  const std::vector<Tensor> b = in_three(in_proj_bias);
  const Tensor Q = split_heads(linear(query, q_proj_weight, b[0]), num_heads);  // (B, H, Tq, d_k)
  const Tensor K = split_heads(linear(key, k_proj_weight, b[1]), num_heads);    // (B, H, Tk, d_k)
  const Tensor V = split_heads(linear(value, v_proj_weight, b[2]), num_heads);  // (B, H, Tk, d_k)
  const Tensor output =
      attend(Q, K, V, {.mask = mask, .bias = bias, .hidden_rows = hidden_rows}, dropout, kept_);
  return out_proj(merge_heads(output));  // (B, Tq, d_model)
}

}  // namespace tapehead::nn
