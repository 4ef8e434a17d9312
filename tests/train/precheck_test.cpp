#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/core/random.h>
#include <tapehead/train/precheck.h>

#include "../support/live_counts.h"

using namespace tapehead;
using namespace tapehead::train;

TEST_CASE("the gradients of every recipe's architecture are right, and none is left out") {
  for (const bool causal : {false, true}) {
    const GradcheckResult result = check_gradients(
        {.vocabulary = 10, .context = 64, .layers = 2, .dropout = 0.2, .causal = causal}, 0, 60);
    CHECK_MESSAGE(result.passed, result.message);
    CHECK(result.skipped == 0);
    // 36 tensors of two layers: all of those that have no more than 32 entries, 32 of the others,
    // and a direction through all of them.
    CHECK(result.checked > 32 * 30);
    CHECK(result.worst_relative < 1e-4);
  }
}

TEST_CASE("the check takes no longer than it may") {
  const GradcheckResult result =
      check_gradients({.vocabulary = 10, .context = 8, .d_model = 64, .layers = 4}, 0, 0.01);
  CHECK(result.skipped > 0);
  CHECK(result.passed);
}

TEST_CASE("the check leaves the default generator as it was") {
  manual_seed(7);
  const std::string before = core::default_generator().state();
  check_gradients({.vocabulary = 5, .context = 4, .d_model = 4, .heads = 1, .dropout = 0.1}, 3,
                  0.05);
  CHECK(core::default_generator().state() == before);
}
