#include <doctest/doctest.h>
#include <tapehead/core/elementwise.h>
#include <tapehead/nn/encoder_block.h>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::noise;

TEST_CASE("an encoder block adds attention and feed-forward of the normalised input") {
  EncoderBlock block(8, 2, 16, 0.0);
  const Tensor x = noise({2, 5, 8}, 1, Float32), mask = causal_mask(5);
  const Tensor normed = block.norm1(x);
  const Tensor y = x + block.attn(normed, normed, normed, mask);
  CHECK(difference(block(x, mask), y + block.ff(block.norm2(y))) == "");
}

TEST_CASE("an encoder block's parameters have the names of its parts") {
  EncoderBlock block(8, 2, 16);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : block.named_parameters()) names.push_back(name);
  CHECK(names == std::vector<std::string>{"norm1.weight", "norm1.bias", "attn.W_q.weight",
                                          "attn.W_q.bias", "attn.W_k.weight", "attn.W_k.bias",
                                          "attn.W_v.weight", "attn.W_v.bias", "attn.W_o.weight",
                                          "attn.W_o.bias", "norm2.weight", "norm2.bias",
                                          "ff.linear1.weight", "ff.linear1.bias",
                                          "ff.linear2.weight", "ff.linear2.bias"});
}

TEST_CASE("with a causal mask no output of a block depends on later inputs") {
  EncoderBlock block(8, 2, 16);
  block.eval();
  const Tensor x = noise({1, 6, 8}, 1, Float32);
  const Tensor y = block(x, causal_mask(6));
  NDArray changed = x.array().clone(), tail = changed.narrow(1, 3, 3);
  core::fill_(tail, 5);
  const Tensor z = block(Tensor(changed), causal_mask(6));
  CHECK(difference(z.narrow(1, 0, 3), y.narrow(1, 0, 3)) == "");
  CHECK(difference(z.narrow(1, 3, 3), y.narrow(1, 3, 3)) != "");
}

TEST_CASE("an encoder block keeps attention weights only when asked to") {
  EncoderBlock block(8, 2, 16);
  const Tensor x = noise({1, 3, 8}, 1, Float32);
  block(x);
  CHECK_THROWS_WITH_AS(
      block.attn.attention_weights(),
      "attention_weights: the last call kept none; ask for them with keep_weights(true)", Error);
  block.attn.keep_weights(true);
  block(x);
  CHECK(block.attn.attention_weights().shape() == Shape{1, 2, 3, 3});
}

TEST_CASE("an encoder block drops out at four places while training") {
  EncoderBlock block(8, 2, 16, 0.5);
  CHECK(block.attn.dropout.p == 0.5);
  CHECK(block.ff.dropout.p == 0.5);
  const Tensor x = noise({2, 3, 8}, 1, Float32);
  manual_seed(1);
  const Tensor y = block(x);
  manual_seed(1);
  const Tensor n = block.norm1(x);
  const Tensor a = x + dropout(block.attn(n, n, n), 0.5);
  CHECK(difference(y, a + dropout(block.ff(block.norm2(a)), 0.5)) == "");
  CHECK(difference(block(x), y) != "");
  block.eval();
  CHECK(difference(block(x), block(x)) == "");
}

TEST_CASE("an encoder block's gradients are right with either activation") {
  for (const Activation activation : {Activation::ReLU, Activation::GELU}) {
    EncoderBlock block(4, 2, 6, 0.0, activation);
    block.to(Float64);
    CHECK(testing::strict_gradcheck([&](const auto& x) { return block(x[0], causal_mask(3)); },
                                    {noise({2, 3, 4}).requires_grad_()}, block.named_parameters()));
  }
}
