// What an optimiser goes on from: saved, loaded, refused.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/adam.h>
#include <tapehead/nn/muon.h>
#include <tapehead/nn/sgd.h>

#include <functional>
#include <memory>

#include "../support/compare.h"
#include "gradients.h"

using namespace tapehead;
using namespace tapehead::optim;
using testing::difference;
using testing::noise;
using testing::set_grad;

namespace {

using Make = std::function<std::unique_ptr<Optimizer>(const std::vector<Tensor>&)>;

const std::vector<Make> each_kind{
    [](const auto& p) { return std::make_unique<SGD>(p, SGDOptions{.lr = 0.1}); },
    [](const auto& p) {
      return std::make_unique<SGD>(p, SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.5});
    },
    [](const auto& p) { return std::make_unique<Adam>(p); },
    [](const auto& p) { return std::make_unique<AdamW>(p); },
    [](const auto& p) { return std::make_unique<Muon>(p); },
};

std::vector<Tensor> leaves() {
  return {noise({2, 3}, 1).requires_grad_(), noise({4, 2}, 2, Float32).requires_grad_(),
          noise({1, 2}, 3).requires_grad_()};
}

void step(Optimizer& optimizer, const std::vector<Tensor>& parameters, std::uint32_t seed) {
  for (std::size_t i = 0; i < 2; ++i) {  // the last never has a gradient
    Tensor p = parameters[i];
    set_grad(p, noise(p.shape(), seed + static_cast<std::uint32_t>(i), p.dtype()));
  }
  optimizer.step();
}

NamedTensors copied(const NamedTensors& state) {
  NamedTensors result;
  for (const auto& [name, tensor] : state) result.emplace_back(name, tensor.clone());
  return result;
}

std::vector<std::string> names(const NamedTensors& state) {
  std::vector<std::string> result;
  for (const auto& [name, tensor] : state) result.push_back(name);
  return result;
}

}  // namespace

TEST_CASE("an optimiser that loads a state goes on bit for bit, its rate included") {
  for (const Make& make : each_kind) {
    const std::vector<Tensor> p = leaves();
    const auto optimizer = make(p);
    step(*optimizer, p, 10);
    optimizer->set_lr(0.03);
    step(*optimizer, p, 20);

    std::vector<Tensor> q;
    for (const Tensor& x : p) q.push_back(x.detach().clone().requires_grad_());
    const auto resumed = make(q);
    resumed->load_state_dict(copied(optimizer->state_dict()));
    for (std::uint32_t seed = 30; seed < 60; seed += 10) {
      step(*optimizer, p, seed);
      step(*resumed, q, seed);
    }
    CHECK(resumed->lr() == 0.03);
    for (std::size_t i = 0; i < p.size(); ++i) CHECK(difference(q[i], p[i]) == "");
    const NamedTensors got = resumed->state_dict(), want = optimizer->state_dict();
    CHECK(names(got) == names(want));
    for (std::size_t i = 0; i < got.size(); ++i)
      CHECK(difference(got[i].second, want[i].second) == "");
  }
}

TEST_CASE("a state has PyTorch's names, and nothing of parameters that were never stepped") {
  const std::vector<Tensor> p = leaves();
  Adam adam(p);
  CHECK(names(adam.state_dict()) == std::vector<std::string>{"lr"});
  step(adam, p, 1);
  CHECK(names(adam.state_dict()) ==
        std::vector<std::string>{"lr", "state.0.step", "state.0.exp_avg", "state.0.exp_avg_sq",
                                 "state.1.step", "state.1.exp_avg", "state.1.exp_avg_sq"});
  SGD sgd(p, {.lr = 1, .momentum = 0.5});
  step(sgd, p, 1);
  CHECK(names(sgd.state_dict()) ==
        std::vector<std::string>{"lr", "state.0.step", "state.0.momentum_buffer", "state.1.step",
                                 "state.1.momentum_buffer"});
}

TEST_CASE("loading copies: the state that was given stays as it is") {
  const std::vector<Tensor> p = leaves();
  Adam one(p), other(p);
  step(one, p, 1);
  const NamedTensors state = one.state_dict(), before = copied(state);
  other.load_state_dict(state);
  step(other, p, 2);
  for (std::size_t i = 0; i < state.size(); ++i)
    CHECK(difference(state[i].second, before[i].second) == "");
}

TEST_CASE("a state that does not fit is refused with all that is wrong, and nothing is loaded") {
  const std::vector<Tensor> p = leaves();
  Adam adam(p);
  step(adam, p, 1);
  const NamedTensors state = copied(adam.state_dict());
  adam.set_lr(0.5);
  const auto refused = [&](const NamedTensors& changed, const char* message) {
    CHECK_THROWS_WITH_AS(adam.load_state_dict(changed), message, Error);
    CHECK(adam.lr() == 0.5);
    const NamedTensors now = adam.state_dict();
    for (std::size_t i = 1; i < now.size(); ++i)
      CHECK(difference(now[i].second, state[i].second) == "");
  };
  NamedTensors changed{state.begin() + 1, state.begin() + 3};
  changed.emplace_back("state.1.step", tensor(1.5, Float64));
  changed.emplace_back("state.1.exp_avg", zeros({2, 4}));
  changed.emplace_back("state.1.exp_avg_sq", zeros({4, 2}, Float64));
  changed.emplace_back("state.3.step", tensor(1));
  changed.emplace_back("extra", Tensor());
  refused(changed,
          "Adam: the state must be that of an optimizer of these parameters; missing: lr; missing: "
          "state.0.exp_avg_sq; unfit: state.1.step () Float64 for () Int64; unfit: state.1.exp_avg "
          "(2, 4) Float32 for (4, 2) Float32; unfit: state.1.exp_avg_sq (4, 2) Float64 for (4, 2) "
          "Float32; unexpected: extra; unexpected: state.3.step; nothing was loaded");
  changed = state;
  changed.push_back(state[2]);
  refused(changed,
          "Adam: the state must be that of an optimizer of these parameters; \"state.0.exp_avg\" "
          "is there twice; nothing was loaded");
  changed = state;
  changed[2].second = Tensor();
  refused(changed,
          "Adam: the state must be that of an optimizer of these parameters; missing: "
          "state.0.exp_avg; nothing was loaded");
  changed = state;
  changed[1].second = tensor(0);
  refused(changed, "Adam: state.0.step must be at least 1, got 0; nothing was loaded");
  changed = state;
  changed[0].second = tensor(-1.0, Float64);
  refused(changed, "Adam: lr must be at least 0 and finite, got -1");
}

TEST_CASE("of many entries that do not fit a state, the first are said and the rest are counted") {
  SGD sgd(std::vector<Tensor>{zeros({2}).requires_grad_()}, {.lr = 0.1});
  NamedTensors state = sgd.state_dict();
  for (int i = 10; i < 22; ++i) state.emplace_back(core::to_text("x", i), zeros({1}));
  CHECK_THROWS_WITH_AS(sgd.load_state_dict(state),
                       "SGD: the state must be that of an optimizer of these parameters; "
                       "unexpected: x10; unexpected: x11; unexpected: x12; unexpected: x13; "
                       "unexpected: x14; unexpected: x15; unexpected: x16; unexpected: x17; and 4 "
                       "more; nothing was loaded",
                       Error);
}
