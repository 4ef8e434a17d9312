#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/module_list.h>
#include <tapehead/nn/sequential.h>

#include <algorithm>
#include <cmath>

#include "../support/strict_gradcheck.h"
#include "goldens.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::values;

namespace {

Index count(const Tensor& x, double value) {
  const std::vector<double> all = values(x);
  return std::count(all.begin(), all.end(), value);
}

// Whether x lies within the bounds of that name in the case.
bool within(const testing::Case& c, const char* name, double x) {
  const testing::Json& bounds = c.json.at("expect").at("bounds").at(name);
  return bounds.at(0).get<double>() <= x && x <= bounds.at(1).get<double>();
}

}  // namespace

TEST_CASE(
    "dropout zeroes the elements that PyTorch's does, and leaves the generator where it does") {
  const testing::Json goldens = testing::goldens("dropout").at("ones");
  CHECK(goldens.size() == 10);
  for (const testing::Json& golden : goldens) {
    const Tensor want = testing::to_tensor(golden.at("y"));
    CAPTURE(golden.at("p").get<double>());
    manual_seed(golden.at("seed").get<std::uint64_t>());
    Dropout dropout(golden.at("p").get<double>());
    CHECK(difference(dropout(ones(want.shape(), want.dtype())), want) == "");
    CHECK(difference(rand({1}), testing::to_tensor(golden.at("next"))) == "");
  }
}

TEST_CASE("DROP-01: Survivors are scaled by 1/(1-p), not 1/p and not twice") {
  const testing::Case c = testing::this_case();
  for (const double p : {0.1, 0.2, 0.5, 0.9}) {
    CAPTURE(p);
    manual_seed(1);
    Tensor x = ones({10000}, Float64).requires_grad_();
    Dropout dropout(p);
    const Tensor y = dropout(x);
    y.sum().backward();
    const Index zeroed = count(y, 0);
    CHECK(zeroed + count(y, 1 / (1 - p)) == 10000);
    CHECK(std::abs(static_cast<double>(zeroed) - 10000 * p) <= 5 * std::sqrt(10000 * p * (1 - p)));
    CHECK(difference(x.grad(), y.detach()) == "");
    if (p != 0.1) continue;  // what the case has numbers for
    for (const testing::Json& value : c.json.at("expect").at("outputs").at("allowed_values"))
      CHECK(count(y, value) > 0);
    CHECK(within(c, "zeros_count", static_cast<double>(zeroed)));
    CHECK(within(c, "mean_y", y.mean().item()));
    for (const testing::Json& wrong : c.json.at("known_wrong")) CHECK(count(y, wrong) == 0);
  }
}

TEST_CASE("DROP-02: eval() reaches every nested module; train() switches back") {
  testing::this_case();  // states what holds, without numbers
  struct Block : Layer<Block> {
    Block() : inner(0.5) { add("inner", inner); }
    Tensor forward(const Tensor& x) { return inner(x); }
    Dropout inner;
  };
  struct Model : Layer<Model> {
    Model() : attn(8, 2, 0.5) {
      head.emplace_back<Linear>(8, 8);
      head.emplace_back<Dropout>(0.5);
      for (int i = 0; i < 2; ++i) blocks.emplace_back();
      add("head", head);
      add("blocks", blocks);
      add("attn", attn);
    }
    Tensor forward(const Tensor& x) {
      Tensor y = head(x);
      for (Block& block : blocks) y = block(y);
      return attn(y, y, y);
    }
    Sequential head;
    ModuleList<Block> blocks;
    MultiHeadAttention attn;
  } model;
  const Tensor x = testing::noise({2, 5, 8}, 1, Float32);
  const auto all = [&](bool training) {
    const auto modules = model.named_modules();
    return std::all_of(modules.begin(), modules.end(),
                       [&](const auto& m) { return m.second->is_training() == training; });
  };
  model.eval();
  CHECK(all(false));
  CHECK(difference(model(x), model(x)) == "");
  model.train();
  CHECK(all(true));
  CHECK(difference(model(x), model(x)) != "");

  Dropout dropout(0.5);
  dropout.eval();
  Tensor z = testing::noise({4}).requires_grad_();
  CHECK(difference(dropout(z), z) == "");
  (dropout(z) * 3).sum().backward();
  CHECK(difference(z.grad(), full({4}, 3, Float64)) == "");
}

TEST_CASE("DROP-03: p = 0 and p = 1 are legal; p outside [0,1] and nan are errors") {
  const testing::Case c = testing::this_case();
  for (const auto& [p, y_name, dx_name] :
       {std::tuple(1.0, "p1_y", "p1_dx"), std::tuple(0.0, "p0_y", "p0_dx")}) {
    Tensor x = c.input("x").requires_grad_();
    Dropout dropout(p);
    const Tensor y = dropout(x);
    y.sum().backward();
    if (p == 1) CHECK(difference(y, c.output(y_name)) == "");
    if (p == 0) CHECK(difference(y, x) == "");
    CHECK(difference(x.grad(), c.grad(dx_name)) == "");
  }
  CHECK_THROWS_WITH_AS(Dropout(-0.1), "Dropout: p is a probability from 0 to 1, got -0.1", Error);
  CHECK_THROWS_WITH_AS(Dropout(1.1), "Dropout: p is a probability from 0 to 1, got 1.1", Error);
  CHECK_THROWS_WITH_AS(Dropout(std::nan("")), "Dropout: p is a probability from 0 to 1, got nan",
                       Error);
}

TEST_CASE("DROP-04: The backward mask is the forward mask, not 'output != 0'") {
  const testing::Case c = testing::this_case();
  manual_seed(2);
  Dropout dropout(0.4);
  Tensor x = zeros({1000}, Float64).requires_grad_();
  const Tensor y = dropout(x);
  y.sum().backward();
  CHECK(difference(y.abs(), zeros({1000}, Float64)) == "");
  const Index kept = count(x.grad(), 1 / 0.6);
  CHECK(kept + count(x.grad(), 0) == 1000);
  CHECK(within(c, "nonzero_grad_count", static_cast<double>(kept)));

  Tensor negative = full({1000}, -1, Float64).requires_grad_();
  const Tensor z = dropout(negative);
  z.sum().backward();
  CHECK(difference(negative.grad(), z.detach() * -1) == "");

  Tensor rectified = testing::noise({1000}).requires_grad_();
  const Tensor w = dropout(relu(rectified));
  w.sum().backward();
  CHECK(difference(rectified.grad() * relu(rectified).detach(), w.detach(), {.rtol = 1e-15}) == "");
}

TEST_CASE("dropout's gradient is right where it is repeated with the same numbers") {
  Dropout dropout(0.3);
  const auto f = [&](const std::vector<Tensor>& x) {
    manual_seed(4);
    return dropout(x[0]);
  };
  CHECK(testing::strict_gradcheck(f, {testing::noise({3, 5}).requires_grad_()}));
}
