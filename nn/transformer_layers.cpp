#include "transformer_layers.h"

namespace tapehead::nn {

TransformerEncoderLayer::TransformerEncoderLayer(Index d_model, Index nhead,
                                                 const TransformerLayerOptions& chosen)
    : options(chosen),
      self_attn(d_model, nhead, options.dropout),
      linear1(d_model, options.dim_feedforward),
      dropout(options.dropout),
      linear2(options.dim_feedforward, d_model),
      norm1(d_model, options.layer_norm_eps),
      norm2(d_model, options.layer_norm_eps),
      dropout1(options.dropout),
      dropout2(options.dropout) {
  add("self_attn", self_attn);
  add("linear1", linear1);
  add("dropout", dropout);
  add("linear2", linear2);
  add("norm1", norm1);
  add("norm2", norm2);
  add("dropout1", dropout1);
  add("dropout2", dropout2);
  self_attn.keep_weights(false);
}

Tensor TransformerEncoderLayer::forward(const Tensor& x, const Tensor& mask) {
  if (options.norm_first) {
    const Tensor y = x + attended(norm1(x), mask);  // (B, T, d_model)
    return y + fed(norm2(y));                       // (B, T, d_model)
  }
  const Tensor y = norm1(x + attended(x, mask));  // (B, T, d_model)
  return norm2(y + fed(y));                       // (B, T, d_model)
}

Tensor TransformerEncoderLayer::attended(const Tensor& x, const Tensor& mask) {
  return dropout1(self_attn(x, x, x, mask));
}
Tensor TransformerEncoderLayer::fed(const Tensor& x) {
  return dropout2(linear2(dropout(activate(options.activation, linear1(x)))));
}

TransformerDecoderLayer::TransformerDecoderLayer(Index d_model, Index nhead,
                                                 const TransformerLayerOptions& chosen)
    : options(chosen),
      self_attn(d_model, nhead, options.dropout),
      multihead_attn(d_model, nhead, options.dropout),
      linear1(d_model, options.dim_feedforward),
      dropout(options.dropout),
      linear2(options.dim_feedforward, d_model),
      norm1(d_model, options.layer_norm_eps),
      norm2(d_model, options.layer_norm_eps),
      norm3(d_model, options.layer_norm_eps),
      dropout1(options.dropout),
      dropout2(options.dropout),
      dropout3(options.dropout) {
  add("self_attn", self_attn);
  add("multihead_attn", multihead_attn);
  add("linear1", linear1);
  add("dropout", dropout);
  add("linear2", linear2);
  add("norm1", norm1);
  add("norm2", norm2);
  add("norm3", norm3);
  add("dropout1", dropout1);
  add("dropout2", dropout2);
  add("dropout3", dropout3);
  self_attn.keep_weights(false);
  multihead_attn.keep_weights(false);
}

Tensor TransformerDecoderLayer::forward(const Tensor& target, const Tensor& memory,
                                        const Tensor& mask, const Tensor& memory_mask) {
  if (options.norm_first) {
    const Tensor x = target + attended(norm1(target), mask);        // (B, T, d_model)
    const Tensor y = x + looked_up(norm2(x), memory, memory_mask);  // (B, T, d_model)
    return y + fed(norm3(y));                                       // (B, T, d_model)
  }
  const Tensor x = norm1(target + attended(target, mask));        // (B, T, d_model)
  const Tensor y = norm2(x + looked_up(x, memory, memory_mask));  // (B, T, d_model)
  return norm3(y + fed(y));                                       // (B, T, d_model)
}

Tensor TransformerDecoderLayer::attended(const Tensor& x, const Tensor& mask) {
  return dropout1(self_attn(x, x, x, mask));
}
Tensor TransformerDecoderLayer::looked_up(const Tensor& x, const Tensor& memory,
                                          const Tensor& mask) {
  return dropout2(multihead_attn(x, memory, memory, mask));
}
Tensor TransformerDecoderLayer::fed(const Tensor& x) {
  return dropout3(linear2(dropout(activate(options.activation, linear1(x)))));
}

}  // namespace tapehead::nn
