#include "gpt.h"

#include <cmath>

#include "init.h"

namespace tapehead::nn {
namespace {

GPTOptions checked(const GPTOptions& options) {
  if (options.layers < 0) fail("GPT: layers must be at least 0, got ", options.layers);
  return options;
}

void draw(Module& module) {
  if (auto* const linear = dynamic_cast<Linear*>(&module)) {
    init::normal_(linear->weight, 0, 0.02);
    if (linear->bias.defined()) init::zeros_(linear->bias);
  }
  if (auto* const embedding = dynamic_cast<Embedding*>(&module))
    init::normal_(embedding->weight, 0, 0.02);
}

}  // namespace

GPTMLP::GPTMLP(Index d_model, double p)
    : c_fc(d_model, 4 * d_model), gelu("tanh"), c_proj(4 * d_model, d_model), dropout(p) {
  add("c_fc", c_fc);
  add("gelu", gelu);
  add("c_proj", c_proj);
  add("dropout", dropout);
}

GPTBlock::GPTBlock(Index d_model, Index heads, double p)
    : ln_1(d_model), attn(d_model, heads, p), ln_2(d_model), mlp(d_model, p) {
  add("ln_1", ln_1);
  add("attn", attn);
  add("ln_2", ln_2);
  add("mlp", mlp);
  attn.keep_weights(false);
}

GPTBody::GPTBody(const GPTOptions& chosen)
    : options(checked(chosen)),
      wte(options.vocabulary, options.d_model),
      wpe(options.context, options.d_model),
      drop(options.dropout),
      ln_f(options.d_model) {
  for (Index i = 0; i < options.layers; ++i)
    h.emplace_back(options.d_model, options.heads, options.dropout);
  add("wte", wte);
  add("wpe", wpe);
  add("drop", drop);
  add("h", h);
  add("ln_f", ln_f);
}

Tensor GPTBody::forward(const Tensor& tokens, KVCache* cache) {
  CausalContext context("GPT", tokens, cache, options.context, options.layers);
  Tensor x = drop(wte(tokens) + wpe(context.positions));  // (B, T, d_model)
  for (GPTBlock& block : h) {
    x = block(x, context);  // (B, T, d_model)
    ++context.layer;
  }
  context.commit();
  return ln_f(x);  // (B, T, d_model)
}

GPT::GPT(const GPTOptions& chosen)
    : options(chosen), transformer(chosen), lm_head(chosen.d_model, chosen.vocabulary, false) {
  add("transformer", transformer);
  add("lm_head", lm_head);
  if (options.tied) transformer.wte.weight = lm_head.weight;
  apply(draw);
  const double deviation = 0.02 / std::sqrt(2.0 * static_cast<double>(options.layers));
  for (GPTBlock& block : transformer.h) {
    init::normal_(block.attn.c_proj.weight, 0, deviation);
    init::normal_(block.mlp.c_proj.weight, 0, deviation);
  }
}

}  // namespace tapehead::nn
