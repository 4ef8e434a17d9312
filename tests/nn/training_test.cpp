// Whole training runs, held against PyTorch's.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/adam.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/clip_grad.h>
#include <tapehead/nn/embedding.h>
#include <tapehead/nn/encoder_block.h>
#include <tapehead/nn/linear.h>

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

namespace {

// TRAIN-06's model, with its names.
struct TinyDecoder : nn::Layer<TinyDecoder> {
  TinyDecoder()
      : tok(4, 4),
        pos(4, 4),
        ln1(4),
        ln2(4),
        lnf(4),
        attn(4, 2, 0.0),
        ff1(4, 8),
        ff2(8, 4),
        head(4, 4) {
    add("tok", tok), add("pos", pos), add("ln1", ln1), add("attn", attn), add("ln2", ln2);
    add("ff1", ff1), add("ff2", ff2), add("lnf", lnf), add("head", head);
  }
  Tensor forward(const Tensor& idx) {
    Tensor x = tok(idx) + pos(arange(4));  // (B, T, C)
    const Tensor y = ln1(x);
    x = x + attn(y, y, y, nn::causal_mask(4));
    x = x + ff2(relu(ff1(ln2(x))));
    return head(lnf(x));
  }
  nn::Embedding tok, pos;
  nn::LayerNorm ln1, ln2, lnf;
  nn::MultiHeadAttention attn;
  nn::Linear ff1, ff2, head;
};

}  // namespace

TEST_CASE("TRAIN-06: End-to-end: a 232-parameter pre-norm char transformer, 5 AdamW steps") {
  const testing::Case c = testing::this_case();
  const auto& expect = c.json.at("expect");
  for (const DType dtype : {Float64, Float32}) {
    TinyDecoder model;
    model.to(dtype);
    nn::StateDict start;
    for (const auto& [name, tensor] : model.state_dict())
      start.emplace_back(name, c.input(("param." + name).c_str(), dtype));
    model.load_state_dict(start);
    optim::AdamW optimizer(model.parameters(), {.lr = 0.01, .weight_decay = 0.01});
    const auto near = [&](double got, double want) {
      return std::abs(got - want) <= c.tolerance(dtype).allowed(want);
    };
    const auto logits = [&] { return model(c.input("idx")); };
    const auto loss_of = [&](const Tensor& y) {
      return cross_entropy(y.flatten(0, 1), c.input("target").flatten());
    };
    CHECK(c.difference(logits(), c.output("logits_step0", dtype)) == "");
    for (std::size_t step = 0; step < 5; ++step) {
      optimizer.zero_grad();
      const Tensor loss = loss_of(logits());
      CHECK(near(loss.item(), expect.at("outputs").at("losses")[step].get<double>()));
      loss.backward();
      if (step == 0)
        for (const auto& [name, parameter] : model.named_parameters())
          if (expect.at("grads").contains("step0." + name))
            CHECK(c.difference(parameter.grad(), c.grad(("step0." + name).c_str(), dtype)) == "");
      CHECK(near(optim::clip_grad_norm_(model.parameters(), INFINITY),
                 expect.at("outputs").at("grad_norms")[step].get<double>()));
      optimizer.step();
    }
    CHECK(near(loss_of(logits()).item(), expect.at("outputs").at("losses")[5].get<double>()));
    for (const auto& [name, parameter] : model.named_parameters()) {
      CHECK(near(parameter.sum().item(),
                 expect.at("after_training").at("param_sum").at(name).get<double>()));
      CHECK(near(norm(parameter).item(),
                 expect.at("after_training").at("param_l2").at(name).get<double>()));
    }
  }
}

TEST_CASE("gradients of parts of a batch add up to that of the whole") {
  manual_seed(0);
  nn::Linear model(3, 2);
  model.to(Float64);
  const Tensor x = testing::noise({6, 3}), target = testing::noise({6, 2}, 2);
  mse_loss(model(x), target).backward();
  const Tensor want = model.weight.grad();
  model.zero_grad();
  for (Index i = 0; i < 6; i += 2)
    (mse_loss(model(x.narrow(0, i, 2)), target.narrow(0, i, 2)) / 3).backward();
  CHECK(testing::difference(model.weight.grad(), want, {.rtol = 1e-12}) == "");
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
