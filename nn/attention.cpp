#include "attention.h"

#include <cmath>

namespace tapehead::nn {

Attention scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                       const Tensor& mask, Dropout* dropout, const Tensor& bias,
                                       HiddenRows hidden_rows) {
  if (query.dim() < 2 || key.dim() < 2 || value.dim() < 2)
    fail<ShapeError>("attention: query, key and value must be (..., T, d), got ", query.shape(),
                     ", ", key.shape(), " and ", value.shape());
  const double root = std::sqrt(static_cast<double>(query.size(-1)));
  Tensor scores = matmul(query, key.transpose(-2, -1)) / root;  // (..., Tq, Tk)
  if (bias.defined()) scores = scores + checked_bias(bias, scores.shape(), scores.dtype());
  const Tensor seen = mask.defined() ? checked_mask(mask, scores.shape()) : Tensor();
  if (mask.defined()) scores = scores.masked_fill(logical_not(seen), -1e9);
  Tensor weights = scores.softmax(-1);  // each row sums to 1
  if (dropout) weights = (*dropout)(weights);
  if (mask.defined()) weights = with_hidden_rows(weights, seen, hidden_rows);
  return {matmul(weights, value), weights};  // (..., Tq, d_v)
}

MultiHeadAttention::MultiHeadAttention(Index model, Index heads, double p)
    : d_model(model),
      num_heads(heads),
      d_k(head_size("MultiHeadAttention", model, heads)),
      W_q(model, model),
      W_k(model, model),
      W_v(model, model),
      W_o(model, model),
      dropout(p) {
  add("W_q", W_q);
  add("W_k", W_k);
  add("W_v", W_v);
  add("W_o", W_o);
  add("dropout", dropout);
}

Tensor MultiHeadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Tensor& mask, const Tensor& bias) {
  check_inputs("MultiHeadAttention", {"query", query, "d_model", d_model},
               {"key", key, "d_model", d_model}, {"value", value, "d_model", d_model});
  const Index B = query.size(0), Tq = query.size(1), Tk = key.size(1);

  // 1. Project.
  Tensor Q = W_q(query);  // (B, Tq, d_model)
  Tensor K = W_k(key);    // (B, Tk, d_model)
  Tensor V = W_v(value);  // (B, Tk, d_model)

  // 2. Split into heads.
  Q = Q.view({B, Tq, num_heads, d_k}).transpose(1, 2);  // (B, H, Tq, d_k)
  K = K.view({B, Tk, num_heads, d_k}).transpose(1, 2);  // (B, H, Tk, d_k)
  V = V.view({B, Tk, num_heads, d_k}).transpose(1, 2);  // (B, H, Tk, d_k)

  // 3. Attend, all heads at once.
  const AttendOptions options{.mask = mask, .bias = bias, .hidden_rows = hidden_rows};
  Tensor output = attend(Q, K, V, options, dropout, kept_);  // (B, H, Tq, d_k)

  // 4. Concatenate the heads.
  output = output.transpose(1, 2).contiguous().view({B, Tq, d_model});  // (B, Tq, d_model)

  // 5. Mix what they found.
  return W_o(output);  // (B, Tq, d_model)
}

}  // namespace tapehead::nn
