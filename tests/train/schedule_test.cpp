#include <doctest/doctest.h>
#include <tapehead/train/schedule.h>

#include "../support/cases.h"

using tapehead::testing::this_case;
using tapehead::train::WarmupCosine;

TEST_CASE(
    "TRAIN-05: Warm-up schedules: first step not zero, no division by zero, continuous at the "
    "joint") {
  const auto c = this_case();
  const auto want = c.json.at("expect").at("outputs").at("linear_its_0_1_9_10");
  const WarmupCosine schedule{.peak = 1e-3, .warmup = 10, .steps = 1000};
  std::size_t i = 0;
  for (const int step : {0, 1, 9, 10})
    CHECK(schedule(step) == doctest::Approx(want[i++].get<double>()).epsilon(1e-12));
  for (int step = 0; step < 10; ++step) CHECK(schedule(step) < schedule(step + 1));
  CHECK(WarmupCosine{.peak = 1e-3, .warmup = 0, .steps = 10}(0) == 1e-3);
}

TEST_CASE("after the warm-up the rate falls along a cosine to its floor, and stays there") {
  const WarmupCosine schedule{.peak = 2, .warmup = 100, .steps = 300, .floor = 0.1};
  CHECK(schedule(100) == 2);
  CHECK(schedule(200) == doctest::Approx(1.1));
  CHECK(schedule(300) == doctest::Approx(0.2));
  CHECK(schedule(5000) == doctest::Approx(0.2));
  for (int step = 100; step < 300; ++step) CHECK(schedule(step) > schedule(step + 1));
}

TEST_CASE("a schedule that is all warm-up, or has one step, divides by nothing") {
  CHECK(WarmupCosine{.peak = 1, .warmup = 5, .steps = 5}(5) == doctest::Approx(0.1));
  CHECK(WarmupCosine{.peak = 1, .warmup = 0, .steps = 1}(0) == 1);
}
