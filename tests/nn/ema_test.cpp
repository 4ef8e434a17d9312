#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/ema.h>
#include <tapehead/nn/linear.h>

#include "../support/compare.h"

using namespace tapehead;
using optim::EMA;
using testing::difference;

namespace {

struct Tied : nn::Layer<Tied> {
  Tied() : first(3, 2), second(3, 2) {
    add("first", first), add("second", second);
    second.weight = first.weight;
    to(Float64);
  }
  Tensor forward(const Tensor& x) { return first(x) + second(x); }
  nn::Linear first, second;
};

void fill(Tied& model, double value) {
  const NoGradGuard no_grad;
  for (Tensor& parameter : model.parameters()) parameter.fill_(value);
}

}  // namespace

TEST_CASE("averages follow the weights, slowly, from where these were at first") {
  Tied model;
  fill(model, 1);
  EMA ema(model, 0.75);
  fill(model, 5);
  ema.update();  // 0.75 1 + 0.25 5 = 2
  fill(model, 10);
  ema.update();  // 0.75 2 + 0.25 10 = 4
  const NamedTensors averages = ema.state_dict();
  CHECK(averages.size() == 3);  // a tied weight is one
  for (const auto& [name, average] : averages)
    CHECK(difference(average, full(average.shape(), 4, Float64)) == "");
}

TEST_CASE("swapping gives the model its averages, in place, and back") {
  Tied model;
  fill(model, 1);
  EMA ema(model, 0.5);
  fill(model, 3);
  ema.update();
  const Tensor weight = model.second.weight;
  ema.swap();
  CHECK(weight.select(0, 0).select(0, 0).item() == 2);
  CHECK(model.first.bias.select(0, 0).item() == 2);
  ema.swap();
  CHECK(weight.select(0, 0).select(0, 0).item() == 3);
  ema.update();
  CHECK(ema.state_dict()[0].second.select(0, 0).select(0, 0).item() == 2.5);
}

TEST_CASE("averages are saved and loaded by name") {
  Tied model;
  fill(model, 1);
  EMA ema(model, 0.5), other(model, 0.5);
  fill(model, 3);
  ema.update();
  other.load_state_dict(ema.state_dict());
  other.update();  // 0.5 2 + 0.5 3
  CHECK(other.state_dict()[0].second.select(0, 0).select(0, 0).item() == 2.5);
  CHECK(ema.state_dict()[0].second.select(0, 0).select(0, 0).item() == 2);

  CHECK_THROWS_WITH_AS(
      ema.load_state_dict({{"first.weight", zeros({3, 2}, Float64)}, {"x", zeros({1})}}),
      "EMA: the state must be that of an EMA of this model; unfit: first.weight (3, 2) Float64 for "
      "(2, 3) Float64; missing: first.bias; missing: second.bias; unexpected: x; nothing was "
      "loaded",
      Error);
  CHECK(ema.state_dict()[0].second.select(0, 0).select(0, 0).item() == 2);
}

TEST_CASE("averages refuse a decay out of range and a model that was converted since") {
  Tied model;
  CHECK_THROWS_WITH_AS(EMA(model, 1.5), "EMA: decay must be in [0, 1], got 1.5", Error);
  EMA ema(model, 0.5);
  model.to(Float32);
  const char* const message =
      "EMA: first.weight was (2, 3) Float64 and is now (2, 3) Float32; make a new EMA after "
      "converting a model";
  CHECK_THROWS_WITH_AS(ema.update(), message, Error);
  CHECK_THROWS_WITH_AS(ema.swap(), message, Error);
}
