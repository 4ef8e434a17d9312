// Writing ops down: rules, what they save, versions, and changes in place.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/record.h>

#include <memory>

#include "../support/compare.h"
#include "../support/leaf.h"

using namespace tapehead;
using testing::difference;
using testing::leaf;
using testing::noise;
using testing::values;
using testing::Values;

TEST_CASE("a rule may have several inputs, and gives an array or a vector of gradients") {
  const Tensor a = leaf({2}), b = leaf({3}), constant = tensor({7.}, Float64);
  const Tensor y = record(
      "pair", [&] { return (a.detach() * b.detach()).array(); },
      wrt(each(a, b, constant), [a = saved(a), b = saved(b)](const Tensor& g) {
        return std::array{g * b(), g * a(), Tensor()};
      }));
  y.backward();
  CHECK(values(a.grad()) == Values{3});
  CHECK(values(b.grad()) == Values{2});
  const std::vector<Tensor> many{leaf({1}), constant, leaf({2})};
  record(
      "many", [&] { return many[0].array(); },
      wrt(many,
          [](const Tensor& g) {
            return std::vector<Tensor>{g * 10, g, g * 20};
          }))
      .backward();
  CHECK(values(many[0].grad()) == Values{10});
  CHECK(values(many[2].grad()) == Values{20});
}

TEST_CASE("a rule with a second parameter gets the op's own output, without a cycle") {
  const auto nodes = live_nodes();
  {
    const Tensor x = leaf({1});
    const Tensor y = record(
        "double", [&] { return (x.detach() * 2).array(); },
        wrt(x, [](const Tensor& g, const Tensor& out) { return g * out; }));
    CHECK(values(autograd::grad({y}, {x}, {}, true)[0]) == Values{2});
    // With create_graph the output has its history: d(2x)/dx again.
    const Tensor g = autograd::grad({y}, {x}, {}, {}, true)[0];
    CHECK(values(autograd::grad({g}, {x})[0]) == Values{2});
  }
  CHECK(live_nodes() == nodes);
}

TEST_CASE("rules of inputs that need no gradient are dropped, and what they would save") {
  const auto watched = std::make_shared<int>(0);
  const Tensor x = leaf({1}), constant = tensor({2.}, Float64);
  const Tensor y = record(
      "op", [&] { return x.array().clone(); }, wrt(x, [](const Tensor& g) { return g; }),
      wrt(constant, [watched](const Tensor& g) { return g; }));
  CHECK(watched.use_count() == 1);
  const NoGradGuard no_grad;
  const Tensor z = record(
      "op", [&] { return x.array().clone(); }, wrt(x, [watched](const Tensor& g) { return g; }));
  CHECK(watched.use_count() == 1);
}

TEST_CASE("backward lets go of what rules saved, unless it shall keep the graph") {
  const auto watched = std::make_shared<int>(0);
  const Tensor x = leaf({1});
  const Tensor y = record(
      "op", [&] { return x.array().clone(); }, wrt(x, [watched](const Tensor& g) { return g; }));
  y.backward({}, true);
  CHECK(watched.use_count() == 2);
  y.backward();
  CHECK(watched.use_count() == 1);
}

TEST_CASE("a saved undefined tensor stays one") {
  const Saved none = saved(Tensor());
  CHECK_FALSE(none().defined());
}

TEST_CASE("a saved tensor that was changed is refused, naming op, tensor, versions and culprit") {
  const Tensor x = leaf({1, 2});
  Tensor w = leaf({3, 4});
  sum(x * w * 2).backward();  // gradients from before, which the refused pass leaves alone
  const Tensor z = x * w;
  {
    const NoGradGuard no_grad;
    w.fill_(0);
  }
  CHECK_THROWS_WITH_AS(
      sum(z).backward(),
      "mul: it saved a tensor of shape (2) (leaf) at version 1, now 2 because fill_ "
      "changed it in place; clone() it first, or change it after backward()",
      GraphError);
  CHECK(values(x.grad()) == Values{6, 8});
  CHECK(values(w.grad()) == Values{2, 4});
  CHECK(values(z) == Values{3, 8});
  sum(x * w).backward();  // with what w is now
  CHECK(values(x.grad()) == Values{6, 8});
  CHECK(values(w.grad()) == Values{3, 6});
}

TEST_CASE("a change is seen through any view: slices, transposes, detached handles") {
  const auto refused_after = [](const std::string& writer, auto change) {
    const Tensor x = noise({2, 3}).requires_grad_();
    Tensor w = noise({2, 3}, 2);
    const Tensor z = sum(x * w);
    change(w);
    const std::string message =
        "mul: it saved a tensor of shape (2, 3) (constant) at version 1, now 2 because " + writer +
        " changed it in place; clone() it first, or change it after backward()";
    CHECK_THROWS_WITH_AS(z.backward(), message.c_str(), GraphError);
    CHECK_FALSE(x.grad().defined());
    sum(x * w).backward();  // both go on
    CHECK(testing::difference(x.grad(), w) == "");
  };
  refused_after("fill_", [](Tensor& w) { w.view({-1}).fill_(0); });
  refused_after("add_", [](Tensor& w) { w.slice(1, 0, 1).add_(1); });
  refused_after("mul_", [](Tensor& w) { w.t().select(0, 2).mul_(2); });
  refused_after("zero_", [](Tensor& w) { w.detach().zero_(); });
  refused_after("copy_", [](Tensor& w) {
    w.expand({1, 2, 3}).squeeze(0).copy_(zeros({2, 3}, Float64));
  });
}

TEST_CASE("a base that changes is seen by what was saved of its view") {
  Tensor base = noise({2, 3});
  const Tensor x = noise({3}).requires_grad_();
  const Tensor z = sum(x * base.select(0, 1));
  base.mul_(2);
  CHECK_THROWS_WITH_AS(z.backward(),
                       "mul: it saved a tensor of shape (3) (constant) at version 1, now 2 because "
                       "mul_ changed it in place; clone() it first, or change it after backward()",
                       GraphError);
}

TEST_CASE("an op's own output that was changed is refused where its rule needs it") {
  const Tensor x = leaf({1});
  Tensor y = exp(x);
  y.mul_(2);
  CHECK_THROWS_WITH_AS(y.backward(),
                       "exp: it saved a tensor of shape (1) (exp) at version 0, now 1 because mul_ "
                       "changed it in place; clone() it first, or change it after backward()",
                       GraphError);
}

TEST_CASE("a change that no rule minds is no hindrance") {
  const Tensor x = leaf({1, 2});
  Tensor s = x + 1;
  s.mul_(3);
  sum(s).backward();
  CHECK(values(x.grad()) == Values{3, 3});
}

TEST_CASE("a tensor may be changed again once backward is through") {
  const Tensor x = leaf({1});
  Tensor w = tensor({2.}, Float64);
  (x * w).backward();
  w.fill_(5);
  CHECK(values(x.grad()) == Values{2});
}

TEST_CASE("in-place ops chain, each with its derivative") {
  const Tensor x = leaf({1, 2}), y = leaf({4, 5});
  Tensor z = x * 1;
  z.mul_(y).add_(y, 2).div_(y).sub_(x);  // ((x y + 2 y) / y) - x = 2
  CHECK(difference(z, full({2}, 2, Float64), {.atol = 1e-15}) == "");
  sum(z * tensor({1., 10.}, Float64)).backward();
  CHECK(difference(x.grad(), zeros({2}, Float64), {.atol = 1e-14}) == "");
  CHECK(difference(y.grad(), zeros({2}, Float64), {.atol = 1e-14}) == "");
}

TEST_CASE("an in-place op on a constant makes it depend on what requires a gradient") {
  const Tensor x = leaf({2, 3});
  Tensor buffer = zeros({2}, Float64);
  buffer.add_(x * x);
  CHECK(buffer.requires_grad());
  sum(buffer).backward();
  CHECK(values(x.grad()) == Values{4, 6});
}

TEST_CASE("what in-place ops overwrite has gradient zero, also where the new one is not finite") {
  const auto gradient = [](auto overwrite) {
    const Tensor x = leaf({1, 2});
    Tensor y = x * 1;
    overwrite(y);
    y.backward(tensor(Values{INFINITY, NAN}, {2}, Float64));
    return values(x.grad());
  };
  CHECK(gradient([](Tensor& y) { y.fill_(3); }) == Values{0, 0});
  CHECK(gradient([](Tensor& y) { y.zero_(); }) == Values{0, 0});
  CHECK(gradient([](Tensor& y) { y.copy_(zeros({2}, Float64)); }) == Values{0, 0});
  CHECK(gradient([](Tensor& y) { y.masked_fill_(tensor({true, true}), 1); }) == Values{0, 0});
}

TEST_CASE("copy_ converts dtypes, forward and backward") {
  const Tensor x = tensor({1.5, 2.5}).requires_grad_();
  Tensor y = zeros({2, 2}, Float64);
  y.copy_(x);
  sum(y * noise({2, 2})).backward();
  CHECK(x.grad().dtype() == Float32);
  CHECK(difference(x.grad(), sum(noise({2, 2}), {0}).to(Float32), {.atol = 1e-6}) == "");
}

TEST_CASE("an in-place op on a leaf that requires a gradient is for a NoGradGuard") {
  Tensor w = leaf({1, 2});
  CHECK_THROWS_WITH_AS(w.add_(1),
                       "add_: a leaf that requires a gradient cannot be changed in place while ops "
                       "are recorded; use a NoGradGuard, or add, which makes a new tensor",
                       GraphError);
  CHECK(values(w) == Values{1, 2});
  {
    const NoGradGuard no_grad;
    w.sub_(tensor({1., 1.}, Float64));
  }
  CHECK(values(w) == Values{0, 1});
  CHECK(w.is_leaf());
  CHECK(w.requires_grad());
}

TEST_CASE("a recorded in-place op on memory that another tensor shows is refused") {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  const Tensor seen = y.view({2, 1});
  CHECK_THROWS_WITH_AS(
      y.mul_(2),
      "mul_: another tensor shares the memory of this one, (2), and would miss the "
      "gradient; use mul, which makes a new tensor, or clone() first",
      GraphError);
  Tensor part = y.select(0, 0);
  CHECK_THROWS_WITH_AS(
      part.zero_(),
      "zero_: another tensor shares the memory of this one, (), and would miss the "
      "gradient; use zeros_like, which makes a new tensor, or clone() first",
      GraphError);
  CHECK_THROWS_WITH_AS(
      part.fill_(3),
      "fill_: another tensor shares the memory of this one, (), and would miss the "
      "gradient; use full_like, which makes a new tensor, or clone() first",
      GraphError);
  CHECK_THROWS_WITH_AS(
      part.copy_(x.select(0, 1)),
      "copy_: another tensor shares the memory of this one, (), and would miss the "
      "gradient; use the source in its place, or clone() first",
      GraphError);
  CHECK(values(y) == Values{1, 2});
  Tensor buffer = zeros({2}, Float64), view = buffer.view({2});
  CHECK_THROWS_WITH_AS(view.add_(x),
                       "add_: another tensor shares the memory of this one, (2), and would miss "
                       "the gradient; use add, which makes a new tensor, or clone() first",
                       GraphError);
  CHECK_FALSE(view.requires_grad());
}

TEST_CASE("through views of views an in-place op is exact where the view is alone, else refused") {
  const Tensor x = noise({2, 3}).requires_grad_();
  const Tensor weights = noise({2}, 3);
  const auto first_column = [](const Tensor& y) { return y.t().narrow(0, 0, 2).select(0, 0); };
  {
    const Tensor y = x * 2;
    Tensor part = first_column(y);
    CHECK_THROWS_WITH_AS(part.mul_(3),
                         "mul_: another tensor shares the memory of this one, (2), and would miss "
                         "the gradient; use mul, which makes a new tensor, or clone() first",
                         GraphError);
    sum(y).backward();  // all is as it was
    CHECK(equal(x.grad(), full_like(x, 2)));
  }
  Tensor alone = first_column(x * 2);
  alone.mul_(3).add_(1);
  const Tensor g = autograd::grad({alone}, {x}, {weights})[0];
  Tensor want = zeros({2, 3}, Float64);
  want.select(1, 0).copy_(weights * 6);
  CHECK(testing::difference(g, want) == "");
}

TEST_CASE("an in-place op on memory that overlaps itself is refused, with nothing changed") {
  Tensor x = tensor({1.}, Float64).expand({3});
  const Tensor one = ones({3}, Float64), mask = tensor({true, false, true});
  const auto message = [](const char* op) {
    return std::string(op) +
           ": elements of the target, of shape (3) and strides (0), share memory; clone() it first";
  };
  CHECK_THROWS_WITH_AS(x.add_(one), message("add_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(x.add_(1), message("add_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(x.sub_(one), message("sub_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(x.sub_(1), message("sub_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(x.mul_(one), message("mul_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(x.mul_(2), message("mul_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(x.div_(one), message("div_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(x.div_(2), message("div_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(x.copy_(one), message("copy_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(x.fill_(2), message("fill_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(x.zero_(), message("zero_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(x.masked_fill_(mask, 2), message("masked_fill_").c_str(), ShapeError);
  CHECK(values(x) == Values{1, 1, 1});
}

TEST_CASE("an in-place op whose arguments do not fit changes nothing and keeps the history") {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 3;
  CHECK_THROWS_WITH_AS(
      y.add_(zeros({3}, Float64)),
      "add_: cannot expand (3) to (2); sizes must be equal or 1, counted from the last dimension",
      ShapeError);
  CHECK_THROWS_WITH_AS(y.mul_(zeros({4, 2}, Float64)),
                       "mul_: cannot expand (4, 2) to (2); sizes must be equal or 1, counted from "
                       "the last dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      y.add_(zeros({2}, Float32)),
      "add_: dtypes Float64 and Float32 differ; convert one of them, for example with .to(Float64)",
      DTypeError);
  CHECK(values(y) == Values{3, 6});
  sum(y).backward();
  CHECK(values(x.grad()) == Values{3, 3});
}

TEST_CASE("an in-place op on an undefined tensor is refused by name") {
  const auto refused = [](const char* op, auto change) {
    const std::string message = std::string(op) +
                                ": the tensor to change is undefined (made by Tensor(), or a "
                                "gradient that is not there); ask defined() first";
    CHECK_THROWS_WITH_AS(change(), message.c_str(), Error);
  };
  const Tensor w = leaf({1, 2}), constant = ones({2}, Float64), mask = tensor({true, false});
  for (const Tensor& other : {w, constant}) {
    refused("add_", [&] { w.grad().add_(other); });
    refused("sub_", [&] { w.grad().sub_(other); });
    refused("mul_", [&] { w.grad().mul_(other); });
    refused("div_", [&] { w.grad().div_(other); });
    refused("copy_", [&] { w.grad().copy_(other); });
  }
  refused("add_", [&] { w.grad().add_(1); });
  refused("sub_", [&] { w.grad().sub_(1); });
  refused("mul_", [&] { w.grad().mul_(1); });
  refused("div_", [&] { w.grad().div_(1); });
  refused("fill_", [&] { w.grad().fill_(1); });
  refused("zero_", [&] { w.grad().zero_(); });
  refused("masked_fill_", [&] { w.grad().masked_fill_(mask, 1); });
}

TEST_CASE("retain_grad collects the gradient of the value that in-place ops left") {
  const Tensor w = leaf({2, 2});
  Tensor y = w * 2;
  y.retain_grad();
  y.mul_(3);
  sum(y).backward({}, true);
  CHECK(values(y.grad()) == Values{1, 1});
  CHECK(values(w.grad()) == Values{6, 6});
  y.add_(1);  // what was collected stays
  CHECK(values(y.grad()) == Values{1, 1});
  sum(y).backward();
  CHECK(values(y.grad()) == Values{2, 2});
}

TEST_CASE("1,000 steps of in-place descent keep one graph each") {
  Tensor w = leaf({1, -2});
  const auto nodes = live_nodes();
  for (int step = 0; step < 1000; ++step) {
    sum(w * w).backward();
    const NoGradGuard no_grad;
    w.sub_(w.grad() * 0.1);
    w.zero_grad();
  }
  CHECK(live_nodes() == nodes);
  CHECK(std::abs(values(w)[0]) < 1e-12);
}
