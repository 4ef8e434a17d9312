#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/gradcheck.h>
#include <tapehead/autograd/gradcheck/deadline.h>
#include <tapehead/autograd/ops.h>

#include <limits>

#include "checked.h"

using namespace tapehead;
using testing::noise;
using testing::noise_leaf;
using testing::square;
using Tensors = std::vector<Tensor>;

namespace {

struct Model {
  Tensor w1 = noise_leaf({8, 6}, 1), b1 = noise_leaf({8}, 2), w2 = noise_leaf({3, 8}, 3),
         frozen = noise({3}, 4);
  NamedTensors parameters() const {
    return {{"w1", w1}, {"b1", b1}, {"w2", w2}, {"frozen", frozen}};
  }
  Tensor operator()(const Tensors& x) const {
    return add(linear(tanh(linear(x[0], w1, b1)), w2), frozen);
  }
};

}  // namespace

TEST_CASE(
    "gradcheck_sampled checks 32 entries of each large tensor, all of a small one, and a "
    "direction") {
  const Model model;
  const GradcheckResult result = gradcheck_sampled([&](const Tensors& x) { return model(x); },
                                                   {noise({2, 6}, 7)}, model.parameters());
  CHECK_MESSAGE(result.passed, result.message);
  CHECK(result.checked == 1 + 32 + 8 + 24);
  CHECK(result.skipped == 0);
  CHECK(result.worst_absolute > 0);
  CHECK(result.worst_absolute < 1e-7);
}

TEST_CASE("gradcheck_sampled finds one wrong derivative, by its entries and by the direction") {
  const Tensor w = tensor({1., 2.}, Float64).requires_grad_();
  const auto f = [&](const Tensors&) {
    return square(w, [w = saved(w)](const Tensor& g) { return g * w() * 3; });
  };
  const GradcheckResult result = gradcheck_sampled(f, {}, {{"w", w}});
  CHECK(result.checked == 3);
  CHECK(result.message.find("of 3 entries 3 disagree") != std::string::npos);
  const GradcheckResult direction =
      gradcheck_sampled(f, {}, {{"w", w}}, {{}, /*entries=*/0, /*seed=*/0, /*seconds=*/5});
  CHECK(direction.message.find("gradcheck: loss along a random direction: backward gives ") == 0);
  const GradcheckResult entries = gradcheck_sampled(
      [&](const Tensors&) {
        return square(w, [](const Tensor& g) { return g * tensor({2., 5.}, Float64); });
      },
      {}, {{"w", w}});
  CHECK(entries.message.find("gradcheck: loss by parameter w (1): backward gives ") == 0);
}

TEST_CASE("gradcheck_sampled draws the same entries for the same seed, and others for another") {
  const Model model;
  const auto errors = [&](std::uint64_t seed) {
    return gradcheck_sampled([&](const Tensors& x) { return model(x); }, {noise({2, 6}, 7)},
                             model.parameters(), {{}, 4, seed})
        .worst_absolute;
  };
  CHECK(errors(1) == errors(1));
  CHECK(errors(1) != errors(2));
}

TEST_CASE("gradcheck_sampled leaves the default generator alone") {
  manual_seed(1);
  const Tensor want = rand({3});
  manual_seed(1);
  const Model model;
  gradcheck_sampled([&](const Tensors& x) { return model(x); }, {noise({2, 6})},
                    model.parameters());
  CHECK(testing::difference(rand({3}), want) == "");
}

TEST_CASE("gradcheck_sampled stops when time is up and says what it skipped") {
  const Model model;
  const auto f = [&](const Tensors& x) { return model(x); };
  const GradcheckResult none =
      gradcheck_sampled(f, {noise({2, 6}, 7)}, model.parameters(), {{}, 32, 0, 0});
  CHECK(none.checked == 1);
  CHECK(none.skipped == 64);
  CHECK(none.passed);
}

TEST_CASE("nothing is begun that might end after the time is up") {
  double now = 100;
  Deadline deadline(10, [&] { return now; });
  const auto lasting = [&](double seconds) {
    deadline.timed([&] { now += seconds; });
    return deadline.allows_another();
  };
  CHECK(deadline.allows_another());
  CHECK(lasting(2));          // 2 s, and another might take 3
  CHECK(lasting(1));          // 3 s
  CHECK_FALSE(lasting(3.5));  // 6.5 s, and 5.25 more are too many
  now = 0;
  Deadline none(0, [&] { return now; });
  CHECK_FALSE(none.allows_another());
}

TEST_CASE("gradcheck_sampled takes any number of entries, but no negative one") {
  const auto f = [](const Tensors& x) { return exp(x[0]); };
  const Index most = std::numeric_limits<Index>::max();
  CHECK(gradcheck_sampled(f, {noise_leaf({3})}, {}, {{}, most}).checked == 4);
  CHECK_THROWS_WITH_AS(gradcheck_sampled(f, {noise_leaf({3})}, {}, {{}, -1}),
                       "gradcheck_sampled: the number of entries cannot be negative, got -1; 0 "
                       "checks one direction alone",
                       Error);
}

TEST_CASE("gradcheck_sampled puts everything back") {
  const Model model;
  const Tensor before = model.w1.detach().clone();
  gradcheck_sampled([&](const Tensors& x) { return model(x); }, {noise({2, 6}, 7)},
                    model.parameters());
  CHECK(testing::difference(model.w1, before) == "");
}
