// Generation: a causal model writes on, an nn::Transformer writes an answer.
//
//   const std::vector<Index> text = generate(model, {0}, {.tokens = 300, .temperature = 0.8});
//   generate(model, prompt, {.tokens = 300}, [](Index token) { return show(token); });
//
// The model is one of nn::DecoderOnly, GPT and Llama, a causal SequenceModel, or any module that is
// called with tokens (B, T) and a KVCache* and has options.context. It evaluates meanwhile, and is
// then in the mode that it was in.
#pragma once

#include <cstdint>
#include <functional>

#include "model.h"

namespace tapehead::train {

struct GenerateOptions {
  Index tokens = 100;      // how many to write
  double temperature = 1;  // below 1 prefers the likely ones, 0 takes the likeliest
  Index top_k = 0;         // draw only from that many; 0: from all
  double top_p = 1;        // draw only from the fewest whose probabilities add up to it
  std::uint64_t seed = 0;
};

/// With what probability each token comes next, Float64 (V), after logits (V): those of the softmax
/// of logits / temperature that are among the top_k, of these the top_p, scaled to add up to 1. At
/// temperature 0 all is on the largest logit. Of equal ones the first counts as larger; a top_k
/// above V is V; the likeliest token is never left out. Error for a temperature or top_k below 0, a
/// top_p outside (0, 1], or logits that are NaN; ShapeError for other shapes and for V = 0.
Tensor next_probabilities(const Tensor& logits, const GenerateOptions& options);

/// Is shown each token as it is written; false ends the sequence there.
using OnToken = std::function<bool(Index token)>;
/// The same for several sequences.
using OnTokens = std::function<bool(std::size_t sequence, Index token)>;

namespace detail {
struct Writer {
  std::function<Tensor(const Tensor& tokens, nn::KVCache* cache)> forward;
  Index context;
};
std::vector<std::vector<Index>> generate(const Writer& model,
                                         const std::vector<std::vector<Index>>& prompts,
                                         const GenerateOptions& options, const OnTokens& on_token);
/// Error unless the model is causal.
void check_causal(const SequenceModel& model);
template <class Model>
void check_causal(const Model&) {}
}  // namespace detail

/// Each prompt and what follows it. The prompts may differ in length; each gets what it would get
/// alone, number i with the seed `seed` + i. The model reads the last `context` tokens: up to there
/// through a cache, beyond it anew for every token, as positions change for all that it reads.
/// Error for an empty prompt, tokens below 0, a model that is not causal, and as above.
template <class Model>
std::vector<std::vector<Index>> generate_batch(Model& model,
                                               const std::vector<std::vector<Index>>& prompts,
                                               const GenerateOptions& options = {},
                                               const OnTokens& on_token = {}) {
  detail::check_causal(model);
  const Evaluating evaluating(model);
  return detail::generate(
      {[&model](const Tensor& tokens, nn::KVCache* cache) { return model(tokens, cache); },
       model.options.context},
      prompts, options, on_token);
}
/// Of one prompt.
template <class Model>
std::vector<Index> generate(Model& model, const std::vector<Index>& prompt,
                            const GenerateOptions& options = {}, const OnToken& on_token = {}) {
  OnTokens each;
  if (on_token) each = [&on_token](std::size_t, Index token) { return on_token(token); };
  return generate_batch(model, std::vector<std::vector<Index>>{prompt}, options, each)[0];
}

/// What an encoder-decoder writes to `source`, which it reads once: what follows start(), without
/// it, up to options.tokens and to the last of its `context` positions. Its first token is that at
/// position `first`, as of a target that asks for nothing before it: the positions up to there are
/// start(). Error for an empty source, a `first` outside the context, and as above; ShapeError for
/// a source of more than `context` tokens.
std::vector<Index> generate(nn::Transformer& model, const std::vector<Index>& source,
                            const GenerateOptions& options = {}, const OnToken& on_token = {},
                            Index first = 0);

}  // namespace tapehead::train
