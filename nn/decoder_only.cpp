#include "decoder_only.h"

#include "alibi.h"
#include "init.h"

namespace tapehead::nn {
namespace {

DecoderOnlyOptions checked(const DecoderOnlyOptions& options) {
  if (options.layers < 0) fail("DecoderOnly: layers must be at least 0, got ", options.layers);
  return options;
}

}  // namespace

DecoderOnly::DecoderOnly(const DecoderOnlyOptions& chosen)
    : options(checked(chosen)),
      embedding(options.vocabulary, options.d_model),
      norm(options.d_model),
      head(options.d_model, options.vocabulary) {
  add("embedding", embedding);
  if (options.positions == Positions::Sinusoidal)
    add("positions", sinusoidal.emplace(options.context, options.d_model));
  if (options.positions == Positions::Learned)
    add("positions", learned.emplace(options.context, options.d_model));
  for (Index layer = 0; layer < options.layers; ++layer)
    blocks.emplace_back(options.d_model, options.heads, options.d_ff, options.dropout);
  add("blocks", blocks);
  add("norm", norm);
  add("head", head);
  // Small logits at first, so that the loss begins at about ln V for any V.
  init::normal_(head.weight, 0, 0.02);
  init::zeros_(head.bias);
}

Tensor DecoderOnly::placed(const Tensor& x, const CausalContext& context) {
  if (sinusoidal) return (*sinusoidal)(x, context.positions);
  if (learned) return (*learned)(x, context.positions);
  return x;
}

Tensor DecoderOnly::forward(const Tensor& tokens, KVCache* cache) {
  CausalContext context("DecoderOnly", tokens, cache, options.context, options.layers);
  Tensor x = placed(embedding(tokens), context);  // (B, T, d_model)
  if (options.positions == Positions::Rotary)
    context.rotary = rotary_angles(context.positions, options.d_model / options.heads, x.dtype());
  if (options.positions == Positions::ALiBi)
    context.bias = alibi_bias(options.heads, context.T, context.all, x.dtype());
  for (CausalBlock& block : blocks) {
    x = block(x, context);  // (B, T, d_model)
    ++context.layer;
  }
  context.commit();
  return head(norm(x));  // (B, T, V)
}

}  // namespace tapehead::nn
