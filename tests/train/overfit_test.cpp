#include <doctest/doctest.h>
#include <tapehead/train/overfit.h>

#include "../support/compare.h"
#include "small_run.h"

using namespace tapehead;
using namespace tapehead::train;
using testing::difference;

TEST_CASE("one batch is learnt by heart, and everything is put back") {
  manual_seed(0);
  SequenceModel model({.vocabulary = 10, .context = 8, .dropout = 0.1});
  const data::Batch batch = data::stack(testing::examples(4));
  model.eval();
  model.as<nn::EncoderOnly>()->head.train();
  const Tensor before = model.as<nn::EncoderOnly>()->head.weight.detach().clone();
  const std::string random = core::default_generator().state();
  const Overfit result = overfit_one_batch(model, batch);
  CHECK(result.first_loss > 2);
  CHECK(result.last_loss < 0.2);
  CHECK(result.accuracy == 1);
  CHECK(difference(model.as<nn::EncoderOnly>()->head.weight.detach(), before) == "");
  CHECK_FALSE(model.as<nn::EncoderOnly>()->head.weight.grad().defined());
  CHECK(core::default_generator().state() == random);
  CHECK_FALSE(model.is_training());
  CHECK(model.as<nn::EncoderOnly>()->head.is_training());
}

TEST_CASE("a model that cannot see its inputs does not learn them") {
  manual_seed(0);
  SequenceModel model({.vocabulary = 10, .context = 8, .layers = 0});
  const Overfit result = overfit_one_batch(model, data::stack(testing::examples(8)));
  CHECK(result.accuracy < 1);
  CHECK_THROWS_WITH_AS(
      overfit_one_batch(model, data::stack(testing::examples(1)), {.steps = 0, .lr = 1}),
      "overfit_one_batch: steps must be at least 1, got 0", Error);
}
