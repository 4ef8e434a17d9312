#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/muon.h>

#include "goldens.h"
#include "gradients.h"

using namespace tapehead;
using namespace tapehead::optim;
using testing::difference;
using testing::Json;
using testing::noise;
using testing::set_grad;

TEST_CASE("Muon takes the steps of its authors' formulas") {
  const Json goldens = testing::goldens("muon");
  CHECK(goldens.at("runs").size() == 3);
  for (const Json& run : goldens.at("runs")) {
    const Json& options = run.at("options");
    const Tensor grads = testing::to_tensor(run.at("grads"));
    Tensor p = testing::to_tensor(run.at("start")).t().clone().t().requires_grad_();
    Muon muon({p}, {.lr = options.at("lr"),
                    .weight_decay = options.at("weight_decay"),
                    .momentum = options.at("momentum"),
                    .nesterov = options.at("nesterov")});
    std::vector<Tensor> after;
    for (Index i = 0; i < grads.size(0); ++i) {
      set_grad(p, grads.select(0, i));
      muon.step();
      after.push_back(p.detach().clone());
    }
    CHECK(difference(stack(after), testing::to_tensor(run.at("after")), {.atol = 1e-12}) == "");
  }
}

TEST_CASE("five steps of Newton and Schulz bring singular values near 1 and keep the vectors") {
  // A diagonal matrix shows its singular values; between two rotations they are those of any.
  const std::vector<double> given{1, 0.5, 0.1, 0.01, 0.003};
  Tensor g = zeros({5, 7}, Float64);
  for (Index i = 0; i < 5; ++i)
    g.select(0, i).select(0, i).fill_(given[static_cast<std::size_t>(i)]);
  const Tensor x = Tensor(newton_schulz(g.array()));
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 7; ++j) {
      const double entry = x.select(0, i).select(0, j).item();
      if (i == j) {
        CHECK(entry > 0.68);
        CHECK(entry < 1.21);
      } else {
        CHECK(entry == 0);
      }
    }
  const double c = 0.6, s = 0.8;
  const Tensor turn = tensor({{c, -s}, {s, c}}, Float64),
               other = tensor({{s, c}, {-c, s}}, Float64);
  const Tensor two = noise({2, 2}, 3);
  CHECK(difference(Tensor(newton_schulz(matmul(matmul(turn, two), other).array())),
                   matmul(matmul(turn, Tensor(newton_schulz(two.array()))), other),
                   {.atol = 1e-12}) == "");
  // A tall one is the wide one turned.
  const Tensor wide = noise({3, 5}, 4);
  CHECK(difference(Tensor(newton_schulz(wide.t().array())),
                   Tensor(newton_schulz(wide.array())).t()) == "");
  CHECK(difference(Tensor(newton_schulz(zeros({2, 3}).array())), zeros({2, 3})) == "");
}

TEST_CASE("Muon is for matrices alone") {
  Tensor p = ones({2, 2}).requires_grad_(), bias = ones({3}).requires_grad_();
  CHECK_THROWS_WITH_AS(Muon({p, bias}),
                       "Muon: parameters must be matrices, got shape (3); split_matrices() tells "
                       "them apart, and AdamW is for the rest",
                       Error);
  CHECK_THROWS_WITH_AS(Muon({p}, {.momentum = 1}),
                       "Muon: momentum must be at least 0 and below 1, got 1", Error);
}

TEST_CASE("Muon leaves a matrix without a gradient alone") {
  Tensor p = ones({2, 3}).requires_grad_(), q = ones({2, 3}).requires_grad_();
  Muon muon({p, q}, {.weight_decay = 0.5});
  set_grad(p, noise({2, 3}, 1, Float32));
  muon.step();
  CHECK(difference(q, ones({2, 3})) == "");
  CHECK_FALSE(equal(p, q));
}
