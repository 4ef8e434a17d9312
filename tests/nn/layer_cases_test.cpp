// Reference cases of layers.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/activations.h>
#include <tapehead/nn/embedding.h>
#include <tapehead/nn/layer_norm.h>

#include <cmath>

#include "../support/cases.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::Case;
using testing::difference;

TEST_CASE("LAYR-01: LayerNorm: biased variance, eps inside the square root") {
  const Case c = testing::this_case();
  for (const DType dtype : {Float64, Float32}) {
    LayerNorm norm(4);
    norm.to(dtype).load_state_dict(
        {{"weight", c.input("gamma", dtype)}, {"bias", c.input("beta", dtype)}});
    const Tensor x = c.input("x", dtype).requires_grad_();
    const Tensor y = norm(x);
    (y * c.input("R", dtype)).sum().backward();
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    CHECK(c.difference(x.grad(), c.grad("x", dtype)) == "");
    CHECK(c.difference(norm.weight.grad(), c.grad("gamma", dtype)) == "");
    CHECK(c.difference(norm.bias.grad(), c.grad("beta", dtype)) == "");
    for (const char* const wrong : {"unbiased_std_plus_eps_out", "biased_std_plus_eps_out"})
      CHECK(testing::difference(y, c.known_wrong(wrong, dtype), {.atol = 1e-6}) != "");
  }
}

TEST_CASE("LAYR-02: LayerNorm of constant and all-zero rows: output beta, finite gradient") {
  const Case c = testing::this_case();
  for (const DType dtype : {Float64, Float32}) {
    LayerNorm norm(3);
    norm.to(dtype);
    const Tensor x = c.input("x", dtype).requires_grad_(), R = c.input("R", dtype);
    const Tensor y = norm(x);
    (y * R).sum().backward();
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    CHECK(c.difference(x.grad(), c.grad("x", dtype)) == "");
    CHECK(equal(y.narrow(0, 0, 2), zeros({2, 3}, dtype)));
    const Tensor want = (R - R.mean({-1}, true)) / std::sqrt(1e-5);
    CHECK(c.difference(x.grad().narrow(0, 0, 2), want.narrow(0, 0, 2)) == "");
  }
}

TEST_CASE(
    "LAYR-03: GELU: exact (erf) and tanh forms differ by up to 4.7e-4; name which one is used") {
  const Case c = testing::this_case();
  for (const bool exact : {true, false}) {
    GELU gelu(exact ? "none" : "tanh");
    for (const DType dtype : {Float64, Float32}) {
      const Tensor x = c.input("x", dtype).requires_grad_();
      const Tensor y = gelu(x);
      y.sum().backward();
      CHECK(c.difference(y, c.output(exact ? "erf" : "tanh", dtype)) == "");
      CHECK(c.difference(x.grad(), c.grad(exact ? "erf_dx" : "tanh_dx", dtype)) == "");
      CHECK(c.difference(y, c.output(exact ? "tanh" : "erf", dtype)) != "");
      const Tensor far = tensor({-1e4, -50.0, 50.0, 1e4}, dtype).requires_grad_();
      gelu(far).sum().backward();
      CHECK(difference(far.grad(), tensor({0, 0, 1, 1}, dtype), {.atol = 1e-30}) == "");
    }
  }
  CHECK(GELU().approximate == "none");
  CHECK(GELU("tanh").extra_repr() == "approximate='tanh'");
}

TEST_CASE("LAYR-04: Embedding: repeated tokens accumulate their gradients") {
  const Case c = testing::this_case();
  for (const DType dtype : {Float64, Float32}) {
    Embedding embedding(5, 2);
    embedding.to(dtype).load_state_dict({{"weight", c.input("W", dtype)}});
    const Tensor y = embedding(c.input("idx"));
    (y * c.input("R", dtype)).sum().backward();
    const Tensor dW = embedding.weight.grad();
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    CHECK(c.difference(dW, c.grad("W", dtype)) == "");
    CHECK(c.difference(dW, c.known_wrong("last_write_wins_dW", dtype)) != "");
    for (const Index row : {2, 4}) CHECK(equal(dW.select(0, row), zeros({2}, dtype)));
  }
}

// maximum and clamp at a tie are PyTorch's choices.
TEST_CASE("LAYR-07: Conventions at 0: relu, abs, maximum, clamp, leaky relu") {
  const Case c = testing::this_case();
  const auto derivative = [&](const auto& f) {
    const Tensor x = c.input("x").requires_grad_();
    f(x).sum().backward();
    return x.grad();
  };
  ReLU relu;
  const Tensor zero = zeros({3}, Float64);
  CHECK(difference(derivative([&](const Tensor& x) { return relu(x); }), c.output("relu")) == "");
  CHECK(difference(derivative([](const Tensor& x) { return x.abs(); }), c.output("abs")) == "");
  CHECK(difference(derivative([&](const Tensor& x) { return maximum(x, zero); }),
                   c.output("maximum_pytorch")) == "");
  CHECK(difference(derivative([](const Tensor& x) { return x.clamp(0); }),
                   c.output("clamp_min_pytorch")) == "");
  CHECK(std::isnan(relu(tensor({NAN})).select(0, 0).item()));
  CHECK(relu(tensor({-0.0})).select(0, 0).item() == 0);
}
