#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/autograd/tape.h>

#include <stdexcept>
#include <thread>

#include "../support/compare.h"
#include "../support/sanitizers.h"

using namespace tapehead;
using testing::values;

namespace {

constexpr Index chain_length = testing::sanitized ? 100'000 : 1'000'000;

Tensor scalar(double value) { return full({1}, value, Float64).requires_grad_(); }

// y <- y + y / n, n times: two ops a round, e times as large at the end.
Tensor chain(const Tensor& x) {
  const Index rounds = chain_length / 2;
  const double c = 1 / static_cast<double>(rounds);
  Tensor y = x;
  for (Index i = 0; i < rounds; ++i) y = y + y * c;
  return y;
}

}  // namespace

TEST_CASE("inside a NoGradGuard nothing is recorded, inside an EnableGradGuard it is again") {
  const Tensor x = scalar(1);
  CHECK(taping());
  {
    const NoGradGuard no_grad;
    CHECK_FALSE(taping());
    CHECK_FALSE((x * 2).requires_grad());
    CHECK(x.requires_grad());
    {
      const EnableGradGuard grad;
      CHECK((x * 2).requires_grad());
    }
    CHECK_FALSE(taping());
  }
  CHECK(taping());
}

TEST_CASE("a guard ends with its scope, also where something is thrown") {
  CHECK_THROWS_WITH_AS(
      [] {
        const NoGradGuard no_grad;
        throw std::runtime_error("out");
      }(),
      "out", std::runtime_error);
  CHECK(taping());
}

TEST_CASE("recording is switched for one thread alone") {
  const NoGradGuard no_grad;
  bool recording = false;
  std::thread([&] { recording = taping(); }).join();
  CHECK(recording);
}

TEST_CASE("module_path joins the modules being called and leaves out unnamed ones") {
  CHECK(module_path() == "");
  const std::string decoder = "decoder", none, zero = "0";
  const ModuleCall a(decoder), b(none), c(zero);
  CHECK(module_path() == "decoder.0");
  {
    const std::string attn = "attn";
    const ModuleCall d(attn);
    CHECK(module_path() == "decoder.0.attn");
  }
  CHECK(module_path() == "decoder.0");
}

TEST_CASE("live_tensors and live_nodes count what is there") {
  const auto tensors = live_tensors(), nodes = live_nodes();
  {
    const Tensor x = scalar(1);
    CHECK(live_tensors() == tensors + 1);
    CHECK(live_nodes() == nodes + 1);
    const Tensor copy = x, y = x * 2;
    CHECK(live_tensors() == tensors + 2);
    CHECK(live_nodes() == nodes + 2);
    const Tensor z = y.detach();
    CHECK(live_nodes() == nodes + 2);
  }
  CHECK(live_tensors() == tensors);
  CHECK(live_nodes() == nodes);
}

TEST_CASE("an intermediate value that no rule needs is freed while the graph lives") {
  const Tensor x = full({1000}, 1, Float64).requires_grad_();
  const auto tensors = live_tensors();
  const Tensor y = x + 1 + 2 + 3;
  CHECK(live_tensors() == tensors + 1);
}

TEST_CASE("a chain of a million ops runs forward, backward and away") {
  const Tensor x = scalar(2);
  const auto visited = nodes_visited();
  {
    const Tensor y = chain(x);
    y.backward();
    CHECK(nodes_visited() - visited == static_cast<std::uint64_t>(chain_length));
    CHECK(y.item() == doctest::Approx(2 * std::exp(1.0)).epsilon(1e-5));
    CHECK(x.grad().item() == doctest::Approx(std::exp(1.0)).epsilon(1e-5));
  }
}

TEST_CASE("a chain of a million ops can be dropped without backward") {
  const Tensor x = scalar(2);
  const auto nodes = live_nodes();
  {
    const Tensor y = chain(x);
    CHECK(live_nodes() == nodes + chain_length);
  }
  CHECK(live_nodes() == nodes);
}

TEST_CASE("a chain of a million ops goes away when backward throws at its far end") {
  Tensor x = scalar(2), w = scalar(3);
  const auto nodes = live_nodes();
  {
    const Tensor y = chain(x * w);
    {
      const NoGradGuard no_grad;
      w.fill_(0);
    }
    CHECK_THROWS_WITH_AS(y.backward(),
                         "mul: it saved a tensor of shape (1) (leaf) at version 0, now 1 because "
                         "fill_ changed it in "
                         "place; clone() it first, or change it after backward()",
                         GraphError);
    CHECK_FALSE(x.grad().defined());
  }
  CHECK(live_nodes() == nodes);
}

TEST_CASE("a chain of a million ops whose every value is saved goes away too") {
  const Tensor x = scalar(1);
  const auto nodes = live_nodes();
  {
    Tensor y = x;
    const Tensor one = full({1}, 1, Float64).requires_grad_();
    for (Index i = 0; i < chain_length; ++i) y = y * one;
    y.backward();
    CHECK(one.grad().item() == static_cast<double>(chain_length));
  }
  CHECK(live_nodes() == nodes);
}

TEST_CASE("10,000 stacked diamonds are visited once a node") {
  const Tensor x = scalar(1.25);
  Tensor y = x;
  for (int i = 0; i < 10'000; ++i) y = y * 0.5 + y * 0.5;
  const auto before = nodes_visited();
  y.backward();
  CHECK(nodes_visited() - before == 30'000);
  CHECK(x.grad().item() == 1);
}

TEST_CASE("nodes_visited grows in proportion to the depth of what is stacked") {
  const auto visited = [](int depth) {
    const Tensor x = scalar(1);
    Tensor y = x;
    for (int i = 0; i < depth; ++i) y = tanh(y) + sin(y) * y;
    const auto before = nodes_visited();
    y.backward();
    return nodes_visited() - before;
  };
  CHECK(visited(50) == 200);
  CHECK(visited(5000) == 20'000);
}

TEST_CASE("a steady training step reserves no more memory") {
  Tensor w = testing::noise({16, 16}).requires_grad_(), b = zeros({16}, Float64).requires_grad_();
  const Tensor x = testing::noise({8, 16}, 2), target = testing::noise({8, 16}, 3);
  const auto step = [&] {
    const Tensor hidden = layer_norm(gelu(linear(x, w, b)), {16});
    mse_loss(softmax(matmul(hidden, w), -1), target).backward();
    const NoGradGuard no_grad;
    for (Tensor* parameter : {&w, &b}) {
      parameter->sub_(parameter->grad() * 0.01);
      parameter->zero_grad();
    }
  };
  for (int i = 0; i < 3; ++i) step();
  const auto reserved = core::reserved_bytes();
  const auto blocks = core::live_blocks();
  for (int i = 0; i < 100; ++i) step();
  CHECK(core::live_blocks() == blocks);
  if (TAPEHEAD_POOLED) CHECK(core::reserved_bytes() == reserved);
}
