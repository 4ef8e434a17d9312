#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/observer.h>
#include <tapehead/core/random.h>
#include <tapehead/data/tasks.h>
#include <tapehead/train/precheck.h>
#include <tapehead/train/recipe.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "../support/compare.h"
#include "../support/sanitizers.h"
#include "../support/threads.h"

using namespace tapehead;
using namespace tapehead::train;

TEST_CASE("the gradients of every recipe's architecture are right, and none is left out") {
  // What is ten times as slow is looked at less closely.
  constexpr double seconds = testing::sanitized ? 3 : 60;
  for (const std::string& name : recipe_names()) {
    CAPTURE(name);
    Recipe r = recipe(name);
    r.dropout = 0.2;
    const bool causal = name == "names" || name == "text" || data::task(name).causal;
    const ModelOptions options = r.model(/*vocabulary=*/12, /*context=*/9, causal);
    const GradcheckResult result = check_gradients(options, 0, seconds);
    CHECK_MESSAGE(result.passed, result.message);
    CHECK(result.worst_relative < 1e-4);
    if (testing::sanitized) continue;
    CHECK(result.skipped == 0);
    Index entries = 1;  // the direction through everything
    for (const Tensor& parameter : SequenceModel(options).parameters())
      entries += std::min<Index>(parameter.numel(), 32);
    CHECK(result.checked == entries);
    // A GPT's projections of queries, keys and values are one, and its head is its embedding.
    CHECK(entries == (options.arch == Arch::gpt ? 1 + (4 + 12 * r.layers) * 32
                                                : 1 + (4 + 16 * r.layers) * 32 + 12));
  }
}

TEST_CASE("a kink that happens to lie within reach is no wrong gradient") {
  // With this seed one input of relu is so close to 0 that central differences see both sides.
  const GradcheckResult result = check_gradients({.vocabulary = 14,
                                                  .context = 8,
                                                  .d_model = 64,
                                                  .layers = 2,
                                                  .d_ff = 256,
                                                  .arch = Arch::decoder},
                                                 0, testing::sanitized ? 5 : 60);
  CHECK_MESSAGE(result.passed, result.message);
  if (!testing::sanitized) CHECK(result.checked > 1000);
}

TEST_CASE("the check reads one sequence of at most eight tokens") {
  struct Reads : Observer {
    void after(const OpCall& call, const Tensor& result) override {
      if (std::string(call.op) == "embedding") shape = result.shape();
    }
    Shape shape;
  } reads;
  check_gradients({.vocabulary = 5, .context = 64, .d_model = 4, .heads = 1}, 0, 0.01);
  CHECK(reads.shape == Shape{1, 8, 4});
  check_gradients({.vocabulary = 5, .context = 3, .d_model = 4, .heads = 1}, 0, 0.01);
  CHECK(reads.shape == Shape{1, 3, 4});
}

TEST_CASE("the check takes no longer than it may") {
  const auto start = std::chrono::steady_clock::now();
  const GradcheckResult result =
      check_gradients({.vocabulary = 10, .context = 8, .d_model = 64, .layers = 8}, 0, 0.1);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  CHECK(result.skipped > 0);
  CHECK(result.passed);
  CHECK(taken.count() < 2);
}

TEST_CASE("a direction through all parameters is checked even if there is no time for entries") {
  const GradcheckResult result =
      check_gradients({.vocabulary = 10, .context = 8, .d_model = 64, .layers = 6}, 0, 0);
  CHECK_MESSAGE(result.passed, result.message);
  CHECK(result.checked == 1);
  CHECK(result.skipped > 0);
}

TEST_CASE("the check leaves the default generator as it was") {
  manual_seed(7);
  const std::string before = core::default_generator().state();
  check_gradients({.vocabulary = 5, .context = 4, .d_model = 4, .heads = 1, .dropout = 0.1}, 3,
                  0.05);
  CHECK(core::default_generator().state() == before);
}

TEST_CASE(
    "a run draws the same numbers with and without the check, dropout and spare ones included") {
  const ModelOptions options{
      .vocabulary = 10, .context = 8, .d_model = 8, .heads = 2, .dropout = 0.3};
  const auto run = [&](bool checked) {
    manual_seed(2);
    randn({3});  // an odd number: the fourth is kept back
    SequenceModel model(options);
    if (checked) check_gradients(options, 5, 0.05);
    core::Generator random(1);
    const data::Task task = data::sort_task();
    fit(model, [&] { return data::draw_batch(task, random, 8); }, {.steps = 3, .lr = 1e-2});
    return cat({model.as<nn::EncoderOnly>()->head.weight.detach().flatten(), randn({3})});
  };
  CHECK(testing::difference(run(true), run(false)) == "");
}

TEST_CASE("the check reads the default generator only while nobody draws from it") {
  manual_seed(7);
  std::thread checking;
  std::string before;
  {
    const std::lock_guard lock(core::default_generator_mutex());
    checking = testing::counted_thread([] {
      check_gradients({.vocabulary = 5, .context = 4, .d_model = 4, .heads = 1}, 3, 0.05);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    core::default_generator().random();
    before = core::default_generator().state();
  }
  checking.join();
  CHECK(core::default_generator().state() == before);
}

TEST_CASE("a check that throws leaves the default generator as it was, too") {
  manual_seed(7);
  const std::string before = core::default_generator().state();
  CHECK_THROWS_AS(check_gradients({.vocabulary = 5, .context = 4, .d_model = 5, .heads = 2}, 3),
                  Error);
  CHECK(core::default_generator().state() == before);
}
