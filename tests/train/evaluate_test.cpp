#include <doctest/doctest.h>
#include <tapehead/nn/init.h>
#include <tapehead/train/evaluate.h>

#include <cmath>

#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::train;
using data::no_target;

namespace {

// Writes each token's successor, whatever stands before it: the head reads it off the embedding.
template <class Model>
void teach_successor(Model& model) {
  const NoGradGuard no_grad;
  const Index V = model.options.vocabulary;
  model.embedding.weight.copy_(eye(V) * 10.0);
  model.head.bias.zero_();
  const Tensor next = cat({eye(V).slice(0, V - 1, V), eye(V).slice(0, 0, V - 1)}, 0);
  model.head.weight.copy_(next);
}

// A causal model of five tokens that does so.
struct Successor : SequenceModel {
  Successor()
      : SequenceModel({.vocabulary = 5,
                       .context = 4,
                       .d_model = 5,
                       .heads = 1,
                       .layers = 0,
                       .arch = Arch::decoder}) {
    as<nn::DecoderOnly>()->sinusoidal->encoding.mul_(0);
    teach_successor(*as<nn::DecoderOnly>());
  }
};

}  // namespace

TEST_CASE("a score counts tokens that are asked for and sequences that are right throughout") {
  const Tensor targets = tensor({{1, 2, 3}, {4, no_target, 5}, {no_target, no_target, 6}});
  const Tensor answers = tensor({{1, 2, 3}, {4, 9, 0}, {8, 8, 6}});
  const Score s = score(answers, targets);
  CHECK(s.tokens == doctest::Approx(5. / 6));
  CHECK(s.sequences == doctest::Approx(2. / 3));
  CHECK_THROWS_WITH_AS(
      score(answers, targets.t().narrow(0, 0, 2)),
      "score: expected answers and targets (B, T), got (3, 3) and (2, 3); take the "
      "argmax of the logits",
      ShapeError);
}

TEST_CASE("a score of nothing asked is no token right and every sequence right") {
  const Tensor nothing = full({1, 2}, no_target, Int64);
  for (const Tensor& answers : {tensor({{1, 2}}), nothing}) {
    const Score s = score(answers, nothing);
    CHECK(s.tokens == 0);
    CHECK(s.sequences == 1);
  }
}

TEST_CASE("a causal model is judged by what it makes of its own answers") {
  Successor model;
  // It should answer 2, then 3 and 0, and answers 4: from there on it reads what it said.
  const data::Batch batch{tensor({{1, 3, 2, 3}}), tensor({{no_target, 2, 3, 0}})};
  CHECK(equal(answer(model, batch).narrow(1, 1, 3), tensor({{4, 0, 1}})));
  CHECK(evaluate(model, batch).tokens == 0);
  CHECK(equal(batch.inputs, tensor({{1, 3, 2, 3}})));
}

TEST_CASE("a causal model reads the inputs where they are not the answers") {
  Successor model;
  const data::Batch batch{tensor({{1, 3, 1, 0}, {2, 4, 1, 2}}),
                          tensor({{no_target, 4, 2, 1}, {3, no_target, 2, 3}})};
  CHECK(equal(answer(model, batch).narrow(1, 1, 3), tensor({{4, 2, 1}, {0, 2, 3}})));
  CHECK(evaluate(model, batch).sequences == 1);
}

TEST_CASE("through the cache a causal model answers what its full forward says") {
  for (const Arch arch : {Arch::decoder, Arch::gpt, Arch::llama}) {
    manual_seed(2);
    SequenceModel model({.vocabulary = 5, .context = 7, .d_model = 8, .heads = 2, .arch = arch});
    model.to(Float64);
    const Tensor text = randint(0, 5, {3, 8});
    const data::Batch batch{text.narrow(1, 0, 7),
                            text.narrow(1, 1, 7).masked_fill(arange(7) < 3, no_target)};
    Tensor read = batch.inputs.clone(), want = batch.targets.clone();
    const Evaluating evaluating(model);
    for (Index t = 3; t < 7; ++t) {
      const Tensor next = argmax(model(read).select(1, t), -1);
      want.select(1, t).copy_(next);
      if (t < 6) read.select(1, t + 1).copy_(next);
    }
    CHECK(equal(answer(model, batch), want));
  }
}

TEST_CASE("an encdec answers from all inputs and its own answers, not from the right ones") {
  manual_seed(2);
  SequenceModel model(
      {.vocabulary = 5, .context = 4, .d_model = 8, .heads = 2, .arch = Arch::encdec});
  nn::init::normal_(model.as<nn::Transformer>()->head.weight);
  const Tensor inputs = randint(0, 5, {3, 4});
  const Tensor asked = randint(0, 5, {3, 4}).masked_fill(arange(4) < 1, no_target);
  const Tensor answers = answer(model, {inputs, asked});
  const Tensor others = (asked + 1).remainder(5).masked_fill(asked == no_target, no_target);
  CHECK(equal(answer(model, {inputs, others}).narrow(1, 1, 3), answers.narrow(1, 1, 3)));
  // What it says is what its logits prefer after what it has said.
  const Evaluating evaluating(model);
  const Tensor preferred = argmax(model.logits({inputs, answers}), -1);
  CHECK(equal(preferred.narrow(1, 1, 3), answers.narrow(1, 1, 3)));
}

TEST_CASE("a model without a mask answers from all inputs at once") {
  SequenceModel model({.vocabulary = 5, .context = 4, .d_model = 5, .heads = 1, .layers = 0});
  model.as<nn::EncoderOnly>()->positions.encoding.mul_(0);
  teach_successor(*model.as<nn::EncoderOnly>());
  const data::Batch batch{tensor({{1, 2, 3, 1}}), tensor({{2, 3, 4, 0}})};
  CHECK(equal(answer(model, batch), tensor({{2, 3, 4, 2}})));
  CHECK(evaluate(model, batch).tokens == doctest::Approx(0.75));
  CHECK(evaluate(model, batch).sequences == 0);
}

TEST_CASE("the loss of a text is the mean over its characters") {
  SequenceModel model(
      {.vocabulary = 3, .context = 4, .d_model = 4, .heads = 2, .arch = Arch::decoder});
  nn::Linear& head = model.as<nn::DecoderOnly>()->head;
  nn::init::zeros_(head.weight);
  nn::init::zeros_(head.bias);
  const std::vector<Index> tokens(400, 1);
  CHECK(score_tokens(model, data::Windows(tokens, 4), 1000).loss == doctest::Approx(std::log(3.0)));
  CHECK(score_tokens(model, data::Windows({0, 1, 2, 0, 1}, 4), 1000).loss ==
        doctest::Approx(std::log(3.0)));
}

TEST_CASE("tokens are foretold from the right ones before them, and counted where asked for") {
  Successor model;
  // It answers 2, 4, 3 and 4; the second is wrong, but the third reads what is right.
  const data::Batch three{tensor({{1, 3, 2}}), tensor({{2, 2, 3}})};
  const data::Batch one{tensor({{3, 3, 3}}), tensor({{no_target, no_target, 4}})};
  CHECK(score_tokens(model, {three, one}).accuracy == doctest::Approx(3. / 4));
  CHECK(score_tokens(model, std::vector<data::Batch>{}).accuracy == 0);
}

TEST_CASE("the loss of batches is the mean over what they ask, however they are divided") {
  manual_seed(0);
  SequenceModel model(
      {.vocabulary = 5, .context = 4, .d_model = 8, .heads = 2, .arch = Arch::decoder});
  const data::Batch both{tensor({{1, 2, 3}, {4, 0, 0}}),
                         tensor({{2, 3, 4}, {1, no_target, no_target}})};
  const data::Batch first{tensor({{1, 2, 3}}), tensor({{2, 3, 4}})};
  const data::Batch second{tensor({{4}}), tensor({{1}})};
  const double one = score_tokens(model, {first}).loss, other = score_tokens(model, {second}).loss;
  CHECK(score_tokens(model, {both}).loss == doctest::Approx((3 * one + other) / 4));
  CHECK(score_tokens(model, {first, second}).loss == doctest::Approx((3 * one + other) / 4));
  CHECK(score_tokens(model, std::vector<data::Batch>{}).loss == 0);
}

TEST_CASE("evaluation drops nothing, records nothing and leaves the model training") {
  SequenceModel model({.vocabulary = 5, .context = 4, .d_model = 8, .heads = 2, .dropout = 0.5});
  const data::Batch batch{tensor({{1, 2, 3, 1}}), tensor({{2, 3, 4, 0}})};
  CHECK(equal(answer(model, batch), answer(model, batch)));
  CHECK(model.is_training());
  CHECK_FALSE(attention_weights(model, batch.inputs)[0].requires_grad());
  CHECK(model(batch.inputs).requires_grad());
}
