#include "llama.h"

#include <cmath>

#include "init.h"

namespace tapehead::nn {
namespace {

LlamaOptions checked(const LlamaOptions& options) {
  if (options.layers < 0) fail("Llama: layers must be at least 0, got ", options.layers);
  check_rotary_base("Llama", options.base);
  return options;
}

}  // namespace

LlamaBlock::LlamaBlock(const LlamaOptions& options)
    : attention(options.d_model, options.heads, options.kv_heads,
                {.dropout = options.dropout, .bias = false, .names = {"wq", "wk", "wv", "wo"}}),
      dropout(options.dropout),
      feed_forward(options.d_model, options.d_ff, options.dropout),
      attention_norm(options.d_model, options.eps),
      ffn_norm(options.d_model, options.eps) {
  add("attention", attention);
  add("dropout", dropout);
  add("feed_forward", feed_forward);
  add("attention_norm", attention_norm);
  add("ffn_norm", ffn_norm);
  attention.keep_weights(false);
}

Llama::Llama(const LlamaOptions& chosen)
    : options(checked(chosen)),
      tok_embeddings(options.vocabulary, options.d_model),
      dropout(options.dropout),
      norm(options.d_model, options.eps),
      output(options.d_model, options.vocabulary, false) {
  for (Index i = 0; i < options.layers; ++i) layers.emplace_back(options);
  add("tok_embeddings", tok_embeddings);
  add("dropout", dropout);
  add("layers", layers);
  add("norm", norm);
  add("output", output);
  if (options.tied) tok_embeddings.weight = output.weight;
  for (const auto& [name, parameter] : named_parameters())
    if (parameter.dim() == 2) init::normal_(parameter, 0, 0.02);
  const double deviation = 0.02 / std::sqrt(2.0 * static_cast<double>(options.layers));
  for (LlamaBlock& block : layers) {
    init::normal_(block.attention.W_o.weight, 0, deviation);
    init::normal_(block.feed_forward.w2.weight, 0, deviation);
  }
}

Tensor Llama::forward(const Tensor& tokens, KVCache* cache) {
  CausalContext context("Llama", tokens, cache, options.context, options.layers);
  Tensor x = dropout(tok_embeddings(tokens));  // (B, T, d_model)
  context.rotary =
      rotary_angles(context.positions, options.d_model / options.heads, x.dtype(), options.base);
  for (LlamaBlock& block : layers) {
    x = block(x, context);  // (B, T, d_model)
    ++context.layer;
  }
  context.commit();
  return output(norm(x));  // (B, T, V)
}

}  // namespace tapehead::nn
