#include <doctest/doctest.h>
#include <tapehead/train/evaluate.h>

#include <cmath>

#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::train;
using data::no_target;

namespace {

// Writes each token's successor, whatever stands before it: the head reads it off the embedding.
void teach_successor(SequenceModel& model) {
  const NoGradGuard no_grad;
  const Index V = model.options.vocabulary;
  model.positions.encoding.zero_();
  model.embedding.weight.copy_(eye(V) * 10.0);
  model.head.bias.zero_();
  const Tensor next = cat({eye(V).slice(0, V - 1, V), eye(V).slice(0, 0, V - 1)}, 0);
  model.head.weight.copy_(next);
}

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
  SequenceModel model(
      {.vocabulary = 5, .context = 4, .d_model = 5, .heads = 1, .layers = 0, .causal = true});
  teach_successor(model);
  // It should answer 2, then 3 and 0, and answers 4: from there on it reads what it said.
  const data::Batch batch{tensor({{1, 3, 2, 3}}), tensor({{no_target, 2, 3, 0}})};
  CHECK(equal(answer(model, batch).narrow(1, 1, 3), tensor({{4, 0, 1}})));
  CHECK(evaluate(model, batch).tokens == 0);
  CHECK(equal(batch.inputs, tensor({{1, 3, 2, 3}})));
}

TEST_CASE("a causal model reads the inputs where they are not the answers") {
  SequenceModel model(
      {.vocabulary = 5, .context = 4, .d_model = 5, .heads = 1, .layers = 0, .causal = true});
  teach_successor(model);
  const data::Batch batch{tensor({{1, 3, 1, 0}, {2, 4, 1, 2}}),
                          tensor({{no_target, 4, 2, 1}, {3, no_target, 2, 3}})};
  CHECK(equal(answer(model, batch).narrow(1, 1, 3), tensor({{4, 2, 1}, {0, 2, 3}})));
  CHECK(evaluate(model, batch).sequences == 1);
}

TEST_CASE("a model without a mask answers from all inputs at once") {
  SequenceModel model({.vocabulary = 5, .context = 4, .d_model = 5, .heads = 1, .layers = 0});
  teach_successor(model);
  const data::Batch batch{tensor({{1, 2, 3, 1}}), tensor({{2, 3, 4, 0}})};
  CHECK(equal(answer(model, batch), tensor({{2, 3, 4, 2}})));
  CHECK(evaluate(model, batch).tokens == doctest::Approx(0.75));
  CHECK(evaluate(model, batch).sequences == 0);
}

TEST_CASE("the loss of a text is the mean over its characters") {
  SequenceModel model({.vocabulary = 3, .context = 4, .d_model = 4, .heads = 2, .causal = true});
  {
    const NoGradGuard no_grad;
    model.head.weight.zero_();
    model.head.bias.zero_();
  }
  const std::vector<Index> tokens(400, 1);
  CHECK(mean_loss(model, data::Windows(tokens, 4), 1000) == doctest::Approx(std::log(3.0)));
  CHECK(mean_loss(model, data::Windows({0, 1, 2, 0, 1}, 4), 1000) ==
        doctest::Approx(std::log(3.0)));
}

TEST_CASE("evaluation drops nothing, records nothing and leaves the model training") {
  SequenceModel model({.vocabulary = 5, .context = 4, .d_model = 8, .heads = 2, .dropout = 0.5});
  const data::Batch batch{tensor({{1, 2, 3, 1}}), tensor({{2, 3, 4, 0}})};
  CHECK(equal(answer(model, batch), answer(model, batch)));
  CHECK(model.is_training());
  CHECK_FALSE(attention_weights(model, batch.inputs)[0].requires_grad());
  CHECK(model(batch.inputs).requires_grad());
}
