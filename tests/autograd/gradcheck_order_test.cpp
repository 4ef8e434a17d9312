// gradcheck of higher derivatives, and its fast mode.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/gradcheck.h>
#include <tapehead/autograd/ops.h>

#include "checked.h"

using namespace tapehead;
using testing::noise;
using testing::noise_leaf;
using testing::square;
using Tensors = std::vector<Tensor>;

namespace {

// x^n whose derivative of the given order is off by a factor.
Tensor power(const Tensor& x, int n, int wrong_order, double factor) {
  return record(
      "power", [&] { return pow(x.detach(), n).array(); },
      wrt(x, [=, x = saved(x)](const Tensor& g) {
        const Tensor slope = power(x(), n - 1, wrong_order - 1, factor);
        return g * slope * (wrong_order == 1 ? n * factor : n);
      }));
}
bool passes(int order, int wrong_order, bool fast) {
  return gradcheck([&](const Tensors& x) { return power(x[0], 5, wrong_order, 1.1); },
                   {noise_leaf({2, 2})}, {}, {.fast_mode = fast, .order = order})
      .passed;
}

}  // namespace

TEST_CASE("gradcheck of an order sees the derivative of that order, in full and in fast mode") {
  for (const bool fast : {false, true}) {
    CAPTURE(fast);
    for (int order = 1; order <= 4; ++order) CHECK(passes(order, 5, fast));
    CHECK_FALSE(passes(1, 1, fast));
    CHECK(passes(1, 2, fast));
    CHECK_FALSE(passes(2, 2, fast));
    CHECK(passes(2, 3, fast));
    CHECK_FALSE(passes(3, 3, fast));
  }
}

TEST_CASE("gradcheck of an order below 1 is refused") {
  CHECK_THROWS_WITH_AS(
      gradcheck([](const Tensors& x) { return x[0] * 1; }, {noise_leaf({2})}, {}, {.order = 0}),
      "gradcheck: the order of the derivative must be at least 1, got 0; 1 is the gradient, 2 that "
      "of the gradient",
      Error);
}

TEST_CASE("what is wrong in a second derivative is named as the gradient by an input") {
  const GradcheckResult result =
      gradgradcheck([](const Tensors& x) { return power(x[0], 3, 2, 2); },
                    {tensor({2.}, Float64).requires_grad_()});
  CHECK(result.message.find("gradcheck: gradient by input 0 (0) by input 0 (0): backward gives ") ==
        0);
  CHECK(result.message.find(", ratio 2; of 2 entries 1 disagrees. Backward gives exactly 2 times "
                            "the slope: is a gradient accumulated twice?") != std::string::npos);
  CHECK(result.targets[1].name == "parameter gradient of output 0");
}

TEST_CASE("fast mode compares one number for each output and input, whatever their sizes") {
  const Tensor x = noise_leaf({40, 50}), w = noise_leaf({50, 30}, 2);
  const auto f = [&](const Tensors& in) { return Tensors{matmul(in[0], w), tanh(in[0])}; };
  const GradcheckResult result = gradcheck(f, {x}, {{"w", w}}, {.fast_mode = true});
  CHECK_MESSAGE(result.passed, result.message);
  CHECK(result.checked == 4);
  CHECK(result.worst_absolute < 1e-7);
  CHECK(gradcheck(f, {x}, {{"w", w}, {"none", noise_leaf({0})}}, {.fast_mode = true}).checked == 4);
}

TEST_CASE("fast mode sees a factor, a sign, zeros and one row that is wrong, and names the input") {
  const auto verdict = [](const Tensor& factors) {
    const auto f = [&](const Tensors& in) {
      return square(in[0],
                    [x = saved(in[0]), factors](const Tensor& g) { return g * x() * factors; });
    };
    return gradcheck(f, {noise_leaf({20, 30})}, {}, {.fast_mode = true});
  };
  CHECK(verdict(full({20, 30}, 2, Float64)));
  CHECK_FALSE(verdict(full({20, 30}, 2.02, Float64)));
  CHECK_FALSE(verdict(full({20, 30}, -2, Float64)));
  Tensor one_row = full({20, 30}, 2, Float64);
  one_row.select(0, 7).fill_(0);
  CHECK_FALSE(verdict(one_row));
  const std::string message = verdict(full({20, 30}, 4, Float64)).message;
  CHECK(message.find("gradcheck: output 0, weighted at random, along a random direction of input "
                     "0: backward gives ") == 0);
  CHECK(
      message.find("Backward gives exactly 2 times the slope: is a gradient accumulated twice?") !=
      std::string::npos);
}

TEST_CASE("a sampled check goes by orders too, and in fast mode by one direction alone") {
  const auto f = [](const Tensors& x) { return power(x[0], 5, 2, 1.1); };
  SampleOptions options;
  CHECK(gradcheck_sampled(f, {noise_leaf({2, 2})}, {}, options).checked == 5);
  options.fast_mode = true;
  CHECK(gradcheck_sampled(f, {noise_leaf({2, 2})}, {}, options).checked == 1);
  options.order = 2;
  CHECK_FALSE(gradcheck_sampled(f, {noise_leaf({2, 2})}, {}, options));
}
