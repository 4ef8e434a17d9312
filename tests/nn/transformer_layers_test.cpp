#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/transformer_layers.h>

#include "../support/strict_gradcheck.h"
#include "goldens.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::Json;
using testing::noise;

namespace {

// What PyTorch's layer of that name starts with, and what it computes.
template <class Layer, class Call>
void check_golden(const std::string& name, const TransformerLayerOptions& options, Call call) {
  const Json golden = testing::goldens("layers").at(name);
  manual_seed(golden.at("seed").get<std::uint64_t>());
  Layer layer(4, 2, options);
  CHECK(testing::state_difference(layer.state_dict(), golden.at("state")) == "");
  layer.to(Float64).eval();
  layer.load_state_dict(testing::state_of(golden.at("changed")));
  const auto in = [&](const char* which) { return testing::to_tensor(golden.at(which)); };
  CHECK(difference(call(layer, in("x"), in("y")), in("output"), {.atol = 1e-14}) == "");
}

Tensor decode(TransformerDecoderLayer& layer, const Tensor& x, const Tensor& memory) {
  return layer(x, memory, causal_mask(3), padding_mask({5, 2}, 5));
}

}  // namespace

TEST_CASE("an encoder layer is PyTorch's: names, first weights and results") {
  check_golden<TransformerEncoderLayer>(
      "TransformerEncoderLayer(4, 2, 7)", {.dim_feedforward = 7},
      [](auto& layer, const Tensor& x, const Tensor&) { return layer(x, causal_mask(3)); });
}

TEST_CASE("a decoder layer is PyTorch's, post-norm and pre-norm") {
  check_golden<TransformerDecoderLayer>("TransformerDecoderLayer(4, 2, 7)", {.dim_feedforward = 7},
                                        decode);
  check_golden<TransformerDecoderLayer>(
      "TransformerDecoderLayer(4, 2, 7, norm_first)",
      {.dim_feedforward = 7, .activation = Activation::GELU, .norm_first = true}, decode);
}

TEST_CASE("an encoder or decoder layer keeps attention weights only when asked to") {
  TransformerEncoderLayer encoder(4, 2, {.dim_feedforward = 3});
  TransformerDecoderLayer decoder(4, 2, {.dim_feedforward = 3});
  CHECK_FALSE(encoder.self_attn.keeps_weights());
  CHECK_FALSE(decoder.self_attn.keeps_weights());
  CHECK_FALSE(decoder.multihead_attn.keeps_weights());
  decoder.multihead_attn.keep_weights(true);
  decoder(noise({1, 2, 4}, 1, Float32), noise({1, 3, 4}, 2, Float32));
  CHECK(decoder.multihead_attn.attention_weights().shape() == Shape{1, 2, 2, 3});
}

TEST_CASE("every dropout of a layer has its probability, and none is active in evaluation") {
  TransformerEncoderLayer encoder(4, 2, {.dim_feedforward = 3, .dropout = 0.25});
  TransformerDecoderLayer decoder(4, 2, {.dim_feedforward = 3, .dropout = 0.25});
  int found = 0;
  for (Module* const layer : {static_cast<Module*>(&encoder), static_cast<Module*>(&decoder)})
    for (const auto& [name, module] : layer->named_modules())
      if (const auto* const dropout = dynamic_cast<Dropout*>(module)) {
        CHECK(dropout->p == 0.25);
        ++found;
      }
  CHECK(found == 4 + 6);
  const Tensor x = noise({2, 3, 4}, 1, Float32);
  CHECK(difference(encoder(x), encoder(x)) != "");
  CHECK(difference(decoder(x, x), decoder(x, x)) != "");
  encoder.eval(), decoder.eval();
  CHECK(difference(encoder(x), encoder(x)) == "");
  CHECK(difference(decoder(x, x), decoder(x, x)) == "");
}

TEST_CASE("the gradients of encoder and decoder layers are right, either way they are normalised") {
  for (const bool norm_first : {false, true}) {
    manual_seed(3);
    const TransformerLayerOptions options{.dim_feedforward = 5,
                                          .dropout = 0,
                                          .activation = Activation::GELU,
                                          .norm_first = norm_first};
    TransformerEncoderLayer encoder(4, 2, options);
    TransformerDecoderLayer decoder(4, 2, options);
    encoder.to(Float64), decoder.to(Float64);
    CHECK(testing::strict_gradcheck([&](const auto& x) { return encoder(x[0], causal_mask(3)); },
                                    {noise({2, 3, 4}).requires_grad_()},
                                    encoder.named_parameters()));
    CHECK(testing::strict_gradcheck(
        [&](const auto& x) { return decoder(x[0], x[1], causal_mask(3)); },
        {noise({1, 3, 4}, 1).requires_grad_(), noise({1, 2, 4}, 2).requires_grad_()},
        decoder.named_parameters()));
  }
}

namespace {

// One of the settings of PyTorch's encoder layer in mha_reference.json.
void check_setting(const std::string& setting_name) {
  const Json file = testing::read_cases("mha_reference");
  for (const Json& setting : file.at("torch_transformer_encoder_layer")) {
    if (setting.at("name") != setting_name) continue;
    for (const DType dtype : {Float64, Float32}) {
      CAPTURE(core::name(dtype));
      const testing::Tolerance tolerance{
          .relative_to_at_least_one =
              file.at("conventions").at("tolerance").at(dtype == Float64 ? "f64" : "f32")};
      const auto read = [&](const Json& value) { return testing::to_tensor(value, dtype); };
      const Json &config = setting.at("config"), &inputs = setting.at("inputs"),
                 &expect = setting.at("expect");
      TransformerEncoderLayer layer(
          config.at("d_model"), config.at("heads"),
          {.dim_feedforward = config.at("d_ff"),
           .dropout = config.at("dropout"),
           .activation = config.at("activation") == "relu" ? Activation::ReLU : Activation::GELU,
           .layer_norm_eps = config.at("eps"),
           .norm_first = config.at("norm_first")});
      layer.to(dtype).load_state_dict(testing::state_of(setting.at("state_dict"), dtype));
      const Tensor x = read(inputs.at("x")).requires_grad_();
      const Tensor output = layer(x, read(inputs.at("keep_mask_equivalent")));
      const Tensor loss = (output * read(inputs.at("R"))).sum();
      loss.backward();
      CHECK(difference(output, read(expect.at("output")), tolerance) == "");
      CHECK(difference(loss, tensor(std::vector{expect.at("loss").get<double>()}, {}, dtype),
                       tolerance) == "");
      NamedTensors leaves = layer.named_parameters();
      leaves.emplace_back("x", x);
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

TEST_CASE("mha_reference: post_norm_gelu") { check_setting("post_norm_gelu"); }
TEST_CASE("mha_reference: pre_norm_relu_causal_padding") {
  check_setting("pre_norm_relu_causal_padding");
}
