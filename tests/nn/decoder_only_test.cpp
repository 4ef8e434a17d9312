#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/alibi.h>
#include <tapehead/nn/decoder_only.h>
#include <tapehead/nn/encoder_only.h>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::noise;

namespace {

DecoderOnlyOptions small(Positions positions) {
  return {.vocabulary = 5,
          .context = 6,
          .d_model = 8,
          .heads = 2,
          .layers = 2,
          .d_ff = 7,
          .positions = positions};
}
constexpr std::array every_scheme{Positions::Sinusoidal, Positions::Learned, Positions::Rotary,
                                  Positions::ALiBi};

}  // namespace

TEST_CASE("a causal block is an encoder block under a causal mask: names, weights, results") {
  manual_seed(2);
  CausalBlock causal(8, 2, 12, 0.0, Activation::GELU);
  manual_seed(2);
  EncoderBlock block(8, 2, 12, 0.0, Activation::GELU);
  const StateDict a = causal.state_dict(), b = block.state_dict();
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].first == b[i].first);
    CHECK(equal(a[i].second, b[i].second));
  }
  const Tensor x = noise({2, 5, 8}, 1, Float32);
  CHECK(difference(causal(x), block(x, causal_mask(5))) == "");
  CHECK_FALSE(causal.attn.keeps_weights());
}

TEST_CASE("a causal block drops out at four places while training") {
  CausalBlock block(8, 2, 16, 0.5);
  CHECK(block.attn.dropout.p == 0.5);
  CHECK(block.ff.dropout.p == 0.5);
  const Tensor x = noise({2, 3, 8}, 1, Float32);
  manual_seed(1);
  const Tensor y = block(x);
  manual_seed(1);
  const Tensor a = x + dropout(block.attn(block.norm1(x)), 0.5);
  CHECK(difference(y, a + dropout(block.ff(block.norm2(a)), 0.5)) == "");
  block.eval();
  CHECK(difference(block(x), block(x)) == "");
}

TEST_CASE("an encoder is embedding, positions, blocks, norm and head") {
  EncoderOnly model({.vocabulary = 5, .context = 4, .layers = 2});
  const Tensor tokens = tensor({{1, 2, 3, 4}, {0, 0, 1, 1}});
  const Tensor x = model.positions(model.embedding(tokens));
  const Tensor y = model.blocks[1](model.blocks[0](x));
  CHECK(difference(model(tokens), model.head(model.norm(y))) == "");
  CHECK_THROWS_WITH_AS(EncoderOnly({.vocabulary = 5, .context = 4, .layers = -1}),
                       "EncoderOnly: layers must be at least 0, got -1", Error);
}

TEST_CASE("a decoder adds positions, turns by them or lowers scores with them") {
  const Tensor tokens = tensor({{1, 2, 3, 4}, {0, 0, 1, 1}});
  for (const Positions scheme : every_scheme) {
    DecoderOnly model(small(scheme));
    Tensor x = model.embedding(tokens);
    CausalContext context;
    if (scheme == Positions::Sinusoidal) x = (*model.sinusoidal)(x);
    if (scheme == Positions::Learned) x = (*model.learned)(x);
    if (scheme == Positions::Rotary) context.rotary = rotary_angles(arange(4), 4);
    if (scheme == Positions::ALiBi) context.bias = alibi_bias(2, 4, 4);
    const Tensor y = model.blocks[1](model.blocks[0](x, context), context);
    CHECK(difference(model(tokens), model.head(model.norm(y))) == "");
  }
}

TEST_CASE(
    "a decoder knows the order of its tokens, whatever the scheme, and nothing of later ones") {
  for (const Positions scheme : every_scheme) {
    DecoderOnly model(small(scheme));
    const Tensor a = model(tensor({{1, 2, 3, 4}}));
    CHECK(difference(model(tensor({{2, 1, 3, 4}})).select(1, 3), a.select(1, 3)) != "");
    CHECK(difference(model(tensor({{1, 2, 0, 0}})).narrow(1, 0, 2), a.narrow(1, 0, 2)) == "");
  }
}

TEST_CASE("a decoder with a cache goes on where it was, also from behind padding") {
  for (const Positions scheme : every_scheme) {
    DecoderOnly model(small(scheme));
    model.to(Float64);
    const Tensor tokens = tensor({{1, 2, 3, 4, 0}, {0, 0, 4, 1, 2}});
    const Tensor whole = model(tokens.narrow(0, 0, 1));
    const Tensor tail = model(tokens.narrow(0, 1, 1).narrow(1, 2, 3));
    KVCache cache({0, 2});
    Index t = 0;
    for (const Index count : {3, 1, 1}) {
      const Tensor part = model(tokens.narrow(1, t, count), &cache);
      CHECK(difference(part.narrow(0, 0, 1), whole.narrow(1, t, count), {.atol = 1e-14}) == "");
      CHECK(difference(part.narrow(0, 1, 1).narrow(1, count - 1, 1),
                       tail.narrow(1, t + count - 3, 1), {.atol = 1e-14}) == "");
      t += count;
    }
    CHECK_THROWS_WITH_AS(model(tokens.narrow(1, 0, 2), &cache),
                         "DecoderOnly: expected up to 6 tokens, got 7 with those in the cache; "
                         "give it the last ones alone",
                         ShapeError);
  }
}

TEST_CASE("a decoder of fewer than no layers is refused") {
  CHECK_THROWS_WITH_AS(DecoderOnly({.vocabulary = 5, .context = 4, .layers = -1}),
                       "DecoderOnly: layers must be at least 0, got -1", Error);
}

TEST_CASE("a decoder's gradients are right with every scheme") {
  for (const Positions scheme : every_scheme) {
    manual_seed(4);
    DecoderOnly model({.vocabulary = 3,
                       .context = 3,
                       .d_model = 4,
                       .heads = 2,
                       .layers = 1,
                       .d_ff = 3,
                       .positions = scheme});
    model.to(Float64);
    const Tensor tokens = tensor({{1, 2, 0}});
    CHECK(testing::strict_gradcheck([&](const auto&) { return model(tokens); }, {},
                                    model.named_parameters()));
  }
}
