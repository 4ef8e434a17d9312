#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/adam.h>
#include <tapehead/nn/encoder_block.h>
#include <tapehead/nn/sgd.h>

#include <memory>

#include "goldens.h"
#include "gradients.h"

using namespace tapehead;
using namespace tapehead::optim;
using testing::difference;
using testing::Json;
using testing::set_grad;

TEST_CASE("groups have rates and decays of their own, bit for bit as PyTorch's") {
  const Json goldens = testing::goldens("groups");
  for (const std::string name : {"SGD", "AdamW"}) {
    CAPTURE(name);
    std::vector<Tensor> parameters, grads;
    for (std::size_t i = 0; i < 2; ++i) {
      parameters.push_back(testing::to_tensor(goldens.at("starts")[i]).requires_grad_());
      grads.push_back(testing::to_tensor(goldens.at("grads")[i]));
    }
    const std::vector<ParamGroup> groups{
        {.params = {parameters[0]}}, {.params = {parameters[1]}, .lr = 0.02, .weight_decay = 0}};
    std::unique_ptr<Optimizer> optimizer;
    if (name == "SGD")
      optimizer = std::make_unique<SGD>(
          groups, SGDOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.03});
    else
      optimizer = std::make_unique<AdamW>(groups, AdamWOptions{.lr = 0.1, .weight_decay = 0.03});
    std::vector<std::vector<Tensor>> after(2);
    for (Index step = 0; step < 4; ++step) {
      if (step == 2) optimizer->set_lr(0.1 * 0.25);
      for (std::size_t i = 0; i < 2; ++i) set_grad(parameters[i], grads[i].select(0, step));
      optimizer->step();
      for (std::size_t i = 0; i < 2; ++i) after[i].push_back(parameters[i].detach().clone());
    }
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(difference(stack(after[i]), testing::to_tensor(goldens.at("runs").at(name)[i])) == "");
  }
}

TEST_CASE("matrices are told from biases and the parameters of norms") {
  nn::EncoderBlock block(8, 2, 12, 0.0);
  const auto [matrices, others] = split_matrices(block.parameters());
  CHECK(matrices.size() == 6);
  CHECK(others.size() == 10);
  for (const Tensor& matrix : matrices) CHECK(matrix.dim() == 2);
  for (const Tensor& other : others) CHECK(other.dim() == 1);
  const AdamW optimizer(
      {{.params = matrices, .weight_decay = 0.1}, {.params = others, .weight_decay = 0}});
  CHECK(optimizer.parameters().size() == 16);
}

TEST_CASE("a parameter twice in one group is stepped once; in two groups it is refused") {
  Tensor p = ones({2, 3}).requires_grad_();
  SGD sgd({{.params = {p, p}}, {.params = {}}}, {.lr = 1});
  set_grad(p, ones({2, 3}));
  sgd.step();
  CHECK(difference(p, zeros({2, 3})) == "");
  CHECK_THROWS_WITH_AS(SGD({{.params = {p}}, {.params = {p}}}, {.lr = 1}),
                       "SGD: a parameter of shape (2, 3) is in two groups; leave it in one of them",
                       Error);
}

TEST_CASE("a group's own settings are checked as the optimiser's are") {
  const std::vector<Tensor> p{ones({2}).requires_grad_()};
  CHECK_THROWS_WITH_AS(Adam({{.params = p, .lr = -1}}),
                       "Adam: lr must be at least 0 and finite, got -1", Error);
  CHECK_THROWS_WITH_AS(AdamW({{.params = p, .weight_decay = -1}}),
                       "AdamW: weight_decay must be at least 0 and finite, got -1", Error);
  CHECK_THROWS_WITH_AS(SGD({{.params = p, .lr = 0.5}}, {.lr = 0}),
                       "SGD: lr must be above 0 where a group has its own, got 0; it is what the "
                       "group's 0.5 is relative to",
                       Error);
}

TEST_CASE("an undefined parameter is neither a matrix nor anything else") {
  CHECK_THROWS_WITH_AS(split_matrices({zeros({2, 3}), Tensor()}),
                       "split_matrices: parameter 1 is undefined (made by Tensor()); pass leaves, "
                       "such as model.parameters()",
                       Error);
}
