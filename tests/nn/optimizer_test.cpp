#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/adam.h>
#include <tapehead/nn/sgd.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "goldens.h"
#include "gradients.h"

using namespace tapehead;
using namespace tapehead::optim;
using testing::Case;
using testing::difference;
using testing::Json;
using testing::set_grad;

namespace {

using Make = std::function<std::unique_ptr<Optimizer>(const std::vector<Tensor>&)>;
template <class O, class Options>
Make make(const Options& options) {
  return [options](const std::vector<Tensor>& p) { return std::make_unique<O>(p, options); };
}

std::string name(const Optimizer& optimizer) {
  return dynamic_cast<const Adam*>(&optimizer) == nullptr ? "SGD" : "Adam";
}

// The parameter after each step with these gradients, one below the other.
Tensor steps(const Make& make_optimizer, const Tensor& start, const Tensor& grads) {
  Tensor p = start.clone().requires_grad_();
  const auto optimizer = make_optimizer({p});
  std::vector<Tensor> after;
  for (Index i = 0; i < grads.size(0); ++i) {
    set_grad(p, grads.select(0, i));
    optimizer->step();
    after.push_back(p.detach().clone());
  }
  return stack(after);
}

// Of the first parameter.
Index steps_taken(const Optimizer& optimizer) {
  for (const auto& [name, tensor] : optimizer.state_dict())
    if (name == "state.0.step") return tensor.item<Index>();
  return 0;
}

}  // namespace

TEST_CASE("optimisers take PyTorch's steps bit for bit, also when lr changes on the way") {
  const Json goldens = testing::goldens("optimizers");
  const std::vector<std::pair<std::string, Make>> optimizers{
      {"SGD", make<SGD>(SGDOptions{.lr = 0.1})},
      {"SGD weight_decay", make<SGD>(SGDOptions{.lr = 0.1, .weight_decay = 0.03})},
      {"SGD momentum",
       make<SGD>(SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.03})},
      {"SGD nesterov",
       make<SGD>(SGDOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.03, .nesterov = true})},
      {"Adam", make<Adam>(AdamOptions{.lr = 0.01})},
      {"Adam L2",
       make<Adam>(AdamOptions{.lr = 2, .betas = {0.8, 0.95}, .eps = 1e-3, .weight_decay = 0.1})},
      {"AdamW", make<AdamW>(AdamWOptions{.lr = 0.01})},
      {"AdamW decay", make<AdamW>(AdamWOptions{
                          .lr = 0.02, .betas = {0.8, 0.95}, .eps = 1e-6, .weight_decay = 0.2})}};
  CHECK(goldens.at("runs").size() == 2 * optimizers.size());
  for (const auto& [name, make_optimizer] : optimizers) {
    for (const DType dtype : {Float32, Float64}) {
      const std::string run = name + (dtype == Float32 ? " f32" : " f64");
      CAPTURE(run);
      const Tensor grads = testing::to_tensor(goldens.at("grads"), dtype);
      Tensor p = testing::to_tensor(goldens.at("start"), dtype).requires_grad_();
      const auto optimizer = make_optimizer({p});
      std::vector<Tensor> after;
      for (Index i = 0; i < grads.size(0); ++i) {
        if (i == 3) optimizer->set_lr(optimizer->lr() / 2);
        set_grad(p, grads.select(0, i));
        optimizer->step();
        after.push_back(p.detach().clone());
      }
      CHECK(difference(stack(after), testing::to_tensor(goldens.at("runs").at(run).at("after"))) ==
            "");
    }
  }
}

TEST_CASE(
    "OPTM-01: Adam with a large eps: eps after the square root of the corrected second moment") {
  const Case c = testing::this_case();
  for (const DType dtype : {Float64, Float32}) {
    const Tensor p = steps(make<Adam>(AdamOptions{.lr = 0.1, .eps = 1e-2}), c.input("p0", dtype),
                           c.input("grads", dtype));
    CHECK(c.difference(p, c.output("p_after_steps", dtype)) == "");
  }
}

TEST_CASE(
    "OPTM-02: Weight decay: L2 inside Adam against decoupled AdamW (PyTorch: p *= 1 - lr*wd)") {
  const Case c = testing::this_case();
  for (const DType dtype : {Float64, Float32}) {
    const Tensor p0 = c.input("p0", dtype), grads = c.input("grads", dtype);
    const Tensor l2 = steps(make<Adam>(AdamOptions{.lr = 0.05, .weight_decay = 0.1}), p0, grads);
    const Tensor w = steps(make<AdamW>(AdamWOptions{.lr = 0.05, .weight_decay = 0.1}), p0, grads);
    CHECK(c.difference(l2, c.output("adam_l2", dtype)) == "");
    CHECK(c.difference(w, c.output("adamw", dtype)) == "");
  }
}

TEST_CASE("OPTM-03: Tied weights: one parameter, one gradient (sum of both uses), one update") {
  const Case c = testing::this_case();
  const auto run = [&](const Make& make_optimizer, const char* want) {
    Tensor E = c.input("E").clone().requires_grad_();
    const auto optimizer = make_optimizer({E, E});
    CHECK(optimizer->parameters().size() == 1);
    const Tensor h = embedding(c.input("idx"), E);
    const Tensor loss = cross_entropy(matmul(h, E.t()), c.input("target"));
    loss.backward();
    CHECK(c.difference(loss, c.output("loss")) == "");
    CHECK(c.difference(E.grad(), c.grad("E")) == "");
    optimizer->step();
    CHECK(c.difference(E, c.output(want)) == "");
    CHECK(steps_taken(*optimizer) == 1);
  };
  run(make<SGD>(SGDOptions{.lr = 0.5}), "E_after_sgd");
  run(make<AdamW>(AdamWOptions{.lr = 0.1, .weight_decay = 0.1}), "E_after_adamw");
}

TEST_CASE(
    "OPTM-04: A parameter without gradient is skipped: no decay, no momentum, no step count") {
  const Case c = testing::this_case();
  const auto run = [&](const Make& make_optimizer) {
    Tensor p = c.input("p0").clone().requires_grad_();
    const auto optimizer = make_optimizer({p});
    std::vector<Tensor> after;
    for (const bool has_gradient : {true, false, false, true}) {
      p.zero_grad();
      if (has_gradient) set_grad(p, c.input("g"));
      optimizer->step();
      after.push_back(p.detach().clone());
    }
    CHECK(difference(after[1], after[0]) == "");
    CHECK(difference(after[2], after[0]) == "");
    CHECK(steps_taken(*optimizer) == 2);
    return stack(after);
  };
  CHECK(c.difference(run(make<AdamW>(AdamWOptions{.lr = 0.1, .weight_decay = 0.5})),
                     c.output("adamw")) == "");
  CHECK(c.difference(run(make<SGD>(SGDOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.5})),
                     c.output("sgd")) == "");
}

TEST_CASE("an optimiser changes its parameters in place, off the tape, whatever their layout") {
  const Tensor start = testing::noise({3, 4}), g = testing::noise({3, 4}, 2);
  for (const Make& make_optimizer :
       {make<Adam>(AdamOptions{.lr = 0.1}), make<SGD>(SGDOptions{.lr = 0.1, .momentum = 0.9})}) {
    const Tensor want = steps(make_optimizer, start, stack({g, g}));
    Tensor turned = start.t().clone().t().requires_grad_();
    CHECK_FALSE(turned.is_contiguous());
    const auto optimizer = make_optimizer({turned});
    for (int i = 0; i < 2; ++i) {
      set_grad(turned, g);
      optimizer->step();
    }
    CHECK(difference(turned, want.select(0, 1)) == "");
    CHECK(turned.is_leaf());
    CHECK(turned.array().version() > 0);
  }
}

TEST_CASE("zero_grad forgets the gradients of all parameters") {
  Tensor p = ones({2}).requires_grad_();
  SGD sgd({p}, {.lr = 1});
  set_grad(p, ones({2}));
  sgd.zero_grad();
  CHECK_FALSE(p.grad().defined());
}

TEST_CASE("an optimiser refuses parameters that it could not change") {
  const Tensor leaf = ones({2}).requires_grad_();
  CHECK_THROWS_WITH_AS(SGD(std::vector<Tensor>{}, {.lr = 1}),
                       "SGD: got no parameters; pass model.parameters()", Error);
  CHECK_THROWS_WITH_AS(
      Adam({leaf, leaf * 2}),
      "Adam: a parameter of shape (2) is the result of an op; pass leaves, such as "
      "model.parameters()",
      Error);
}

TEST_CASE("a parameter given twice is stepped once, two that share memory are refused") {
  for (const Make& make_optimizer :
       {make<Adam>(AdamOptions{.lr = 0.1}), make<SGD>(SGDOptions{.lr = 0.1, .momentum = 0.9})}) {
    Tensor p = ones({2, 2}, Float64).requires_grad_();
    const Tensor handle = p;
    const auto optimizer = make_optimizer({p, handle, p});
    CHECK(optimizer->parameters().size() == 1);
    for (int i = 0; i < 2; ++i) {
      set_grad(p, ones({2, 2}, Float64));
      optimizer->step();
    }
    const Tensor grads = ones({2, 2, 2}, Float64);
    CHECK(difference(p, steps(make_optimizer, ones({2, 2}, Float64), grads).select(0, 1)) == "");

    Tensor first_column = p.detach().narrow(1, 0, 1).requires_grad_(),
           last_column = p.detach().narrow(1, 1, 1).requires_grad_();
    CHECK(make_optimizer({first_column, last_column})->parameters().size() == 2);
    CHECK_THROWS_WITH_AS(make_optimizer({p, last_column}),
                         (name(*optimizer) +
                          ": parameters of shape (2, 2) and (2, 1) share memory, so that each step "
                          "would change it twice; tie them by assignment, b = a, or pass one of "
                          "them")
                             .c_str(),
                         Error);
  }
  Tensor a = ones({2}).requires_grad_(), b = a.detach().requires_grad_();
  CHECK_THROWS_WITH_AS(
      Adam({a, b}),
      "Adam: parameters of shape (2) and (2) share memory, so that each step would "
      "change it twice; tie them by assignment, b = a, or pass one of them",
      Error);
}

TEST_CASE(
    "a parameter that shows one element twice is refused, also later, and nothing is stepped") {
  Tensor repeated = ones({1}).expand({3}).requires_grad_();
  CHECK_THROWS_WITH_AS(SGD({repeated}, {.lr = 1}),
                       "SGD: elements of the target, of shape (3) and strides (0), share memory; "
                       "clone() it first",
                       ShapeError);
  for (const Make& make_optimizer :
       {make<Adam>(AdamOptions{.lr = 0.1}), make<SGD>(SGDOptions{.lr = 0.1}),
        make<SGD>(SGDOptions{.lr = 0.1, .momentum = 0.9})}) {
    Tensor p = ones({3}).requires_grad_(), q = ones({3}).requires_grad_();
    const auto optimizer = make_optimizer({p, q});
    q.set_data(NDArray::full({1}, 1, Float32).expand({3}));
    set_grad(p, ones({3}));
    set_grad(q, ones({3}));
    CHECK_THROWS_WITH_AS(
        optimizer->step(),
        (name(*optimizer) + ": elements of the target, of shape (3) and strides (0), share memory; "
                            "clone() it first")
            .c_str(),
        ShapeError);
    CHECK(difference(p, ones({3})) == "");
  }
}

TEST_CASE("a gradient that was given another shape or dtype is refused, and nothing is stepped") {
  for (const Make& make_optimizer :
       {make<Adam>(AdamOptions{.lr = 0.1}), make<SGD>(SGDOptions{.lr = 0.1}),
        make<SGD>(SGDOptions{.lr = 0.1, .momentum = 0.9})}) {
    Tensor p = ones({2}).requires_grad_(), q = ones({3}).requires_grad_();
    const auto optimizer = make_optimizer({p, q});
    for (const NDArray& wrong : {NDArray::full({1}, 1, Float32), NDArray::full({3}, 1, Float64)}) {
      set_grad(p, ones({2}));
      set_grad(q, ones({3}));
      q.grad().set_data(wrong);
      CHECK_THROWS_WITH_AS(optimizer->step(),
                           core::to_text(name(*optimizer), ": parameter 1 is (3) Float32 and its ",
                                         "gradient ", wrong.shape(), " ", core::name(wrong.dtype()),
                                         "; call zero_grad() and backward() again")
                               .c_str(),
                           ShapeError);
      CHECK(difference(p, ones({2})) == "");
    }
  }
  Tensor p = ones({2, 2}).requires_grad_();
  Adam adam({ones({1}).requires_grad_(), p});
  set_grad(p, ones({2, 2}));
  p.grad().set_data(NDArray::full({2}, 1, Float64));
  CHECK_THROWS_WITH_AS(adam.step(),
                       "Adam: parameter 1 is (2, 2) Float32 and its gradient (2) Float64; call "
                       "zero_grad() and backward() again",
                       ShapeError);
}

TEST_CASE("a step that is refused does not count as a parameter's first") {
  const Make momentum = make<SGD>(SGDOptions{.lr = 1, .momentum = 0.5, .dampening = 0.5});
  Tensor p = ones({1}).requires_grad_(), q = ones({1}).requires_grad_();
  const auto optimizer = momentum({p, q});
  set_grad(q, ones({1}));
  optimizer->step();
  const NDArray before = q.array();
  q.set_data(NDArray::full({1}, 1, Float64));
  set_grad(p, ones({1}));
  set_grad(q, ones({1}, Float64));
  CHECK_THROWS_WITH_AS(optimizer->step(),
                       "SGD: a parameter was (1) Float32 and is now (1) Float64; make a new "
                       "optimizer after converting a model",
                       Error);
  CHECK(p.item() == 1);
  q.set_data(before);
  optimizer->step();
  CHECK(p.item() == 0);  // the first buffer is the gradient itself, not dampened
}

TEST_CASE("an optimiser refuses options out of range") {
  const std::vector<Tensor> p{ones({2}).requires_grad_()};
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(SGD(p, {.lr = -1}), "SGD: lr must be at least 0 and finite, got -1", Error);
  CHECK_THROWS_WITH_AS(SGD(p, {.lr = std::nan("")}),
                       "SGD: lr must be at least 0 and finite, got nan", Error);
  CHECK_THROWS_WITH_AS(SGD(p, {.lr = 1, .momentum = -0.1}),
                       "SGD: momentum must be at least 0 and finite, got -0.1", Error);
  CHECK_THROWS_WITH_AS(SGD(p, {.lr = 1, .weight_decay = infinity}),
                       "SGD: weight_decay must be at least 0 and finite, got inf", Error);
  CHECK_THROWS_WITH_AS(
      SGD(p, {.lr = 1, .nesterov = true}),
      "SGD: nesterov needs a momentum and no dampening, got momentum 0 and dampening 0", Error);
  CHECK_THROWS_WITH_AS(
      SGD(p, {.lr = 1, .momentum = 0.9, .dampening = 0.1, .nesterov = true}),
      "SGD: nesterov needs a momentum and no dampening, got momentum 0.9 and dampening 0.1", Error);
  CHECK_THROWS_WITH_AS(Adam(p, {.betas = {1, 0.9}}),
                       "Adam: betas[0] must be at least 0 and below 1, got 1", Error);
  CHECK_THROWS_WITH_AS(AdamW(p, {.betas = {0.9, -0.5}}),
                       "AdamW: betas[1] must be at least 0 and below 1, got -0.5", Error);
  CHECK_THROWS_WITH_AS(Adam(p, {.eps = -1}), "Adam: eps must be at least 0 and finite, got -1",
                       Error);
  CHECK_THROWS_WITH_AS(AdamW(p, {.weight_decay = -1}),
                       "AdamW: weight_decay must be at least 0 and finite, got -1", Error);
  Adam adam(p);
  CHECK_THROWS_WITH_AS(adam.set_lr(infinity), "Adam: lr must be at least 0 and finite, got inf",
                       Error);
  CHECK(adam.lr() == 1e-3);
}

TEST_CASE("an optimiser notices that its parameters were converted") {
  Tensor p = ones({2}).requires_grad_();
  Adam adam({p});
  set_grad(p, ones({2}));
  adam.step();
  p.set_data(NDArray::full({2}, 1, Float64));
  set_grad(p, ones({2}, Float64));
  CHECK_THROWS_WITH_AS(adam.step(),
                       "Adam: a parameter was (2) Float32 and is now (2) Float64; make a new "
                       "optimizer after converting a model",
                       Error);
}

TEST_CASE(
    "an undefined parameter is refused by its number, a dampening that is none by its value") {
  const Tensor p = zeros({2}).requires_grad_();
  CHECK_THROWS_WITH_AS(SGD(std::vector<Tensor>{p, Tensor()}, {.lr = 0.1}),
                       "SGD: parameter 1 is undefined (made by Tensor()); pass leaves, such as "
                       "model.parameters()",
                       Error);
  CHECK_THROWS_WITH_AS(SGD(std::vector<Tensor>{p}, {.lr = 0.1, .dampening = NAN}),
                       "SGD: dampening must be finite, got nan", Error);
}
