#include <doctest/doctest.h>
#include <tapehead/nn/swiglu.h>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::noise;

TEST_CASE("SwiGLU gates one hidden layer with another") {
  SwiGLU ff(4, 7);
  ff.to(Float64);
  const Tensor x = noise({2, 3, 4});
  const Tensor hidden = silu(linear(x, ff.w1.weight)) * linear(x, ff.w3.weight);
  CHECK(difference(ff(x), linear(hidden, ff.w2.weight), {.atol = 1e-14}) == "");
  CHECK_FALSE(ff.w1.bias.defined());
  CHECK(SwiGLU(4, 7, 0.0, /*bias=*/true).num_parameters() == 2 * 35 + 32);
}

TEST_CASE("SwiGLU drops part of its result while training") {
  SwiGLU ff(4, 7, 0.5);
  const Tensor x = noise({5, 4}, 1, Float32);
  manual_seed(1);
  const Tensor y = ff(x);
  manual_seed(1);
  CHECK(difference(y, dropout(ff.w2(silu(ff.w1(x)) * ff.w3(x)), 0.5)) == "");
  ff.eval();
  CHECK(difference(ff(x), ff(x)) == "");
}

TEST_CASE("SwiGLU's gradients are right") {
  SwiGLU ff(3, 5);
  ff.to(Float64);
  CHECK(testing::strict_gradcheck([&](const auto& x) { return ff(x[0]); },
                                  {noise({2, 3}).requires_grad_()}, ff.named_parameters()));
}
