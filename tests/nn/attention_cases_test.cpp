// Reference cases of attention: masks, and whole multi-head attentions.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/core/elementwise.h>
#include <tapehead/nn/attention.h>

#include "../support/cases.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::Case;
using testing::difference;
using testing::Json;

namespace {

struct Leaves {
  Leaves(const Case& c, DType dtype)
      : q(c.input("q", dtype).requires_grad_()),
        k(c.input("k", dtype).requires_grad_()),
        v(c.input("v", dtype).requires_grad_()) {}
  Tensor q, k, v;
};

// Attention as the case has it, by the fused op or by the composition.
Attention attend(const Leaves& in, const Tensor& mask, bool fused) {
  if (!fused) return scaled_dot_product_attention(in.q, in.k, in.v, mask);
  const Shape scores{in.q.size(0), in.q.size(1), in.q.size(2), in.k.size(2)};
  const auto both = fused_attention(in.q, in.k, in.v, checked_mask(mask, scores), {}, {},
                                    1 / std::sqrt(static_cast<double>(in.q.size(-1))), true);
  return {both.output, both.weights};
}

// Both ways to compute attention, in both dtypes, against the case's output, weights and gradients.
void check_case(const Case& c, const Tensor& mask) {
  for (const DType dtype : {Float64, Float32}) {
    for (const bool fused : {false, true}) {
      CAPTURE(core::name(dtype));
      CAPTURE(fused);
      const Leaves in(c, dtype);
      const Attention both = attend(in, mask, fused);
      const Tensor out = both.output, weights = both.weights;
      (out * c.input("R", dtype)).sum().backward();
      CHECK(c.difference(out, c.output("out", dtype)) == "");
      CHECK(c.difference(weights, c.output("weights", dtype)) == "");
      CHECK(c.difference(in.q.grad(), c.grad("q", dtype)) == "");
      CHECK(c.difference(in.k.grad(), c.grad("k", dtype)) == "");
      CHECK(c.difference(in.v.grad(), c.grad("v", dtype)) == "");
      const Tensor hidden = (c.output("weights", dtype) == 0);
      CHECK(equal(logical_and(weights.detach() == 0, hidden), hidden));  // exactly 0
      const Json known_wrong = c.json.value("known_wrong", Json::object());
      for (const auto& wrong : known_wrong.items())
        CHECK_MESSAGE(c.difference(out, testing::to_tensor(wrong.value(), dtype)) != "",
                      wrong.key());
    }
  }
}

}  // namespace

TEST_CASE(
    "MASK-01: Fully masked query row stays finite: uniform weights, zero gradient to its scores") {
  const Case c = testing::this_case();
  check_case(c, c.input("mask"));
  const Tensor R = c.input("R");
  for (const bool fused : {false, true}) {
    CAPTURE(fused);
    const Leaves in(c, Float64), row(c, Float64);
    const Attention both = attend(in, c.input("mask"), fused);
    (both.output * R).sum().backward();
    CHECK(difference(both.weights.select(2, 1).view({3}), full({3}, 1.0 / 3, Float64)) == "");
    CHECK(difference(in.q.grad().select(2, 1).abs(), zeros({1, 1, 2}, Float64)) == "");
    // What row 1 alone adds to the other gradients: nothing, and a third of R.
    (attend(row, c.input("mask"), fused).output * R).select(2, 1).sum().backward();
    CHECK(difference(row.k.grad().abs(), zeros({1, 1, 3, 2}, Float64)) == "");
    CHECK(difference(row.v.grad(), (R.narrow(2, 1, 1) / 3).expand({1, 1, 3, 2}),
                     {.relative_to_at_least_one = 1e-15}) == "");
  }
}

TEST_CASE(
    "MASK-02: Mask polarity: nonzero keeps, zero hides (and the inverse gives a finite, plausible, "
    "wrong answer)") {
  const Case c = testing::this_case();
  const Tensor mask = c.input("mask");
  check_case(c, mask);
  for (const bool fused : {false, true}) {
    CAPTURE(fused);
    const auto results = [&](DType dtype) {
      const Leaves in(c, Float64);
      const Attention both = attend(in, to(mask, dtype), fused);
      (both.output * c.input("R")).sum().backward();
      return std::vector{both.output.detach(), both.weights.detach(), in.q.grad(), in.k.grad(),
                         in.v.grad()};
    };
    const auto want = results(Int64);
    for (const DType dtype : {Bool, Float32, Float64}) {
      const auto got = results(dtype);
      for (std::size_t i = 0; i < want.size(); ++i) CHECK(difference(got[i], want[i]) == "");
    }
  }
}

TEST_CASE(
    "MASK-03: Causal mask includes the diagonal: off-by-one hides the current token or leaks the "
    "next one") {
  const Case c = testing::this_case();
  CHECK(difference(to(causal_mask(4), Int64), c.output("mask")) == "");
  CHECK(difference(to(causal_mask(1), Int64), c.output("mask_T1")) == "");
  check_case(c, causal_mask(4));
  const Leaves in(c, Float64);
  const Attention before = scaled_dot_product_attention(in.q, in.k, in.v, causal_mask(4));
  CHECK(difference(before.weights.select(2, 0), tensor({{{1, 0, 0, 0}, {1, 0, 0, 0}}}, Float64)) ==
        "");
  for (Index t = 0; t < 4; ++t) {
    NDArray k = in.k.array().clone(), v = in.v.array().clone();
    for (NDArray* changed : {&k, &v}) {
      NDArray slice = changed->select(2, t);
      core::fill_(slice, 7);
    }
    const Tensor out =
        scaled_dot_product_attention(in.q, Tensor(k), Tensor(v), causal_mask(4)).output;
    CHECK(difference(out.narrow(2, 0, t), before.output.narrow(2, 0, t)) == "");
    CHECK(difference(out.narrow(2, t, 1), before.output.narrow(2, t, 1)) != "");
  }
}

TEST_CASE("MASK-04: Padding mask hides keys: (B,1,1,T), not (B,1,T,1)") {
  const Case c = testing::this_case();
  const Tensor pad = c.input("pad");
  check_case(c, pad.view({2, 1, 1, 3}));
  for (const bool fused : {false, true}) {
    CAPTURE(fused);
    const Leaves padded(c, Float64);
    const Attention both = attend(padded, pad.view({2, 1, 1, 3}), fused);
    (both.output * c.input("R")).sum().backward();
    const Tensor hidden = (pad == 0).view({2, 1, 3, 1});
    for (const Tensor& grad : {padded.k.grad(), padded.v.grad()}) {
      CHECK(grad.abs().masked_select(hidden).max().item() == 0);
      CHECK(grad.abs().masked_select(~hidden).max().item() > 0);
    }
  }
  const Leaves in(c, Float64);
  CHECK_THROWS_WITH_AS(
      scaled_dot_product_attention(in.q, in.k, in.v, pad.view({2, 1, 3, 1})),
      "attention: a mask for scores (2, 1, 3, 3) must be (3, 3) or (2, 1, 3, 3) "
      "with 1 for any size but the last, got (2, 1, 3, 1); this one hides queries, "
      "to hide keys use .transpose(2, 3)",
      ShapeError);
}

TEST_CASE("MASK-05: Fill constant is -1e9; 1e-9 or -1e-9 masks nothing") {
  const Case c = testing::this_case();
  check_case(c, c.input("mask"));
}

TEST_CASE("MASK-06: Mask before softmax, so every row of weights sums to 1") {
  const Case c = testing::this_case();
  check_case(c, c.input("mask"));
  const Leaves in(c, Float64);
  const Tensor weights = scaled_dot_product_attention(in.q, in.k, in.v, c.input("mask")).weights;
  CHECK(c.difference(weights.sum({-1}), c.output("row_sums")) == "");
}

TEST_CASE(
    "MASK-07: Causal AND left padding: two valid masks whose product empties the first rows") {
  const Case c = testing::this_case();
  const Tensor mask = logical_and(causal_mask(4), c.input("pad").view({1, 1, 1, 4}) == 1);
  CHECK(difference(to(mask, Int64), c.output("mask")) == "");
  check_case(c, mask);
}

namespace {

// One of the settings of mha_reference.json.
void check_setting(const std::string& name) {
  const Json file = testing::read_cases("mha_reference");
  for (const Json& setting : file.at("settings")) {
    if (setting.at("name") != name) continue;
    for (const DType dtype : {Float64, Float32}) {
      CAPTURE(core::name(dtype));
      const testing::Tolerance tolerance{
          .relative_to_at_least_one =
              file.at("conventions").at("tolerance").at(dtype == Float64 ? "f64" : "f32")};
      const auto read = [&](const Json& value) { return testing::to_tensor(value, dtype); };
      const Json &config = setting.at("config"), &inputs = setting.at("inputs"),
                 &expect = setting.at("expect");

      MultiHeadAttention attn(config.at("d_model"), config.at("heads"), config.at("dropout"));
      CHECK(attn.d_k == config.at("d_k").get<Index>());
      StateDict weights;
      for (const auto& [key, value] : setting.at("weights").items())
        weights.emplace_back(key, read(value));
      attn.to(dtype).load_state_dict(weights);

      const bool self = config.at("self_attention");
      std::vector<std::pair<std::string, Tensor>> leaves;
      for (const char* input : self ? std::vector{"x"} : std::vector{"query", "key", "value"})
        leaves.emplace_back(input, read(inputs.at(input)).requires_grad_());
      const auto leaf = [&](std::size_t i) { return leaves[self ? 0 : i].second; };
      const Tensor mask = inputs.contains("mask") ? read(inputs.at("mask")) : Tensor();
      const Tensor output = attn(leaf(0), leaf(1), leaf(2), mask);
      const Tensor loss = (output * read(inputs.at("R"))).sum();
      loss.backward();

      CHECK(difference(output, read(expect.at("output")), tolerance) == "");
      CHECK(difference(attn.attention_weights(), read(expect.at("attention_weights")), tolerance) ==
            "");
      const Tensor want_loss = tensor(std::vector{expect.at("loss").get<double>()}, {}, dtype);
      CHECK(difference(loss, want_loss, tolerance) == "");
      for (const auto& [key, parameter] : attn.named_parameters())
        leaves.emplace_back(key, parameter);
      CHECK(leaves.size() == expect.at("grads").size());
      for (const auto& leaf_of : leaves)
        CHECK_MESSAGE(difference(leaf_of.second.grad(), read(expect.at("grads").at(leaf_of.first)),
                                 tolerance) == "",
                      leaf_of.first);
    }
    return;
  }
  FAIL("no setting is named ", name);
}

}  // namespace

TEST_CASE("mha_reference: self_3_heads") { check_setting("self_3_heads"); }
TEST_CASE("mha_reference: cross_padding_B_1_1_Tk") { check_setting("cross_padding_B_1_1_Tk"); }
TEST_CASE("mha_reference: causal_and_padding") { check_setting("causal_and_padding"); }
TEST_CASE("mha_reference: large_scores") { check_setting("large_scores"); }
