// What gradcheck says a wrong derivative looks like.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/gradcheck.h>
#include <tapehead/autograd/ops.h>

#include <cmath>

#include "checked.h"

using namespace tapehead;
using testing::noise_leaf;
using testing::square;
using Tensors = std::vector<Tensor>;

namespace {

// The last sentence of what gradcheck says.
std::string hint(const CheckedFunction& f, const Tensors& x) {
  const std::string message = gradcheck(f, x).message;
  const std::size_t end = message.find("disagree");
  return message.substr(message.find(". ", end) + 2);
}
// d(x^2) times a factor.
std::string hint_of_factor(double factor) {
  return hint(
      [factor](const Tensors& x) {
        return square(x[0],
                      [x = saved(x[0]), factor](const Tensor& g) { return g * x() * 2 * factor; });
      },
      {noise_leaf({2, 3})});
}
// A function of the given values, with a rule of the caller's.
template <class Value, class Rule>
std::string hint_of_rule(const Tensor& leaf, Value value, Rule rule) {
  return hint(
      [&](const Tensors& x) {
        return record(
            "planted", [&] { return value(x[0].detach()).array(); }, wrt(x[0], rule));
      },
      {leaf});
}

}  // namespace

TEST_CASE("a gradient that is always a multiple of the slope is said to be") {
  CHECK(hint_of_factor(2) ==
        "Backward gives exactly 2 times the slope: is a gradient accumulated twice?");
  CHECK(hint_of_factor(-1) == "Backward gives the slope with the wrong sign");
  CHECK(hint_of_factor(5) ==
        "Backward gives exactly 5 times the slope: is something of that size summed where it "
        "should be averaged?");
  CHECK(hint_of_factor(0.25) ==
        "Backward gives exactly 1 / 4 times the slope: is something of that size averaged where it "
        "should be summed?");
  CHECK(hint_of_factor(1.5) ==
        "Where it is wrong it is always 1.5 times the slope: is a factor missing?");
}

TEST_CASE("a gradient that is not connected is said to be zero everywhere") {
  CHECK(hint([](const Tensors& x) { return x[0].detach() * 2; }, {noise_leaf({3})}) ==
        "Backward gives 0 everywhere: is input 0 cut off, by a detach(), a NoGradGuard or a value "
        "taken as array() or item()?");
}

TEST_CASE("a rule that forgets to sum over a broadcast axis is zero where it is wrong") {
  CHECK(hint_of_rule(
            noise_leaf({3}),
            [](const Tensor& x) {
              return x.expand({2, 3}).clone();
            },
            [](const Tensor& g) { return g.select(0, 0); }) ==
        "Where it is wrong it is 0: does a rule leave out a part, such as the sum over axes that "
        "were broadcast?");
}

TEST_CASE("a gradient that is transposed is said to be, square or not, in a stack or not") {
  const Tensor w = testing::noise({2, 3}, 5), square_w = testing::noise({3, 3}, 6);
  const char* const transposed = "Backward gives the transpose of what it should";
  for (const Tensor& weights : {w, square_w, stack({w, w * 2})}) {
    const Tensor as_memory = weights.mT().contiguous().view(weights.shape());
    CHECK(hint_of_rule(
              testing::noise(weights.shape(), 3).requires_grad_(),
              [&](const Tensor& x) { return (x * weights).sum(); },
              [&](const Tensor& g) { return g * as_memory; }) == transposed);
  }
}

TEST_CASE(
    "what is its own transpose, a vector or a symmetric matrix, is not said to be transposed") {
  const Tensor w = testing::noise({3, 3}, 6), symmetric = w + w.mT();
  for (const Tensor& weights : {testing::noise({3, 1}, 5), testing::noise({1, 3}, 5), symmetric}) {
    // Off by less than a look at the pattern tells, in one entry: wrong, but not transposed.
    Tensor off = zeros(weights.shape(), Float64);
    off.view({-1}).narrow(0, 1, 1).fill_(3e-6);
    const auto f = [&](const Tensors& x) {
      const Tensor value = (x[0].detach() * weights).sum();
      return record(
          "planted", [&] { return value.array(); },
          wrt(x[0], [&](const Tensor& g) { return g * (weights + off); }));
    };
    const GradcheckResult result = gradcheck(
        f, {testing::noise(weights.shape(), 3).requires_grad_()}, {}, {.atol = 1e-7, .rtol = 1e-7});
    CHECK_FALSE(result.passed);
    CHECK(result.message.find("transpose") == std::string::npos);
  }
}

TEST_CASE("a gradient beside the edge of where a function is defined is said to be") {
  CHECK(hint([](const Tensors& x) { return log(x[0]); },
             {tensor({1e-9}, Float64).requires_grad_()}) ==
        "Central differences are NaN: the function is not defined on both sides of this point");
}

TEST_CASE("a gradient that is wrong in no particular way is said to be just wrong") {
  CHECK(hint_of_rule(
            noise_leaf({3}), [](const Tensor& x) { return x * x; },
            [](const Tensor& g) { return g + 1; }) == "A derivative is wrong");
  // One entry off by an odd ratio is no pattern.
  CHECK(hint_of_rule(
            tensor({3.}, Float64).requires_grad_(), [](const Tensor& x) { return x * 2; },
            [](const Tensor& g) { return g * 2.02; }) == "A derivative is wrong");
}
