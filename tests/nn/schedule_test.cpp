#include <doctest/doctest.h>
#include <tapehead/nn/schedule.h>

#include <functional>
#include <limits>

#include "../support/cases.h"

using tapehead::core::Index;
using tapehead::testing::this_case;
using namespace tapehead::optim;

TEST_CASE(
    "TRAIN-05: Warm-up schedules: first step not zero, no division by zero, continuous at the "
    "joint") {
  const auto c = this_case();
  const auto& outputs = c.json.at("expect").at("outputs");
  const Noam noam{.d_model = 64, .warmup = 10};
  std::size_t i = 0;
  for (const int step : {1, 2, 9, 10, 11, 40})  // counted from 1
    CHECK(
        noam(step - 1) ==
        doctest::Approx(outputs.at("noam_steps_1_2_9_10_11_40")[i++].get<double>()).epsilon(1e-12));
  i = 0;
  const WarmupCosine cosine{.peak = 1e-3, .warmup = 10, .steps = 1000};
  const WarmupLinear linear{.peak = 1e-3, .warmup = 10, .steps = 1000};
  for (const int step : {0, 1, 9, 10}) {
    const auto want = outputs.at("linear_its_0_1_9_10")[i++].get<double>();
    CHECK(cosine(step) == doctest::Approx(want).epsilon(1e-12));
    CHECK(linear(step) == doctest::Approx(want).epsilon(1e-12));
  }
}

TEST_CASE("every schedule begins above 0 and rises while it warms up, also for no warm-up at all") {
  for (const Index warmup : {0, 1, 10}) {
    const std::vector<std::function<double(Index)>> schedules{
        WarmupCosine{.peak = 1e-3, .warmup = warmup, .steps = 20},
        WarmupLinear{.peak = 1e-3, .warmup = warmup, .steps = 20},
        Noam{.d_model = 64, .warmup = warmup}, StepDecay{.rate = 1e-3, .every = warmup}};
    for (const auto& schedule : schedules) {
      CHECK(schedule(0) > 0);
      CHECK(schedule(-5) == schedule(0));
      for (const Index step :
           {Index{0}, warmup, Index{20}, Index{1000000}, std::numeric_limits<Index>::max() - 1})
        CHECK(std::isfinite(schedule(step)));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      for (Index step = 0; step < warmup; ++step)
        CHECK(schedules[i](step) < schedules[i](step + 1));
      CHECK(schedules[i](warmup) == 1e-3);
    }
    for (Index step = 1; step < warmup; ++step) CHECK(schedules[2](step - 1) < schedules[2](step));
  }
}

TEST_CASE("after the warm-up the rate falls along a cosine to its floor, and stays there") {
  const WarmupCosine schedule{.peak = 2, .warmup = 100, .steps = 300, .floor = 0.1};
  CHECK(schedule(100) == 2);
  CHECK(schedule(200) == doctest::Approx(1.1));
  CHECK(schedule(300) == doctest::Approx(0.2));
  CHECK(schedule(5000) == doctest::Approx(0.2));
  for (int step = 100; step < 300; ++step) CHECK(schedule(step) > schedule(step + 1));
}

TEST_CASE("or along a straight line") {
  const WarmupLinear schedule{.peak = 2, .warmup = 100, .steps = 300, .floor = 0.1};
  CHECK(schedule(100) == 2);
  CHECK(schedule(150) == doctest::Approx(1.55));
  CHECK(schedule(200) == doctest::Approx(1.1));
  CHECK(schedule(300) == doctest::Approx(0.2));
  CHECK(schedule(5000) == doctest::Approx(0.2));
  CHECK(WarmupLinear{.peak = 1, .warmup = 0, .steps = 4}(4) == 0);
}

TEST_CASE("a schedule that is all warm-up, or has one step, divides by nothing") {
  CHECK(WarmupCosine{.peak = 1, .warmup = 5, .steps = 5}(5) == doctest::Approx(0.1));
  CHECK(WarmupCosine{.peak = 1, .warmup = 0, .steps = 1}(0) == 1);
  CHECK(WarmupLinear{.peak = 1, .warmup = 5, .steps = 5}(5) == 0);
  CHECK(WarmupLinear{.peak = 1, .warmup = 9, .steps = 5}(7) == doctest::Approx(0.8));
}

TEST_CASE("Noam's peak is where the warm-up ends, and its factor scales all of it") {
  const Noam schedule{.d_model = 512, .warmup = 4000};
  for (const Index step : {0, 3998, 4000, 20000}) CHECK(schedule(step) < schedule(3999));
  CHECK(schedule(3999) == doctest::Approx(1 / std::sqrt(512. * 4000)));
  CHECK(Noam{.d_model = 512, .warmup = 4000, .factor = 2}(7) == 2 * schedule(7));
}

TEST_CASE("a step decay multiplies the rate every so many steps") {
  const StepDecay schedule{.rate = 8, .every = 3, .gamma = 0.5};
  const std::vector<double> want{8, 8, 8, 4, 4, 4, 2};
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(schedule(static_cast<Index>(i)) == want[i]);
}
