#include "attend.h"

#include <cmath>

#include "../autograd/create.h"

namespace tapehead::nn {

Tensor KeptWeights::get() const {
  const std::lock_guard lock(mutex_);
  if (!weights_.defined())
    fail("attention_weights: the last call kept none",
         keep_ ? "; call the module first" : "; ask for them with keep_weights(true)");
  return weights_;
}

void KeptWeights::set(const Tensor& weights) {
  const std::lock_guard lock(mutex_);
  weights_ = keep_ ? weights : Tensor();
}

void KeptWeights::keep(bool on) {
  const std::lock_guard lock(mutex_);
  keep_ = on;
  if (!on) weights_ = {};
}

bool KeptWeights::keeps() const {
  const std::lock_guard lock(mutex_);
  return keep_;
}

Tensor with_hidden_rows(const Tensor& x, const Tensor& mask, HiddenRows hidden_rows) {
  if (hidden_rows == HiddenRows::Uniform || !x.defined()) return x;
  const Tensor hidden = logical_not(any(mask, -1, /*keepdim=*/true));  // (..., Tq, 1)
  if (hidden_rows == HiddenRows::Zero) return masked_fill(x, hidden, 0);
  return x * masked_fill(ones(hidden.shape(), x.dtype()), hidden,
                         NAN);  // the values' gradients are NaN too
}

Tensor attend(const Tensor& Q, const Tensor& K, const Tensor& V, const AttendOptions& options,
              Dropout& dropout, KeptWeights& kept) {
  const Shape scores{Q.size(0), Q.size(1), Q.size(2), K.size(2)};  // (B, H, Tq, Tk)
  const Tensor bias =
      options.bias.defined() ? checked_bias(options.bias, scores, Q.dtype()) : Tensor();
  Tensor mask = options.mask.defined() ? checked_mask(options.mask, scores) : Tensor();
  if (options.causal && scores[2] != 1) {  // the last of all positions sees every one
    const Tensor past = causal_mask(scores[2], scores[3]);
    mask = mask.defined() ? logical_and(mask, past) : past;
  }
  const bool drops = dropout.is_training() && dropout.p > 0;
  const AttentionResult result = fused_attention(
      Q, K, V, mask, bias, drops ? dropout_mask(scores, dropout.p, Q.dtype()) : Tensor(),
      1 / std::sqrt(static_cast<double>(Q.size(-1))), kept.keeps());
  kept.set(mask.defined() ? with_hidden_rows(result.weights, mask, options.hidden_rows)
                          : result.weights);
  return mask.defined() ? with_hidden_rows(result.output, mask, options.hidden_rows)
                        : result.output;
}

Tensor split_heads(const Tensor& x, Index heads) {
  const Index B = x.size(0), T = x.size(1);
  return x.view({B, T, heads, x.size(2) / heads}).transpose(1, 2);  // (B, H, T, d)
}

Tensor merge_heads(const Tensor& x) {
  const Index B = x.size(0), T = x.size(2), width = x.size(1) * x.size(3);
  return x.transpose(1, 2).contiguous().view({B, T, width});  // (B, T, H d)
}

Tensor repeat_heads(const Tensor& x, Index times) {
  return times == 1 ? x : repeat_interleave(x, times, 1);  // (B, H times, T, d)
}

Index head_size(const char* module, Index d_model, Index num_heads) {
  if (d_model < 1 || num_heads < 1)
    fail(module, ": expected d_model and num_heads of at least 1, got ", d_model, " and ",
         num_heads);
  if (d_model % num_heads != 0)
    fail(module, ": d_model ", d_model, " must be divisible by num_heads ", num_heads,
         ", since each head takes an equal part");
  return d_model / num_heads;
}

void check_inputs(const char* module, const AttentionInput& query, const AttentionInput& key,
                  const AttentionInput& value) {
  for (const AttentionInput* in : {&query, &key, &value}) {
    if (!in->x.defined())
      fail<ShapeError>(module, ": ", in->name, " must be (B, T, ", in->width_name,
                       "), got an undefined tensor (made by Tensor()); ask defined() first");
    if (in->x.dim() != 3 || in->x.size(2) != in->width)
      fail<ShapeError>(module, ": ", in->name, " must be (B, T, ", in->width_name, ") with ",
                       in->width_name, " ", in->width, ", got ", in->x.shape(),
                       in->x.dim() == 2 ? "; add a batch dimension with .unsqueeze(0)" : "");
  }
  if (key.x.size(0) != query.x.size(0) || value.x.size(0) != key.x.size(0) ||
      value.x.size(1) != key.x.size(1))
    fail<ShapeError>(module, ": query, key and value must have one batch size, and key ",
                     "and value one length, got ", query.x.shape(), ", ", key.x.shape(), " and ",
                     value.x.shape());
}

}  // namespace tapehead::nn
