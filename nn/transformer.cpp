#include "transformer.h"

#include <cmath>

#include "init.h"

namespace tapehead::nn {
namespace {

TransformerOptions checked(const TransformerOptions& options) {
  if (options.layers < 0) fail("Transformer: layers must be at least 0, got ", options.layers);
  return options;
}

}  // namespace

Transformer::Transformer(const TransformerOptions& chosen)
    : options(checked(chosen)),
      source_embedding(options.source_vocabulary, options.d_model),
      target_embedding(options.target_vocabulary + 1, options.d_model),
      positions(options.context, options.d_model),
      dropout(options.dropout),
      head(options.d_model, options.target_vocabulary) {
  const TransformerLayerOptions layer{.dim_feedforward = options.d_ff, .dropout = options.dropout};
  for (Index i = 0; i < options.layers; ++i) {
    encoder.emplace_back(options.d_model, options.heads, layer);
    decoder.emplace_back(options.d_model, options.heads, layer);
  }
  add("source_embedding", source_embedding);
  add("target_embedding", target_embedding);
  add("positions", positions);
  add("dropout", dropout);
  add("encoder", encoder);
  add("decoder", decoder);
  add("head", head);
  for (const auto& [name, parameter] : named_parameters())
    if (parameter.dim() > 1) init::xavier_uniform_(parameter);
}

// Scaled, so that positions do not drown tokens (section 3.4 of the paper).
Tensor Transformer::embedded(Embedding& embedding, const Tensor& tokens) {
  const double scale = std::sqrt(static_cast<double>(options.d_model));
  return dropout(positions(embedding(tokens) * scale));  // (B, T, d_model)
}

Tensor Transformer::encode(const Tensor& source, const Tensor& source_mask) {
  Tensor x = embedded(source_embedding, source);                             // (B, Ts, d_model)
  for (TransformerEncoderLayer& layer : encoder) x = layer(x, source_mask);  // (B, Ts, d_model)
  return x;
}

Tensor Transformer::decode(const Tensor& target, const Tensor& memory, const Tensor& source_mask) {
  Tensor y = embedded(target_embedding, target);  // (B, T, d_model)
  const Tensor mask = causal_mask(target.size(1));
  for (TransformerDecoderLayer& layer : decoder)
    y = layer(y, memory, mask, source_mask);  // (B, T, d_model)
  return head(y);                             // (B, T, V)
}

}  // namespace tapehead::nn
