#include <doctest/doctest.h>
#include <tapehead/nn/layer_norm.h>

#include "../support/strict_gradcheck.h"
#include "goldens.h"

using namespace tapehead;
using nn::LayerNorm;

TEST_CASE("layer norm starts with weights of 1 and biases of 0") {
  const testing::Json golden = testing::goldens("init").at("layers").at("LayerNorm(4)");
  CHECK(testing::state_difference(LayerNorm(4).state_dict(), golden.at("state")) == "");
}

TEST_CASE("layer norm gives each row mean 0 and variance 1") {
  LayerNorm norm(Shape{2, 3});
  const Tensor y = norm(testing::noise({4, 2, 3}, 1, Float32));
  CHECK(testing::difference(y.mean({1, 2}), zeros({4}), {.atol = 1e-6}) == "");
  CHECK(testing::difference(y.var({1, 2}, /*unbiased=*/false), ones({4}), {.atol = 1e-4}) == "");
}

TEST_CASE("layer norm's gradients are right, with and without weight and bias") {
  for (const bool affine : {true, false}) {
    LayerNorm norm(5, 1e-5, affine);
    norm.to(Float64);
    CHECK(norm.parameters().size() == (affine ? 2 : 0));
    CHECK(testing::strict_gradcheck([&](const auto& x) { return norm(x[0]); },
                                    {testing::noise({2, 3, 5}).requires_grad_()},
                                    norm.named_parameters()));
  }
}

TEST_CASE("layer norm's eps is inside the square root") {
  LayerNorm norm(2, 3.0, false);
  CHECK(testing::difference(norm(tensor({{-1., 1.}})), tensor({{-0.5, 0.5}}), {.atol = 1e-6}) ==
        "");
}
