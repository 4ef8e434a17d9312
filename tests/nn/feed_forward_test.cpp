#include <doctest/doctest.h>
#include <tapehead/nn/feed_forward.h>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::nn;

TEST_CASE("feed-forward is linear, activation, dropout, linear") {
  FeedForward ff(4, 7, 0.5, Activation::GELU);
  const Tensor x = testing::noise({2, 3, 4}, 1, Float32);
  manual_seed(1);
  const Tensor y = ff(x);
  manual_seed(1);
  CHECK(testing::difference(y, ff.linear2(dropout(gelu(ff.linear1(x)), 0.5))) == "");
  ff.eval();
  CHECK(testing::difference(ff(x), ff.linear2(gelu(ff.linear1(x)))) == "");
  CHECK(ff.num_parameters() == 4 * 7 + 7 + 7 * 4 + 4);
}

TEST_CASE("feed-forward's gradients are right with either activation") {
  for (const Activation activation : {Activation::ReLU, Activation::GELU}) {
    FeedForward ff(3, 5, 0.0, activation);
    ff.to(Float64);
    CHECK(testing::strict_gradcheck([&](const auto& x) { return ff(x[0]); },
                                    {testing::noise({2, 2, 3}).requires_grad_()},
                                    ff.named_parameters()));
  }
}
