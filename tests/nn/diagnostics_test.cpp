#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/diagnostics.h>
#include <tapehead/nn/linear.h>
#include <tapehead/nn/sgd.h>

#include <cmath>

using namespace tapehead;
using optim::GradientWatch;
using optim::UpdateRatios;
using Names = std::vector<std::string>;

namespace {

struct Forgetful : nn::Layer<Forgetful> {
  Forgetful() : used(2, 3), forgotten(2, 2), dead(3, 1), frozen(2, 2) {
    add("used", used), add("forgotten", forgotten), add("dead", dead), add("frozen", frozen);
    frozen.requires_grad_(false);
    to(Float64);
  }
  Tensor forward(const Tensor& x) { return used(x).sum() + (dead(used(x)) * revive).sum(); }
  nn::Linear used, forgotten, dead, frozen;
  double revive = 0;
};

}  // namespace

TEST_CASE("parameters that never get a gradient are named, frozen ones are not") {
  Forgetful model;
  GradientWatch watch(model);
  CHECK(watch.never().empty());  // nobody has looked yet
  const Tensor x = ones({4, 2}, Float64);
  model(x).backward();
  watch.look();
  CHECK(watch.never() == Names{"forgotten.weight", "forgotten.bias", "dead.weight", "dead.bias"});
  model.revive = 1;
  model(x).backward();
  watch.look();
  model.zero_grad();
  watch.look();  // once is enough
  CHECK(watch.never() == Names{"forgotten.weight", "forgotten.bias"});
}

TEST_CASE("update ratios tell how far each parameter has moved, as a part of its size") {
  Forgetful model;
  {
    const NoGradGuard no_grad;
    model.used.weight.fill_(2);
    model.used.bias.fill_(0);
  }
  UpdateRatios ratios(model);
  {
    const NoGradGuard no_grad;
    model.used.weight.fill_(2.5);
    model.used.bias.fill_(1);
  }
  auto all = ratios.next();
  CHECK(all.size() == 8);
  CHECK(all[0].name == "used.weight");
  CHECK(all[0].ratio == doctest::Approx(0.25));
  CHECK(std::isinf(all[1].ratio));  // from nothing
  CHECK(all[2].ratio == 0);
  all = ratios.next();
  CHECK(all[0].ratio == 0);
  model.to(Float32);
  CHECK_THROWS_WITH_AS(ratios.next(),
                       "UpdateRatios: used.weight was (3, 2) Float64 and is now (3, 2) Float32; "
                       "make a new UpdateRatios after converting a model",
                       Error);
}
