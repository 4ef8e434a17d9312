#include "attention.h"

#include <cmath>

namespace tapehead::nn {

Attention scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                       const Tensor& mask, Dropout* dropout, const Tensor& bias) {
  if (query.dim() < 2 || key.dim() < 2 || value.dim() < 2)
    fail<ShapeError>("attention: query, key and value must be (..., T, d), got ", query.shape(),
                     ", ", key.shape(), " and ", value.shape());
  const double root = std::sqrt(static_cast<double>(query.size(-1)));
  Tensor scores = matmul(query, key.transpose(-2, -1)) / root;  // (..., Tq, Tk)
  if (bias.defined()) scores = scores + checked_bias(bias, scores.shape(), scores.dtype());
  if (mask.defined()) {
    const Tensor hidden = logical_not(checked_mask(mask, scores.shape()));
    scores = scores.masked_fill(hidden, -1e9);
  }
  Tensor weights = scores.softmax(-1);  // each row sums to 1
  if (dropout) weights = (*dropout)(weights);
  return {matmul(weights, value), weights};  // (..., Tq, d_v)
}

namespace {

Index head_size(Index d_model, Index num_heads) {
  if (d_model < 1 || num_heads < 1)
    fail("MultiHeadAttention: expected d_model and num_heads of at least 1, got ", d_model, " and ",
         num_heads);
  if (d_model % num_heads != 0)
    fail("MultiHeadAttention: d_model ", d_model, " must be divisible by num_heads ", num_heads,
         ", since each head takes an equal part");
  return d_model / num_heads;
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(Index model, Index heads, double p)
    : d_model(model),
      num_heads(heads),
      d_k(head_size(model, heads)),
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
  check_inputs(query, key, value);
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
  Tensor output = attend(Q, K, V, mask, bias);  // (B, H, Tq, d_k)

  // 4. Concatenate the heads.
  output = output.transpose(1, 2).contiguous().view({B, Tq, d_model});  // (B, Tq, d_model)

  // 5. Mix what they found.
  return W_o(output);  // (B, Tq, d_model)
}

// scaled_dot_product_attention as one op, with the same results.
Tensor MultiHeadAttention::attend(const Tensor& Q, const Tensor& K, const Tensor& V,
                                  const Tensor& mask, const Tensor& bias) {
  const Shape scores{Q.size(0), num_heads, Q.size(2), K.size(2)};
  const bool drops = dropout.is_training() && dropout.p > 0;
  auto [output, weights] =
      fused_attention(Q, K, V, mask.defined() ? checked_mask(mask, scores) : mask,
                      bias.defined() ? checked_bias(bias, scores, Q.dtype()) : bias,
                      drops ? dropout_mask(scores, dropout.p, Q.dtype()) : Tensor(),
                      1 / std::sqrt(static_cast<double>(d_k)), keeps_weights());
  const std::lock_guard lock(kept_);
  weights_ = keep_weights_ ? weights : Tensor();
  return output;
}

void MultiHeadAttention::check_inputs(const Tensor& query, const Tensor& key,
                                      const Tensor& value) const {
  for (const auto& [what, x] :
       {std::pair("query", query), std::pair("key", key), std::pair("value", value)})
    if (x.dim() != 3 || x.size(2) != d_model)
      fail<ShapeError>("MultiHeadAttention: ", what, " must be (B, T, d_model) with d_model ",
                       d_model, ", got ", x.shape(),
                       x.dim() == 2 ? "; add a batch dimension with .unsqueeze(0)" : "");
  if (key.size(0) != query.size(0) || value.shape() != key.shape())
    fail<ShapeError>("MultiHeadAttention: query, key and value must have one batch size, and key ",
                     "and value one length, got ", query.shape(), ", ", key.shape(), " and ",
                     value.shape());
}

Tensor MultiHeadAttention::attention_weights() const {
  const std::lock_guard lock(kept_);
  if (!weights_.defined())
    fail("attention_weights: the last call kept none",
         keep_weights_ ? "; call the module first" : "; ask for them with keep_weights(true)");
  return weights_;
}

bool MultiHeadAttention::keeps_weights() const {
  const std::lock_guard lock(kept_);
  return keep_weights_;
}

void MultiHeadAttention::keep_weights(bool keep) {
  const std::lock_guard lock(kept_);
  keep_weights_ = keep;
  if (!keep) weights_ = {};
}

}  // namespace tapehead::nn
