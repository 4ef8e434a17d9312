#include "encoder_only.h"

#include "init.h"

namespace tapehead::nn {
namespace {

EncoderOnlyOptions checked(const EncoderOnlyOptions& options) {
  if (options.layers < 0) fail("EncoderOnly: layers must be at least 0, got ", options.layers);
  return options;
}

}  // namespace

EncoderOnly::EncoderOnly(const EncoderOnlyOptions& chosen)
    : options(checked(chosen)),
      embedding(options.vocabulary, options.d_model),
      positions(options.context, options.d_model),
      norm(options.d_model),
      head(options.d_model, options.vocabulary) {
  for (Index layer = 0; layer < options.layers; ++layer)
    blocks.emplace_back(options.d_model, options.heads, options.d_ff, options.dropout);
  add("embedding", embedding);
  add("positions", positions);
  add("blocks", blocks);
  add("norm", norm);
  add("head", head);
  // Small logits at first, so that the loss begins at about ln V for any V.
  init::normal_(head.weight, 0, 0.02);
  init::zeros_(head.bias);
}

Tensor EncoderOnly::forward(const Tensor& tokens) {
  Tensor x = positions(embedding(tokens));          // (B, T, d_model)
  for (EncoderBlock& block : blocks) x = block(x);  // (B, T, d_model)
  return head(norm(x));                             // (B, T, V)
}

}  // namespace tapehead::nn
