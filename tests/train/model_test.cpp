#include <doctest/doctest.h>
#include <tapehead/data/text.h>
#include <tapehead/train/model.h>

#include <cmath>

#include "../support/cases.h"

using namespace tapehead;
using namespace tapehead::train;
using testing::difference;
using testing::this_case;

TEST_CASE("TRAIN-01: The first loss of an untrained model is about ln V") {
  const auto c = this_case();
  const auto bounds = c.json.at("expect").at("bounds").at("first_loss_over_lnV");
  for (const auto& [V, ln_V] : c.json.at("expect").at("outputs").at("ln_V").items()) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      manual_seed(seed);
      const Index vocabulary = std::stoi(V);
      SequenceModel model({.vocabulary = vocabulary,
                           .context = 64,
                           .d_model = 64,
                           .heads = 4,
                           .layers = 2,
                           .d_ff = 256,
                           .causal = true});
      const Tensor tokens = randint(0, vocabulary, {8, 65});
      const Tensor logits = model(tokens.narrow(1, 0, 64)).flatten(0, 1);
      const Tensor loss = cross_entropy(logits, tokens.narrow(1, 1, 64).reshape({-1}));
      CHECK(loss.item() / ln_V.get<double>() > bounds[0].get<double>());
      CHECK(loss.item() / ln_V.get<double>() < bounds[1].get<double>());
    }
  }
}

TEST_CASE("a model is embedding, positions, blocks, norm and head") {
  SequenceModel model({.vocabulary = 5, .context = 4, .layers = 2, .causal = true});
  const Tensor tokens = tensor({{1, 2, 3, 4}, {0, 0, 1, 1}}), mask = nn::causal_mask(4);
  const Tensor x = model.positions(model.embedding(tokens));
  const Tensor y = model.blocks[1](model.blocks[0](x, mask), mask);
  CHECK(difference(model(tokens), model.head(model.norm(y))) == "");
}

TEST_CASE("a model gives a logit for each symbol at each position") {
  SequenceModel model({.vocabulary = 11, .context = 8});
  CHECK(model(zeros({3, 8}, Int64)).shape() == Shape{3, 8, 11});
  CHECK(model(zeros({1, 5}, Int64)).shape() == Shape{1, 5, 11});
  CHECK_THROWS_AS(model(zeros({1, 9}, Int64)), ShapeError);
}

TEST_CASE("a causal model does not know what comes later, another does") {
  const Tensor a = tensor({{1, 2, 3, 4}}), b = tensor({{1, 2, 0, 0}});
  for (const bool causal : {true, false}) {
    manual_seed(0);
    SequenceModel model({.vocabulary = 5, .context = 4, .layers = 2, .causal = causal});
    const Tensor before = model(a).narrow(1, 0, 2), after = model(b).narrow(1, 0, 2);
    CHECK((difference(before, after) == "") == causal);
    CHECK(difference(model(a).narrow(1, 2, 2), model(b).narrow(1, 2, 2)) != "");
  }
}

TEST_CASE("attention weights are one tensor a layer, and rows add up to 1") {
  SequenceModel model({.vocabulary = 5, .context = 4, .heads = 2, .layers = 3, .causal = true});
  const std::vector<Tensor> weights =
      attention_weights(model, tensor({{1, 2, 3, 4}, {0, 0, 1, 1}}));
  CHECK(weights.size() == 3);
  for (const Tensor& w : weights) {
    CHECK(w.shape() == Shape{2, 2, 4, 4});
    CHECK(difference(w.sum({-1}), ones({2, 2, 4}), {.atol = 1e-6}) == "");
    CHECK(equal(w.triu(1), zeros_like(w)));
  }
}

TEST_CASE("asking for attention weights leaves the model as it was, also where it throws") {
  SequenceModel model({.vocabulary = 5, .context = 4, .heads = 2, .layers = 3});
  nn::MultiHeadAttention& asked = model.blocks[1].attn;
  asked.keep_weights(true);
  const auto as_it_was = [&] {
    return !model.blocks[0].attn.keeps_weights() && asked.keeps_weights() &&
           !model.blocks[2].attn.keeps_weights() && model.is_training();
  };
  CHECK(attention_weights(model, tensor({{1, 2}})).size() == 3);
  CHECK(as_it_was());
  CHECK(asked.attention_weights().shape() == Shape{1, 2, 2, 2});
  CHECK_THROWS_AS(attention_weights(model, zeros({1, 5}, Int64)), ShapeError);
  CHECK(as_it_was());
}

TEST_CASE("evaluation puts each module back into its own mode") {
  SequenceModel model({.vocabulary = 5, .context = 4, .layers = 2});
  model.blocks[0].eval();
  model.blocks[0].attn.train();
  {
    const Evaluating evaluating(model);
    for (const auto& [name, module] : model.named_modules()) CHECK_FALSE(module->is_training());
  }
  CHECK(model.is_training());
  CHECK_FALSE(model.blocks[0].is_training());
  CHECK(model.blocks[0].attn.W_q.is_training());
  CHECK_FALSE(model.blocks[0].ff.dropout.is_training());
  CHECK(model.blocks[1].ff.dropout.is_training());
}

TEST_CASE("a model without layers has no attention") {
  SequenceModel model({.vocabulary = 5, .context = 4, .layers = 0});
  CHECK(model(tensor({{1, 2}})).shape() == Shape{1, 2, 5});
  CHECK(attention_weights(model, tensor({{1, 2}})).empty());
}

TEST_CASE("a model of fewer than no layers is refused") {
  CHECK_THROWS_WITH_AS(SequenceModel({.vocabulary = 5, .context = 4, .layers = -1}),
                       "SequenceModel: layers must be at least 0, got -1", Error);
}

TEST_CASE("the same seed gives the same weights") {
  const auto weights = [](std::uint64_t seed) {
    manual_seed(seed);
    return SequenceModel({.vocabulary = 5, .context = 4}).head.weight;
  };
  CHECK(equal(weights(1), weights(1)));
  CHECK_FALSE(equal(weights(1), weights(2)));
}
