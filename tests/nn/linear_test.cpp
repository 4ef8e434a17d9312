#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/linear.h>

#include "../support/strict_gradcheck.h"
#include "goldens.h"

using namespace tapehead;
using nn::Linear;

TEST_CASE("linear starts with the weights that PyTorch's does, bit for bit") {
  const testing::Json layers = testing::goldens("init").at("layers");
  const auto check = [&](const char* name, Index in, Index out, bool bias, DType dtype) {
    CAPTURE(name);
    const testing::Json& golden = layers.at(name);
    manual_seed(golden.at("seed").get<std::uint64_t>());
    Linear linear(in, out, bias);
    linear.to(dtype);
    CHECK(testing::state_difference(linear.state_dict(), golden.at("state")) == "");
  };
  check("Linear(4, 3)", 4, 3, true, Float32);
  check("Linear(7, 5, bias=False)", 7, 5, false, Float32);
  check("Linear(33, 9)", 33, 9, true, Float32);
  check("Linear(5, 3).double()", 5, 3, true, Float64);
}

TEST_CASE("linear computes x W^T + b") {
  Linear linear(2, 3);
  linear.load_state_dict(
      {{"weight", tensor({{1., 2.}, {3., 4.}, {5., 6.}})}, {"bias", tensor({0.5, 0., -0.5})}});
  CHECK(testing::difference(linear(tensor({{1., 10.}})), tensor({{21.5, 43., 64.5}})) == "");
}

TEST_CASE("linear's gradients are right, with and without a bias, for any leading dimensions") {
  for (const bool bias : {true, false}) {
    Linear linear(3, 2, bias);
    linear.to(Float64);
    const auto f = [&](const std::vector<Tensor>& x) { return linear(x[0]); };
    CHECK(testing::strict_gradcheck(f, {testing::noise({4, 3}).requires_grad_()},
                                    linear.named_parameters()));
    CHECK(testing::strict_gradcheck(f, {testing::noise({2, 1, 3}).requires_grad_()},
                                    linear.named_parameters()));
  }
}

TEST_CASE("linear refuses sizes below 1") {
  CHECK_THROWS_WITH_AS(Linear(3, -1),
                       "Linear: expected in_features and out_features of at least 1, got 3 and -1",
                       Error);
  CHECK_THROWS_WITH_AS(Linear(0, 2),
                       "Linear: expected in_features and out_features of at least 1, got 0 and 2",
                       Error);
}
