#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/attention.h>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::noise;

namespace {

struct Attending {
  Tensor Q = noise({2, 3, 4, 5}, 1), K = noise({2, 3, 6, 5}, 2), V = noise({2, 3, 6, 7}, 3);
  Dropout none{0.0};
  KeptWeights kept;

  Tensor operator()(const AttendOptions& options) { return attend(Q, K, V, options, none, kept); }
};

// Query 1 of the first sequence, and no other, sees no key.
Tensor mask_with_a_hidden_row() {
  Tensor mask = ones({2, 1, 4, 6}, Bool);
  mask.select(0, 0).select(1, 1).copy_(zeros({1, 6}, Bool));
  return mask;
}

}  // namespace

TEST_CASE("heads that are split and merged are what they were") {
  const Tensor x = noise({2, 3, 8});
  CHECK(split_heads(x, 4).shape() == Shape{2, 4, 3, 2});
  CHECK(difference(split_heads(x, 4).select(1, 1), x.narrow(2, 2, 2)) == "");
  CHECK(difference(merge_heads(split_heads(x, 4)), x) == "");
}

TEST_CASE("a repeated head stands beside itself") {
  const Tensor x = noise({2, 3, 4, 5});
  const Tensor y = repeat_heads(x, 2);
  CHECK(y.shape() == Shape{2, 6, 4, 5});
  for (Index h = 0; h < 6; ++h) CHECK(difference(y.select(1, h), x.select(1, h / 2)) == "");
}

TEST_CASE("causal attention is attention under the causal mask") {
  Attending attending;
  const Tensor causal = attending({.causal = true});
  const Tensor weights = attending.kept.get();
  CHECK(difference(causal, attending({.mask = causal_mask(4, 6)})) == "");
  CHECK(difference(weights, attending.kept.get()) == "");
  CHECK(difference(causal, attending({})) != "");
  const Tensor padding = padding_mask({6, 2}, 6);
  CHECK(difference(attending({.mask = padding, .causal = true}),
                   attending({.mask = logical_and(padding, causal_mask(4, 6))})) == "");
}

TEST_CASE("one query, the last of its keys, sees them all") {
  Attending attending;
  attending.Q = attending.Q.narrow(2, 3, 1);
  CHECK(difference(attending({.causal = true}), attending({})) == "");
}

TEST_CASE("a causal mask of fewer queries than keys is the end of the whole one") {
  CHECK(equal(causal_mask(2, 5), causal_mask(5).narrow(0, 3, 2)));
  CHECK(equal(causal_mask(3), causal_mask(3, 3)));
  CHECK_THROWS_WITH_AS(causal_mask(2, -1), "causal_mask: T must be at least 0, got -1", ShapeError);
}

TEST_CASE("a query that sees no key gets the mean, zeros or NaN, as it is asked for") {
  const Tensor mask = mask_with_a_hidden_row();
  Attending attending;
  const Tensor uniform = attending({.mask = mask}), weights = attending.kept.get();
  CHECK(difference(uniform.select(0, 0).select(1, 1), attending.V.select(0, 0).mean({1}),
                   {.atol = 1e-15}) == "");
  for (const HiddenRows policy : {HiddenRows::Zero, HiddenRows::NaN}) {
    const double want = policy == HiddenRows::Zero ? 0 : NAN;
    const Tensor y = attending({.mask = mask, .hidden_rows = policy}), w = attending.kept.get();
    CHECK(difference(y.select(0, 0).select(1, 1), full({3, 7}, want, Float64)) == "");
    CHECK(difference(w.select(0, 0).select(1, 1), full({3, 6}, want, Float64)) == "");
    for (const Index row : {0, 2, 3}) {  // the others are as they were
      CHECK(difference(y.select(0, 0).select(1, row), uniform.select(0, 0).select(1, row)) == "");
      CHECK(difference(w.select(0, 0).select(1, row), weights.select(0, 0).select(1, row)) == "");
    }
    CHECK(difference(y.select(0, 1), uniform.select(0, 1)) == "");
    const auto both = scaled_dot_product_attention(attending.Q, attending.K, attending.V, mask,
                                                   nullptr, {}, policy);
    CHECK(difference(both.output, y, {.atol = 1e-14}) == "");
    CHECK(difference(both.weights, w, {.atol = 1e-14}) == "");
  }
}

TEST_CASE("a mask and the past may hide a row together") {
  Attending attending;
  const Tensor mask = (arange(6) >= 4).view({1, 1, 1, 6});  // the first two queries see up to 3
  const Tensor y = attending({.mask = mask, .causal = true, .hidden_rows = HiddenRows::Zero});
  for (Index row = 0; row < 4; ++row)
    CHECK(equal(y.select(2, row), zeros({2, 3, 7}, Float64)) == (row < 2));
}

TEST_CASE("of a hidden row zeros have no gradient, and NaN is passed on to the values") {
  const Tensor mask = mask_with_a_hidden_row();
  for (const HiddenRows policy : {HiddenRows::Zero, HiddenRows::NaN}) {
    Attending attending;
    attending.Q.requires_grad_(), attending.V.requires_grad_();
    const Tensor y = attending({.mask = mask, .hidden_rows = policy});
    (y.select(2, 1) * noise({2, 3, 7}, 4)).sum().backward();
    const Tensor of_row = attending.Q.grad().select(2, 1);
    CHECK(difference(of_row.select(0, 0).abs(), zeros({3, 5}, Float64)) == "");
    CHECK(of_row.select(0, 1).abs().sum().item() > 0);
    const double want = policy == HiddenRows::Zero ? 0 : NAN;
    CHECK(difference(attending.V.grad().select(0, 0).abs(), full({3, 6, 7}, want, Float64)) == "");
    CHECK(attending.V.grad().select(0, 1).abs().sum().item() > 0);
  }
}

TEST_CASE("attention's gradients are right where rows are hidden") {
  const Tensor mask = mask_with_a_hidden_row();
  for (const HiddenRows policy : {HiddenRows::Uniform, HiddenRows::Zero}) {
    Dropout none(0.0);
    KeptWeights kept;
    const auto f = [&](const auto& x) {
      const Tensor y = attend(x[0], x[1], x[2],
                              {.mask = mask, .causal = true, .hidden_rows = policy}, none, kept);
      return std::vector<Tensor>{y, kept.get()};
    };
    CHECK(testing::strict_gradcheck(
        f, {noise({2, 1, 4, 3}, 1).requires_grad_(), noise({2, 1, 6, 3}, 2).requires_grad_(),
            noise({2, 1, 6, 2}, 3).requires_grad_()}));
  }
}
