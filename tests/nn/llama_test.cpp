#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/llama.h>

#include <cmath>

#include "../support/strict_gradcheck.h"
#include "goldens.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;

namespace {

constexpr LlamaOptions small{.vocabulary = 7,
                             .context = 6,
                             .d_model = 12,
                             .heads = 3,
                             .kv_heads = 1,
                             .layers = 2,
                             .d_ff = 5,
                             .tied = false};

}  // namespace

TEST_CASE("a Llama has Meta's names and computes what its code does") {
  const testing::Json goldens = testing::goldens("models"), golden = goldens.at("Llama");
  Llama model(small);
  model.to(Float64);
  model.load_state_dict(testing::state_of(golden.at("state")));
  const Tensor logits = model(testing::to_tensor(goldens.at("tokens")));
  CHECK(difference(logits, testing::to_tensor(golden.at("logits")), {.atol = 1e-14}) == "");
}

TEST_CASE("a Llama's first weights are small, and smaller where they add to the residual path") {
  Llama model({.vocabulary = 5,
               .context = 4,
               .d_model = 64,
               .heads = 2,
               .kv_heads = 2,
               .layers = 8,
               .d_ff = 128});
  const auto deviation = [](const Tensor& weight) {
    return std::sqrt(weight.pow(2).mean().item());
  };
  LlamaBlock& block = model.layers[3];
  CHECK(deviation(block.feed_forward.w1.weight) == doctest::Approx(0.02).epsilon(0.05));
  CHECK(deviation(block.attention.W_q.weight) == doctest::Approx(0.02).epsilon(0.05));
  CHECK(deviation(block.feed_forward.w2.weight) == doctest::Approx(0.005).epsilon(0.05));
  CHECK(deviation(block.attention.W_o.weight) == doctest::Approx(0.005).epsilon(0.05));
  CHECK(equal(block.ffn_norm.weight, ones({64})));
  CHECK(model.tok_embeddings.weight.impl() == model.output.weight.impl());
}

TEST_CASE("Llama's output at a position does not depend on later tokens") {
  Llama model(small);
  const Tensor a = model(tensor({{1, 2, 3, 4}})), b = model(tensor({{1, 2, 0, 0}}));
  CHECK(difference(a.narrow(1, 0, 2), b.narrow(1, 0, 2)) == "");
  CHECK(difference(a.narrow(1, 2, 2), b.narrow(1, 2, 2)) != "");
}

TEST_CASE("Llama with a cache goes on where it was, also from behind padding") {
  Llama model(small);
  model.to(Float64);
  const Tensor tokens = tensor({{1, 2, 3, 4, 5}, {0, 0, 6, 1, 2}});
  const Tensor whole = model(tokens.narrow(0, 0, 1)),
               tail = model(tokens.narrow(0, 1, 1).narrow(1, 2, 3));
  KVCache cache({0, 2});
  Index t = 0;
  for (const Index count : {3, 1, 1}) {
    const Tensor part = model(tokens.narrow(1, t, count), &cache);
    CHECK(difference(part.narrow(0, 0, 1), whole.narrow(1, t, count), {.atol = 1e-14}) == "");
    CHECK(difference(part.narrow(0, 1, 1).narrow(1, count - 1, 1), tail.narrow(1, t + count - 3, 1),
                     {.atol = 1e-14}) == "");
    t += count;
  }
  CHECK_THROWS_WITH_AS(model(tokens.narrow(1, 0, 2), &cache),
                       "Llama: expected up to 6 tokens, got 7 with those in the cache; give it the "
                       "last ones alone",
                       ShapeError);
}

TEST_CASE("a Llama that cannot be is refused") {
  LlamaOptions options = small;
  options.layers = -1;
  CHECK_THROWS_WITH_AS(Llama{options}, "Llama: layers must be at least 0, got -1", Error);
}

TEST_CASE("a Llama's gradients are right") {
  manual_seed(0);
  Llama model({.vocabulary = 3,
               .context = 3,
               .d_model = 4,
               .heads = 2,
               .kv_heads = 1,
               .layers = 1,
               .d_ff = 3});
  model.to(Float64);
  for (const auto& [name, parameter] : model.named_parameters()) {  // larger than it starts with
    const NoGradGuard no_grad;
    Tensor(parameter).add_(testing::noise(parameter.shape(), 3));
  }
  const Tensor tokens = tensor({{1, 2, 0}});
  CHECK(testing::strict_gradcheck([&](const auto&) { return model(tokens); }, {},
                                  model.named_parameters()));
}

TEST_CASE("a Llama whose rotary base is not above 0 is refused before it is made") {
  LlamaOptions options = small;
  options.base = 0;
  CHECK_THROWS_WITH_AS(Llama{options},
                       "Llama: the base of the rotary angles must be above 0 and finite, got 0",
                       Error);
}
