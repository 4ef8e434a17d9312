// Whole training runs, held against PyTorch's.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/adam.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/encoder_block.h>

#include <cmath>

#include "../support/threads.h"
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

TEST_CASE("two threads that train two models get what each would get alone") {
  struct Training {
    explicit Training(std::uint32_t seed) : x(testing::noise({2, 5, 8}, seed)) {
      manual_seed(seed);
      model.emplace(8, 2, 12, 0.0);
      model->to(Float64);
    }
    void run() {
      optim::Adam optimizer(model->parameters(), {.lr = 1e-2});
      for (int step = 0; step < 30; ++step) {
        optimizer.zero_grad();
        mse_loss((*model)(x, nn::causal_mask(5)), x * 0.5).backward();
        optimizer.step();
      }
    }
    Tensor x;
    std::optional<nn::EncoderBlock> model;
  };
  Training alone_a(1), alone_b(2), a(1), b(2);
  alone_a.run();
  alone_b.run();
  std::thread beside = testing::counted_thread([&] { a.run(); });
  b.run();
  beside.join();
  const auto check = [](Training& got, Training& want) {
    const auto parameters = want.model->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i)
      CHECK(testing::difference(got.model->parameters()[i], parameters[i]) == "");
  };
  check(a, alone_a);
  check(b, alone_b);
  CHECK_FALSE(equal(alone_a.model->ff.linear1.weight, alone_b.model->ff.linear1.weight));
}
