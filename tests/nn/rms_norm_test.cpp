#include <doctest/doctest.h>
#include <tapehead/nn/rms_norm.h>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::noise;

TEST_CASE("RMSNorm divides by the root of the mean square and has a weight for each element") {
  RMSNorm norm(4, 1e-5);
  norm.to(Float64);
  CHECK(difference(norm.weight, ones({4}, Float64)) == "");
  norm.load_state_dict({{"weight", tensor({1, 2, 3, 4}, Float64)}});
  const Tensor x = noise({2, 3, 4});
  const Tensor want = x / sqrt((x * x).mean({-1}, true) + 1e-5) * norm.weight;
  CHECK(difference(norm(x), want, {.atol = 1e-14}) == "");
}

TEST_CASE("RMSNorm's eps is the dtype's own unless it is given, and its weight may be left out") {
  RMSNorm norm(Shape{2, 3}, {}, /*elementwise_affine=*/false);
  CHECK(norm.parameters().empty());
  const Tensor x = noise({4, 2, 3});
  CHECK(difference(norm(x), rms_norm(x, {2, 3})) == "");
  CHECK(difference(norm(x * 1e-8), rms_norm(x, {2, 3}), {.atol = 1e-3}) != "");
}

TEST_CASE("RMSNorm's gradients are right") {
  RMSNorm norm(5, 1e-5);
  norm.to(Float64);
  CHECK(testing::strict_gradcheck([&](const auto& x) { return norm(x[0]); },
                                  {noise({2, 3, 5}).requires_grad_()}, norm.named_parameters()));
}
