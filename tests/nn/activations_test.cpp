#include <doctest/doctest.h>
#include <tapehead/nn/activations.h>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::nn;

TEST_CASE("activation modules compute the ops they are named after") {
  const Tensor x = testing::noise({3, 4});
  CHECK(testing::difference(ReLU()(x), relu(x)) == "");
  CHECK(testing::difference(GELU()(x), gelu(x)) == "");
  CHECK(testing::difference(GELU("tanh")(x), gelu(x, "tanh")) == "");
  CHECK(testing::difference(activate(Activation::ReLU, x), relu(x)) == "");
  CHECK(testing::difference(activate(Activation::GELU, x), gelu(x)) == "");
}

TEST_CASE("activation modules have right gradients and no parameters") {
  ReLU rectify;
  GELU exact, approximate("tanh");
  const Tensor x = testing::noise({3, 4}).requires_grad_();
  CHECK(testing::strict_gradcheck([&](const auto& in) { return rectify(in[0]); }, {x}));
  CHECK(testing::strict_gradcheck([&](const auto& in) { return exact(in[0]); }, {x}));
  CHECK(testing::strict_gradcheck([&](const auto& in) { return approximate(in[0]); }, {x}));
  CHECK(exact.parameters().empty());
}
