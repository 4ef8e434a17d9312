// gradcheck where the slopes on either side of a point differ.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/gradcheck.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/core/elementwise.h>

#include <sstream>

#include "checked.h"

using namespace tapehead;
using testing::noise;
using testing::noise_leaf;
using Tensors = std::vector<Tensor>;

namespace {

Tensor at(const std::vector<double>& numbers) {
  return tensor(numbers, {static_cast<Index>(numbers.size())}, Float64).requires_grad_();
}
std::string text(const GradcheckResult& result) {
  std::ostringstream out;
  out << result;
  return out.str();
}
// relu with slopes of the caller's below 0, at 0 and above.
CheckedFunction relu_with(double below, double zero, double above) {
  return [=](const Tensors& in) {
    return record(
        "my_relu", [&] { return core::relu(in[0].array()); },
        wrt(in[0], [x = saved(in[0]), below, zero, above](const Tensor& g) {
          const Tensor sides = where(x() > 0, full({}, above, Float64), below);
          const Tensor slopes = where(x() == 0, full({}, zero, Float64), sides);
          return g * slopes;
        }));
  };
}

}  // namespace

TEST_CASE("a point within eps of a kink is checked beside it, and the kink is named") {
  const GradcheckResult result =
      gradcheck([](const Tensors& x) { return relu(x[0] * 1); }, {at({0.5, 0., -0.5, 1e-9})});
  CHECK_MESSAGE(result.passed, result.message);
  CHECK(result.checked == 16);
  CHECK(result.kinks == 2);
  CHECK(result.kink ==
        "output 0 (1) by input 0 (1) is within 1e-06 of a kink of relu: slopes 0 and 1");
  CHECK(result.worst_absolute < 1e-9);
  CHECK(text(result).find(" relative; 2 of them beside a kink: output 0 (1) by input 0 (1) is "
                          "within 1e-06 of a kink of relu: slopes 0 and 1") != std::string::npos);
  CHECK(gradcheck([](const Tensors& x) { return relu(x[0]); }, {at({0.5, -0.5, 2})}).kinks == 0);
}

TEST_CASE("the kinks of other ops are named too, and the derivative's") {
  const auto kink = [](const CheckedFunction& f, const Tensors& x, int order = 1) {
    const GradcheckResult result = gradcheck(f, x, {}, {.order = order});
    CHECK_MESSAGE(result.passed, result.message);
    return result.kink.substr(result.kink.find("of a kink"));
  };
  CHECK(kink([](const Tensors& x) { return abs(exp(x[0]) - 1); }, {at({0})}) ==
        "of a kink of abs: slopes -1 and 1");
  CHECK(kink([](const Tensors& x) { return clamp(x[0], -1, 2); }, {at({2})}) ==
        "of a kink of clamp: slopes 1 and 0");
  CHECK(kink([](const Tensors& x) { return amax(x[0]); }, {at({2, 2, 1})}) ==
        "of a kink of amax: slopes 0 and 1");
  CHECK(kink([](const Tensors& x) { return maximum(x[0], x[1]); }, {at({3}), at({3})}) ==
        "of a kink of maximum: slopes 0 and 1");
  const auto half_square = [](const Tensors& x) { return relu(x[0]) * relu(x[0]); };
  CHECK(gradcheck(half_square, {at({0})}).kinks == 0);
  CHECK(kink(half_square, {at({0})}, 2).substr(0, 9) == "of a kink");
}

TEST_CASE("at a kink any slope between the two sides' is right, and no other") {
  CHECK(gradcheck(relu_with(0, 0, 1), {at({0})}));
  CHECK(gradcheck(relu_with(0, 0.3, 1), {at({0})}));
  CHECK(gradcheck(relu_with(0, 1, 1), {at({0})}));
  const GradcheckResult result = gradcheck(relu_with(0, 1.5, 1), {at({0})});
  CHECK(result.message ==
        "gradcheck: output 0 (0) by input 0 (0): backward gives 1.5, central differences give 0.5, "
        "ratio 3; of 1 entries 1 disagrees. A derivative is wrong");
  CHECK(result.kinks == 0);
}

TEST_CASE("a derivative that is wrong on one side of a kink is found") {
  const auto message = [](double below, double above) {
    return gradcheck(relu_with(below, 0, above), {at({0})}).message;
  };
  CHECK(message(0, 1.1) ==
        "gradcheck: output 0 (0) by input 0 (0), 0.0001 beside a kink of my_relu: backward gives "
        "1.1, central differences give 1, ratio 1.1; of 1 entries 1 disagrees. A derivative is "
        "wrong");
  CHECK(message(0.1, 1) ==
        "gradcheck: output 0 (0) by input 0 (0), 0.0001 beside a kink of my_relu: backward gives "
        "0.1, central differences give 0, ratio inf; of 1 entries 1 disagrees. A derivative is "
        "wrong");
}

TEST_CASE("a wrong derivative of a strongly curved function is not taken for a kink") {
  const auto f = [](const Tensors& x) {
    return testing::square(x[0] * 1e4, [](const Tensor& g) { return g * 0.011; });
  };
  CHECK_FALSE(gradcheck(f, {at({0})}));
  const GradcheckResult right =
      gradcheck([](const Tensors& x) { return pow(x[0] * 1e4, 2); }, {at({0})});
  CHECK(right.passed);
  CHECK(right.kinks == 0);
}

TEST_CASE("a kink that cannot be traced to one op is an op's") {
  const auto f = [](const Tensors& x) {
    return x[0].item() > 1 ? mul(x[0] + 1, 1.5) : mul(mul(x[0], 2) + 1, 1);
  };
  const GradcheckResult result = gradcheck(f, {at({1})});
  CHECK(result.kink ==
        "output 0 (0) by input 0 (0) is within 1e-06 of a kink of an op: slopes 2 and 1.5");
}

TEST_CASE("a kink along a direction is stepped aside from too, in fast mode and sampled") {
  const Tensor x = at({0.5, 0., -0.5, 2});
  const auto f = [](const Tensors& in) { return relu(in[0]); };
  for (const GradcheckResult& result :
       {gradcheck(f, {x}, {}, {.fast_mode = true}), gradcheck_sampled(f, {x})}) {
    CHECK_MESSAGE(result.passed, result.message);
    CHECK(result.kinks > 0);
  }
}

TEST_CASE("a check that steps aside from kinks puts everything back") {
  const Tensor x = at({0., 1e-9, 0.3});
  const Tensor before = x.detach().clone();
  CHECK(gradcheck([](const Tensors& in) { return relu(in[0]); }, {x}));
  CHECK(testing::difference(x, before) == "");
}
