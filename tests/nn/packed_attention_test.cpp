#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/causal_attention.h>
#include <tapehead/nn/init.h>
#include <tapehead/nn/packed_attention.h>

#include "../support/strict_gradcheck.h"
#include "goldens.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::Json;
using testing::noise;

namespace {

// What PyTorch's layer of that name starts with, and what it computes.
template <class Layer>
void check_golden(const std::string& name, Layer& layer) {
  const Json golden = testing::goldens("layers").at(name);
  CHECK(testing::state_difference(layer.state_dict(), golden.at("state")) == "");
  layer.to(Float64).eval();
  layer.load_state_dict(testing::state_of(golden.at("changed")));
  const auto in = [&](const char* which) { return testing::to_tensor(golden.at(which)); };
  const Tensor y = layer(in("x"), in("y"), in("z"), padding_mask({5, 2}, 5));
  CHECK(difference(y, in("output"), {.atol = 1e-14}) == "");
}

void seed_of(const std::string& name) {
  manual_seed(testing::goldens("layers").at(name).at("seed").get<std::uint64_t>());
}

}  // namespace

TEST_CASE("packed attention is nn.MultiheadAttention: names, first weights and results") {
  seed_of("MultiheadAttention(6, 2)");
  PackedMultiHeadAttention attn(6, 2);
  check_golden("MultiheadAttention(6, 2)", attn);
  seed_of("MultiheadAttention(6, 3, bias=False)");
  PackedMultiHeadAttention plain(6, 3, 0.0, /*bias=*/false);
  check_golden("MultiheadAttention(6, 3, bias=False)", plain);
}

TEST_CASE("cross attention is nn.MultiheadAttention with kdim and vdim") {
  seed_of("MultiheadAttention(6, 2, kdim=3, vdim=5)");
  CrossAttention attn(6, 2, 3, 5);
  check_golden("MultiheadAttention(6, 2, kdim=3, vdim=5)", attn);
  CrossAttention plain(6, 2, 3, 5, 0.0, /*bias=*/false);
  CHECK(plain(noise({1, 2, 6}, 1, Float32), noise({1, 4, 3}, 2, Float32),
              noise({1, 4, 5}, 3, Float32))
            .shape() == Shape{1, 2, 6});
  CHECK(plain.attention_weights().shape() == Shape{1, 2, 2, 4});
}

TEST_CASE("packed attention has the results of attention whose projections are apart") {
  PackedMultiHeadAttention packed(6, 3, 0.0);
  MultiHeadAttention apart(6, 3, 0.0);
  for (Module* const module : {static_cast<Module*>(&packed), static_cast<Module*>(&apart)})
    module->to(Float64);
  const std::vector<Tensor> W = packed.in_proj_weight.chunk(3);
  const Tensor bias = noise({18}, 5);
  packed.load_state_dict({{"in_proj_bias", bias}}, /*strict=*/false);
  const std::vector<Tensor> b = bias.chunk(3);
  apart.load_state_dict({{"W_q.weight", W[0]},
                         {"W_q.bias", b[0]},
                         {"W_k.weight", W[1]},
                         {"W_k.bias", b[1]},
                         {"W_v.weight", W[2]},
                         {"W_v.bias", b[2]},
                         {"W_o.weight", packed.out_proj.weight},
                         {"W_o.bias", packed.out_proj.bias}});
  const Tensor x = noise({2, 4, 6}, 1), y = noise({2, 3, 6}, 2), mask = causal_mask(4);
  const testing::Tolerance t{.atol = 1e-14};
  CHECK(difference(packed(x, x, x, mask), apart(x, x, x, mask), t) == "");  // one product
  CHECK(difference(packed.attention_weights(), apart.attention_weights(), t) == "");
  CHECK(difference(packed(x, x.clone(), x, mask), packed(x, x, x, mask), t) == "");  // or three
  CHECK(difference(packed(x, y, y), apart(x, y, y), t) == "");
  const Tensor lower = noise({4, 4}, 7);
  CHECK(difference(packed(x, x, x, Tensor(), lower), apart(x, x, x, Tensor(), lower), t) == "");
}

TEST_CASE("in every kind of attention a query without keys gets what hidden_rows says") {
  const Tensor x = noise({1, 3, 4}, 1, Float32), nothing = zeros({1, 1, 1, 3}, Bool);
  CausalContext context;
  context.mask = nothing;
  const auto check = [&](const char* kind, auto& attn, const Tensor& out_bias, const auto& call) {
    CAPTURE(kind);
    init::normal_(out_bias);
    const Tensor bias = out_bias.view({1, 1, 4}).expand({1, 3, 4});
    CHECK(attn.hidden_rows == HiddenRows::Uniform);
    CHECK(difference(call(), bias) != "");
    attn.hidden_rows = HiddenRows::Zero;
    CHECK(difference(call(), bias) == "");
    CHECK(difference(attn.attention_weights(), zeros({1, 2, 3, 3})) == "");
    attn.hidden_rows = HiddenRows::NaN;
    CHECK(difference(call(), full({1, 3, 4}, NAN)) == "");
  };
  MultiHeadAttention plain(4, 2, 0.0);
  check("plain", plain, plain.W_o.bias, [&] { return plain(x, x, x, nothing); });
  PackedMultiHeadAttention packed(4, 2, 0.0);
  check("packed", packed, packed.out_proj.bias, [&] { return packed(x, x, x, nothing); });
  CrossAttention cross(4, 2, 4, 4, 0.0);
  check("cross", cross, cross.out_proj.bias, [&] { return cross(x, x, x, nothing); });
  GroupedQueryAttention grouped(4, 2, 1);
  check("grouped", grouped, grouped.W_o.bias, [&] { return grouped(x, context); });
  CausalSelfAttention causal(4, 2);
  check("causal", causal, causal.c_proj.bias, [&] { return causal(x, context); });
}

TEST_CASE("packed attention keeps its weights unless told not to") {
  PackedMultiHeadAttention attn(4, 2);
  CrossAttention cross(4, 2, 4, 4);
  const Tensor x = noise({1, 3, 4}, 1, Float32);
  CHECK(attn.keeps_weights());
  CHECK(cross.keeps_weights());
  attn(x, x, x), cross(x, x, x);
  CHECK(attn.attention_weights().shape() == Shape{1, 2, 3, 3});
  attn.keep_weights(false), cross.keep_weights(false);
  CHECK_THROWS_WITH_AS(
      attn.attention_weights(),
      "attention_weights: the last call kept none; ask for them with keep_weights(true)", Error);
  CHECK_THROWS_WITH_AS(
      cross.attention_weights(),
      "attention_weights: the last call kept none; ask for them with keep_weights(true)", Error);
}

TEST_CASE("packed attention drops weights while training") {
  PackedMultiHeadAttention attn(4, 2, 0.5);
  CrossAttention cross(4, 2, 4, 4, 0.5);
  const Tensor x = noise({2, 3, 4}, 1, Float32);
  CHECK(difference(attn(x, x, x), attn(x, x, x)) != "");
  CHECK(difference(cross(x, x, x), cross(x, x, x)) != "");
  attn.eval(), cross.eval();
  CHECK(difference(attn(x, x, x), attn(x, x, x)) == "");
  CHECK(difference(cross(x, x, x), cross(x, x, x)) == "");
}

TEST_CASE("packed attention names the axis that does not fit") {
  PackedMultiHeadAttention attn(4, 2);
  CrossAttention cross(4, 2, 3, 5);
  const Tensor x = zeros({1, 2, 4});
  CHECK_THROWS_WITH_AS(
      attn(x, zeros({1, 2, 3}), x),
      "PackedMultiHeadAttention: key must be (B, T, d_model) with d_model 4, got (1, 2, 3)",
      ShapeError);
  CHECK_THROWS_WITH_AS(cross(x, zeros({1, 2, 3}), zeros({1, 2, 4})),
                       "CrossAttention: value must be (B, T, vdim) with vdim 5, got (1, 2, 4)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cross(x, zeros({1, 3, 3}), zeros({1, 2, 5})),
                       "CrossAttention: query, key and value must have one batch size, and key and "
                       "value one length, got (1, 2, 4), (1, 3, 3) and (1, 2, 5)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(PackedMultiHeadAttention(8, 3),
                       "PackedMultiHeadAttention: d_model 8 must be divisible by num_heads 3, "
                       "since each head takes an equal part",
                       Error);
  CHECK_THROWS_WITH_AS(CrossAttention(4, 2, 0, 5),
                       "CrossAttention: expected kdim and vdim of at least 1, got 0 and 5", Error);
}

TEST_CASE("packed attention's gradients are right") {
  manual_seed(0);
  PackedMultiHeadAttention attn(4, 2, 0.0);
  CrossAttention cross(4, 2, 3, 5, 0.0);
  attn.to(Float64), cross.to(Float64);
  const Tensor mask = padding_mask({3, 2}, 3);
  CHECK(testing::strict_gradcheck([&](const auto& x) { return attn(x[0], x[0], x[0], mask); },
                                  {noise({2, 3, 4}).requires_grad_()}, attn.named_parameters()));
  CHECK(testing::strict_gradcheck(
      [&](const auto& x) { return cross(x[0], x[1], x[2], mask); },
      {noise({2, 2, 4}, 1).requires_grad_(), noise({2, 3, 3}, 2).requires_grad_(),
       noise({2, 3, 5}, 3).requires_grad_()},
      cross.named_parameters()));
}

namespace {

// One of the settings of PyTorch's own class in mha_reference.json.
void check_setting(const std::string& setting_name) {
  const Json file = testing::read_cases("mha_reference");
  for (const Json& setting : file.at("torch_multihead_attention")) {
    if (setting.at("name") != setting_name) continue;
    for (const DType dtype : {Float64, Float32}) {
      CAPTURE(core::name(dtype));
      const testing::Tolerance tolerance{
          .relative_to_at_least_one =
              file.at("conventions").at("tolerance").at(dtype == Float64 ? "f64" : "f32")};
      const auto read = [&](const Json& value) { return testing::to_tensor(value, dtype); };
      const Json &config = setting.at("config"), &inputs = setting.at("inputs"),
                 &expect = setting.at("expect");
      PackedMultiHeadAttention attn(config.at("d_model"), config.at("heads"));
      attn.to(dtype).load_state_dict(testing::state_of(setting.at("state_dict"), dtype));
      std::vector<std::pair<std::string, Tensor>> leaves;
      for (const char* const name : {"x", "query", "key", "value"})
        if (inputs.contains(name))
          leaves.emplace_back(name, read(inputs.at(name)).requires_grad_());
      const bool self = leaves.size() == 1;
      const Tensor output =
          attn(leaves[0].second, leaves[self ? 0 : 1].second, leaves[self ? 0 : 2].second,
               read(inputs.at("keep_mask_equivalent")));
      const Tensor loss = (output * read(inputs.at("R"))).sum();
      loss.backward();
      CHECK(difference(output, read(expect.at("output")), tolerance) == "");
      CHECK(difference(attn.attention_weights(), read(expect.at("attention_weights_per_head")),
                       tolerance) == "");
      CHECK(difference(loss, tensor(std::vector{expect.at("loss").get<double>()}, {}, dtype),
                       tolerance) == "");
      for (const auto& [name, parameter] : attn.named_parameters())
        leaves.emplace_back(name, parameter);
      CHECK(leaves.size() == expect.at("grads").size());
      for (const auto& leaf : leaves)
        CHECK_MESSAGE(difference(leaf.second.grad(), read(expect.at("grads").at(leaf.first)),
                                 tolerance) == "",
                      leaf.first);
    }
    return;
  }
  FAIL("no setting is named ", setting_name);
}

}  // namespace

TEST_CASE("mha_reference: self_causal") { check_setting("self_causal"); }
TEST_CASE("mha_reference: cross") { check_setting("cross"); }

TEST_CASE("attention says which of its inputs is undefined") {
  PackedMultiHeadAttention packed(4, 2);
  MultiHeadAttention plain(4, 2);
  const Tensor x = zeros({1, 3, 4});
  CHECK_THROWS_WITH_AS(packed(Tensor(), x, x),
                       "PackedMultiHeadAttention: query must be (B, T, d_model), got an undefined "
                       "tensor (made by Tensor()); ask defined() first",
                       ShapeError);
  CHECK_THROWS_WITH_AS(plain(x, x, Tensor()),
                       "MultiHeadAttention: value must be (B, T, d_model), got an undefined tensor "
                       "(made by Tensor()); ask defined() first",
                       ShapeError);
}
