#include <doctest/doctest.h>
#include <tapehead/data/tasks.h>
#include <tapehead/train/evaluate.h>
#include <tapehead/train/fit.h>

#include <cmath>

#include "../core/kernel_settings.h"
#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::train;
using testing::difference;

namespace {

// Trains from a seed; returns each step's progress.
std::vector<Progress> trained(SequenceModel& model, const char* name, const FitOptions& options,
                              std::uint64_t seed = 0) {
  const data::Task task = data::task(name);
  core::Generator random(seed);
  std::vector<Progress> steps;
  fit(
      model, [&] { return data::draw_batch(task, random, 32); }, options,
      [&](const Progress& p) { return steps.push_back(p), true; });
  return steps;
}

double held_out_accuracy(Index layers, const char* name) {
  manual_seed(0);
  SequenceModel model({.vocabulary = 10, .context = 8, .layers = layers});
  trained(model, name, {.steps = 150, .lr = 1e-2, .warmup = 10});
  return evaluate(model, data::stack(data::task(name).held_out())).sequences;
}

}  // namespace

TEST_CASE("progress counts steps and tokens, and the loss falls") {
  manual_seed(0);
  SequenceModel model({.vocabulary = 10, .context = 8});
  const std::vector<Progress> steps = trained(model, "copy", {.steps = 30, .lr = 1e-2});
  CHECK(steps.size() == 30);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Progress& p = steps[i];
    CHECK(p.step == static_cast<Index>(i) + 1);
    CHECK(p.steps == 30);
    CHECK(p.tokens_per_second * p.seconds ==
          doctest::Approx(32 * 8 * (static_cast<double>(i) + 1)));
  }
  CHECK(steps.back().seconds_left == 0);
  CHECK(steps.back().loss < 0.5 * steps.front().loss);
  CHECK(steps.back().accuracy > steps.front().accuracy);
}

TEST_CASE("the same seeds give the same run, bit for bit, with any number of threads") {
  const auto run = [] {
    manual_seed(3);
    // Large enough for its matrices to be worth several threads.
    SequenceModel model(
        {.vocabulary = 10, .context = 8, .d_model = 128, .layers = 2, .d_ff = 256, .dropout = 0.1});
    const std::vector<Progress> steps = trained(model, "reverse", {.steps = 5, .lr = 1e-2}, 4);
    CHECK(steps.size() == 5);
    std::vector<double> numbers;
    for (const Progress& step : steps) numbers.push_back(step.loss);
    for (const Tensor& parameter : model.parameters())
      numbers.push_back((parameter * parameter).sum().item());
    return numbers;
  };
  const std::vector<double> want = run();
  for (const int n : {1, 2, 3}) {
    const core::Threads with(n);
    CAPTURE(n);
    CHECK(run() == want);
  }
}

TEST_CASE("the first step is as small as the warm-up has it, and gradients are clipped") {
  const auto moved = [](const FitOptions& options) {
    manual_seed(0);
    SequenceModel model({.vocabulary = 10, .context = 8});
    trained(model, "copy", options);
    return model.as<nn::EncoderOnly>()->head.bias.detach().abs().max().item();  // it begins at 0
  };
  CHECK(moved({.steps = 1, .lr = 1e-2}) == doctest::Approx(1e-2).epsilon(1e-3));
  CHECK(moved({.steps = 1, .lr = 1e-2, .warmup = 99}) == doctest::Approx(1e-4).epsilon(1e-3));
  // Adam's step is that of any gradient, down to its eps of 1e-8.
  CHECK(moved({.steps = 1, .lr = 1e-2, .max_norm = 1e-12}) < 1e-5);
}

TEST_CASE("old gradients don't count, and the model is training") {
  const auto weights = [](bool with_old_gradients) {
    manual_seed(0);
    SequenceModel model({.vocabulary = 10, .context = 8});
    if (with_old_gradients) (model(zeros({1, 8}, Int64)).select(-1, 3) * 1e3).sum().backward();
    model.eval();
    trained(model, "copy", {.steps = 2, .lr = 1e-2});
    CHECK(model.is_training());
    return model.as<nn::EncoderOnly>()->head.weight.detach();
  };
  CHECK(difference(weights(true), weights(false)) == "");
}

TEST_CASE("a report that says stop ends training") {
  SequenceModel model({.vocabulary = 10, .context = 8});
  const data::Task task = data::copy_task();
  core::Generator random(0);
  const Progress last = fit(
      model, [&] { return data::draw_batch(task, random, 4); }, {.steps = 10, .lr = 1e-3},
      [](const Progress& p) { return p.step < 3; });
  CHECK(last.step == 3);
  CHECK(last.steps == 10);
}

TEST_CASE("a loss that is not finite ends training before it can spoil the weights") {
  SequenceModel model({.vocabulary = 10, .context = 8});
  {
    const NoGradGuard no_grad;
    model.as<nn::EncoderOnly>()->head.bias.fill_(NAN);
  }
  const Tensor before = model.as<nn::EncoderOnly>()->embedding.weight.detach().clone();
  CHECK_THROWS_WITH_AS(trained(model, "copy", {.steps = 2, .lr = 1e-3}),
                       "fit: the loss must be finite, got nan; use a lower learning rate", Error);
  CHECK(equal(model.as<nn::EncoderOnly>()->embedding.weight, before));
}

TEST_CASE("training for fewer than no steps is refused") {
  SequenceModel model({.vocabulary = 10, .context = 8});
  CHECK_THROWS_WITH_AS(trained(model, "copy", {.steps = 10, .lr = 1e-3, .warmup = -5}),
                       "fit: steps and warmup must be at least 0, got 10 and -5", Error);
  CHECK_THROWS_WITH_AS(trained(model, "copy", {.steps = -1, .lr = 1e-3}),
                       "fit: steps and warmup must be at least 0, got -1 and 0", Error);
  CHECK(trained(model, "copy", {.steps = 0, .lr = 1e-3}).empty());
}

TEST_CASE("copy is learnt without any attention, reverse is not") {
  CHECK(held_out_accuracy(0, "copy") == 1);
  CHECK(held_out_accuracy(0, "reverse") < 0.01);
  CHECK(held_out_accuracy(1, "reverse") > 0.5);
}
