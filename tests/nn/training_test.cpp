// Whole training runs, held against PyTorch's.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/adam.h>
#include <tapehead/nn/attention.h>

#include <cmath>

#include "goldens.h"

using namespace tapehead;

TEST_CASE("20 Adam steps of multi-head attention have PyTorch's losses, dropout included") {
  const testing::Json golden = testing::goldens("training");
  manual_seed(0);
  nn::MultiHeadAttention model(16, 4, 0.1);
  model.to(Float64);
  const Tensor x = rand({3, 7, 16}, Float64), target = rand({3, 7, 16}, Float64);
  CHECK(testing::difference(x, testing::to_tensor(golden.at("x"))) == "");
  CHECK(testing::difference(target, testing::to_tensor(golden.at("target"))) == "");
  optim::Adam optimizer(model.parameters(), {.lr = 1e-2});
  const Tensor mask = nn::causal_mask(7);
  manual_seed(1);
  CHECK(golden.at("losses").size() == 20);
  for (const double want : golden.at("losses")) {
    optimizer.zero_grad();
    const Tensor loss = mse_loss(model(x, x, x, mask), target);
    loss.backward();
    optimizer.step();
    CHECK(std::abs(loss.item() - want) < 1e-10);
  }
}
