#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/embedding.h>
#include <tapehead/nn/init.h>
#include <tapehead/nn/linear.h>
#include <tapehead/nn/parameter.h>

#include <cmath>
#include <functional>
#include <map>

#include "goldens.h"

using namespace tapehead;
namespace init = tapehead::nn::init;
using testing::difference;

TEST_CASE("every initialiser fills in the numbers that PyTorch's does") {
  const std::map<std::string, std::function<Tensor(Tensor)>> initialisers{
      {"uniform_(-2, 3)", [](Tensor w) { return init::uniform_(w, -2, 3); }},
      {"normal_(1, 0.5)", [](Tensor w) { return init::normal_(w, 1, 0.5); }},
      {"xavier_uniform_()", [](Tensor w) { return init::xavier_uniform_(w); }},
      {"xavier_uniform_(5/3)",
       [](Tensor w) { return init::xavier_uniform_(w, init::calculate_gain("tanh")); }},
      {"xavier_normal_()", [](Tensor w) { return init::xavier_normal_(w); }},
      {"kaiming_uniform_()", [](Tensor w) { return init::kaiming_uniform_(w); }},
      {"kaiming_uniform_(0, fan_out, relu)",
       [](Tensor w) { return init::kaiming_uniform_(w, 0, init::Fan::Out, "relu"); }},
      {"kaiming_normal_()", [](Tensor w) { return init::kaiming_normal_(w); }},
      {"kaiming_normal_(0.2, fan_out)",
       [](Tensor w) { return init::kaiming_normal_(w, 0.2, init::Fan::Out); }}};
  const testing::Json goldens = testing::goldens("init").at("initialisers");
  CHECK(goldens.size() == 2 * initialisers.size());
  for (const auto& initialiser : initialisers) {
    for (const DType dtype : {Float32, Float64}) {
      const std::string& name = initialiser.first;
      CAPTURE(name);
      manual_seed(7);
      const Tensor w = initialiser.second(empty({3, 2, 2}, dtype));
      const testing::Json& want = goldens.at(name + (dtype == Float32 ? " f32" : " f64"));
      CHECK(difference(w, testing::to_tensor(want)) == "");
    }
  }
}

TEST_CASE("gains are PyTorch's") {
  const testing::Json gains = testing::goldens("init").at("gains");
  CHECK(gains.size() == 7);
  for (auto gain = gains.begin(); gain != gains.end(); ++gain) {
    CAPTURE(gain.key());
    const bool leaky = gain.key() == "leaky_relu 0.3";
    CHECK((leaky ? init::calculate_gain("leaky_relu", 0.3) : init::calculate_gain(gain.key())) ==
          gain->get<double>());
  }
  CHECK_THROWS_WITH_AS(init::calculate_gain("swish"),
                       "calculate_gain: expected linear, sigmoid, tanh, relu, leaky_relu or selu, "
                       "got \"swish\"",
                       Error);
}

TEST_CASE("an initialiser fills a parameter in place, off the tape") {
  nn::Parameter p{zeros({2, 2})};
  CHECK(init::constant_(p, 3).impl() == p.impl());
  CHECK(p.is_leaf());
  CHECK(difference(p, full({2, 2}, 3.)) == "");
  CHECK(difference(init::ones_(p), ones({2, 2})) == "");
  CHECK(difference(init::zeros_(p), zeros({2, 2})) == "");
}

TEST_CASE("fans need two dimensions") {
  CHECK_THROWS_WITH_AS(init::xavier_uniform_(empty({3})),
                       "xavier_uniform_: expected a weight (fan_out, fan_in, ...), got (3); use "
                       "uniform_, normal_ or zeros_ for a bias",
                       ShapeError);
}

TEST_CASE("an initialiser refuses an undefined tensor") {
  nn::Linear linear(2, 2, /*bias=*/false);
  CHECK_THROWS_WITH_AS(init::zeros_(linear.bias),
                       "zeros_: the tensor is undefined, such as the bias of a layer without one; "
                       "check defined()",
                       Error);
  const auto refusal = [](const auto& fill) -> std::string {
    try {
      fill(Tensor());
    } catch (const Error& error) {
      return std::string(error.what()).substr(0, std::string(error.what()).find(':'));
    }
    return "";
  };
  CHECK(refusal(init::ones_) == "ones_");
  CHECK(refusal([](Tensor x) { init::constant_(x, 1); }) == "constant_");
  CHECK(refusal([](Tensor x) { init::uniform_(x); }) == "uniform_");
  CHECK(refusal([](Tensor x) { init::normal_(x); }) == "normal_");
  CHECK(refusal([](Tensor x) { init::xavier_uniform_(x); }) == "xavier_uniform_");
  CHECK(refusal([](Tensor x) { init::xavier_normal_(x); }) == "xavier_normal_");
  CHECK(refusal([](Tensor x) { init::kaiming_uniform_(x); }) == "kaiming_uniform_");
  CHECK(refusal([](Tensor x) { init::kaiming_normal_(x); }) == "kaiming_normal_");
}

TEST_CASE("an initialiser's errors name it, not what it is made of") {
  const Tensor w = ones({2, 2});
  CHECK_THROWS_WITH_AS(init::xavier_uniform_(w, -1),
                       "xavier_uniform_: gain must be at least 0, got -1", Error);
  CHECK_THROWS_WITH_AS(init::xavier_normal_(w, std::nan("")),
                       "xavier_normal_: gain must be at least 0, got nan", Error);
  CHECK_THROWS_WITH_AS(init::xavier_uniform_(w, 1e300),
                       "xavier_uniform_: from must not exceed to, and both and their distance must "
                       "be Float32 numbers, got -1.22474e+300 and 1.22474e+300",
                       Error);
  CHECK_THROWS_WITH_AS(
      init::kaiming_normal_(ones({2, 2}, Int64)),
      "kaiming_normal_: expected Float32 or Float64, got Int64; convert with .to(Float32)",
      DTypeError);
  CHECK_THROWS_WITH_AS(init::constant_(ones({2}, Int64), 0.5),
                       "constant_: the scalar 0.5 is not a whole number that Int64 holds; convert "
                       "with .to(Float32) first",
                       DTypeError);
  CHECK(difference(w, ones({2, 2})) == "");
}

TEST_CASE("a large Float32 embedding starts within 4 ulp of PyTorch's") {
  manual_seed(3);
  const nn::Embedding embedding(11, 6);
  const Tensor want = testing::to_tensor(testing::goldens("init").at("Embedding(11, 6)"));
  CHECK(difference(embedding.weight, want, {.rtol = 4 * 1.2e-7}) == "");
}
