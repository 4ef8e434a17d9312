#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>

#include "../support/compare.h"
#include "../support/leaf.h"

using namespace tapehead;
using testing::difference;
using testing::leaf;
using testing::noise;
using testing::values;
using testing::Values;

namespace {

Tensor scalar(double value) { return full({}, value, Float64).requires_grad_(); }

constexpr const char* freed =
    "mul: a backward pass has been here, to its end or until it threw, and freed what was saved; "
    "pass retain_graph = true the first time, or compute the value again";

}  // namespace

TEST_CASE("backward adds to the gradients that are there") {
  Tensor x = leaf({1, 2});
  sum(x * 3).backward();
  sum(x * x).backward();
  CHECK(values(x.grad()) == Values{5, 7});
  x.zero_grad();
  sum(x).backward();
  CHECK(values(x.grad()) == Values{1, 1});
}

TEST_CASE("a gradient that was read out is a handle, to which backward adds") {
  const Tensor x = leaf({1, 2});
  sum(x * 3).backward();
  const Tensor first = x.grad();
  sum(x * 3).backward();
  CHECK(values(first) == Values{6, 6});
  CHECK(first.impl() == x.grad().impl());
}

TEST_CASE("the gradient of a leaf is its own memory, never that of the gradient passed in") {
  const Tensor x = leaf({1, 2}), y = leaf({1, 2});
  Tensor g = tensor({1., 1.}, Float64);
  (x + y).backward(g);
  g.fill_(9);
  CHECK(values(x.grad()) == Values{1, 1});
  CHECK_FALSE(x.grad().array().shares_storage_with(y.grad().array()));
  sum(x).backward();
  CHECK(values(x.grad()) == Values{2, 2});
  CHECK(values(y.grad()) == Values{1, 1});
}

TEST_CASE("contributions to one tensor add up before they travel on") {
  const Tensor a = scalar(1.7);
  const Tensor b = a + a, c = b * b;
  (c + b).backward();
  CHECK(a.grad().item() == doctest::Approx(15.6));
  const Tensor x = scalar(2.5);
  const Tensor y = 3 * x, p = 2 * y, q = 5 * y;
  (p + q * y).backward();
  CHECK(x.grad().item() == doctest::Approx(231));
}

TEST_CASE("a value is passed on only after all who use it have reported") {
  const Tensor a = scalar(1.5), b = scalar(-0.75);
  const Tensor c = a + b, d = a * b;
  (c + d + c * d).backward();
  CHECK(a.grad().item() == -1.4375);
  CHECK(b.grad().item() == 2.5);
}

TEST_CASE("one tensor may be used many times, by one op too") {
  const Tensor x = leaf({2, 3});
  std::vector<Tensor> many(100, x);
  sum(stack(many) * noise({100, 1}, 4)).backward();
  CHECK(difference(x.grad(), sum(noise({100, 1}, 4)).expand({2}), {.rtol = 1e-12}) == "");
  Tensor total = x;
  for (int i = 0; i < 1000; ++i) total = total + x;
  const std::vector<Tensor> g = autograd::grad({sum(total)}, {x});
  CHECK(values(g[0]) == Values{1001, 1001});
}

TEST_CASE("a graph is freed by backward, and says so the second time") {
  const Tensor x = scalar(3);
  const Tensor z = x * x * 2;
  z.backward();
  CHECK_THROWS_WITH_AS(z.backward(), freed, GraphError);
  CHECK(x.grad().item() == 12);
}

TEST_CASE("retain_graph keeps it; intermediate gradients do not compound") {
  const Tensor x = scalar(3);
  const Tensor z = x * x * 2;
  z.backward({}, true);
  CHECK(x.grad().item() == 12);
  z.backward();
  CHECK(x.grad().item() == 24);
}

TEST_CASE("two results that share a part need retain_graph for it") {
  const Tensor x = scalar(3);
  const Tensor k = 2 * x;
  const Tensor first = k * k, second = 3 * k;
  first.backward();
  CHECK_THROWS_WITH_AS(second.backward(), freed, GraphError);
  CHECK(x.grad().item() == 24);

  const Tensor y = scalar(3);
  const Tensor m = 2 * y;
  (m * m).backward({}, true);
  (3 * m).backward();
  CHECK(y.grad().item() == 30);
}

TEST_CASE("a root of several elements wants a gradient of its shape and dtype") {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 3;
  CHECK_THROWS_WITH_AS(y.backward(),
                       "backward: expected a tensor of one element, got shape (2); pass a gradient "
                       "of that shape, or take sum() or mean() first",
                       GraphError);
  CHECK_THROWS_WITH_AS(y.backward(ones({1}, Float64)),
                       "backward: the gradient of a tensor (2) Float64 must have that shape and "
                       "dtype, got (1) Float64",
                       ShapeError);
  CHECK_THROWS_WITH_AS(y.backward(ones({2}, Float32)),
                       "backward: the gradient of a tensor (2) Float64 must have that shape and "
                       "dtype, got (2) Float32",
                       ShapeError);
  CHECK_FALSE(x.grad().defined());
  y.backward(tensor({10., 100.}, Float64));
  CHECK(values(x.grad()) == Values{30, 300});
  (x.select(0, 0) * 5).view({1, 1}).backward();
  CHECK(values(x.grad()) == Values{35, 300});
}

TEST_CASE("a root without history is refused, a leaf is its own root") {
  CHECK_THROWS_WITH_AS(zeros({1}).backward(),
                       "backward: this tensor of shape (1) depends on no tensor that requires a "
                       "gradient; call requires_grad_() on an input, outside any NoGradGuard",
                       GraphError);
  const Tensor x = leaf({2});
  x.backward();
  CHECK(values(x.grad()) == Values{1});
}

TEST_CASE("several roots go back in one pass") {
  const Tensor x = leaf({2, 3});
  const Tensor shared = x * x;
  const auto before = nodes_visited();
  autograd::backward({sum(shared), shared}, {Tensor(), tensor({1., 10.}, Float64)});
  CHECK(values(x.grad()) == Values{8, 66});
  CHECK(nodes_visited() - before == 2);
  CHECK_THROWS_WITH_AS(autograd::backward({sum(x), sum(x)}, {Tensor()}),
                       "backward: got 1 gradients for 2 tensors; pass one for each, or none",
                       GraphError);
}

TEST_CASE("grad returns gradients and leaves every leaf's alone") {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const std::vector<Tensor> g = autograd::grad({sum(x * y)}, {y, x});
  CHECK(values(g[0]) == Values{1, 2});
  CHECK(values(g[1]) == Values{3, 4});
  CHECK_FALSE(x.grad().defined());
  CHECK(autograd::grad({sum(x)}, {}).empty());
}

TEST_CASE("grad by an intermediate does not run what is older") {
  const Tensor x = leaf({2});
  const Tensor y = exp(x), z = y * 3;
  const auto before = nodes_visited();
  CHECK(values(autograd::grad({z}, {y})[0]) == Values{3});
  CHECK(nodes_visited() - before == 1);
}

TEST_CASE("grad takes the same input twice, and an output that is an input") {
  const Tensor x = leaf({2});
  const auto g = autograd::grad({x, x * 3}, {x, x}, {});
  CHECK(values(g[0]) == Values{4});
  CHECK(values(g[1]) == Values{4});
}

TEST_CASE("grad weighs outputs by grad_outputs") {
  const Tensor x = leaf({1, 2});
  const auto g = autograd::grad({x * x}, {x}, {tensor({10., 100.}, Float64)});
  CHECK(values(g[0]) == Values{20, 400});
}

TEST_CASE("grad refuses inputs that need none or were not used, unless told") {
  const Tensor x = leaf({2}), unused = zeros({2, 3}).requires_grad_();
  CHECK_THROWS_WITH_AS(
      autograd::grad({sum(x)}, {x, zeros({4})}),
      "grad: input 1 of shape (4) requires no gradient; call requires_grad_() on it first",
      GraphError);
  CHECK_THROWS_WITH_AS(autograd::grad({sum(x)}, {x, unused}),
                       "grad: input 1 of shape (2, 3) was not used to compute the outputs; pass "
                       "allow_unused = true for an undefined gradient",
                       GraphError);
  const auto g = autograd::grad({sum(x)}, {x, unused}, {}, {}, false, true);
  CHECK(g[0].defined());
  CHECK_FALSE(g[1].defined());
}

TEST_CASE("create_graph gives derivatives of the third order and beyond") {
  const Tensor x = scalar(2);
  Tensor y = x * x * x * x;
  for (const double want : {32., 48., 48., 24.}) {
    y = autograd::grad({y}, {x}, {}, {}, true)[0];
    CHECK(y.item() == want);
  }
}

TEST_CASE("without create_graph a gradient has no history") {
  const Tensor x = scalar(2);
  const Tensor y = x * x * x;
  CHECK_FALSE(autograd::grad({y}, {x}, {}, true)[0].requires_grad());
  CHECK(autograd::grad({y}, {x}, {}, {}, true)[0].requires_grad());
  y.backward();
  CHECK_FALSE(x.grad().requires_grad());
}

TEST_CASE("backward with create_graph leaves a gradient that can be differentiated") {
  Tensor x = scalar(3);
  (x * x * x).backward({}, {}, true);
  CHECK(x.grad().item() == 27);
  CHECK(autograd::grad({x.grad()}, {x})[0].item() == 18);
  (x * x).backward({}, {}, true);
  CHECK(x.grad().item() == 33);
  x.zero_grad();  // the gradient refers to x, and x to it
}

TEST_CASE("vjp differentiates a composition inside a rule, and stops at its inputs") {
  const Tensor w = scalar(2);
  const Tensor a = w * 3, b = scalar(5);
  const auto f = [](const Tensor& x, const Tensor& y) { return x * x * y; };
  const auto before = nodes_visited();
  const auto g = autograd::vjp(full({}, 10, Float64), f, a, b);
  CHECK(g[0].item() == 600);
  CHECK(g[1].item() == 360);
  CHECK(nodes_visited() - before <= 4);
  CHECK(autograd::grad({g[0]}, {w})[0].item() == 300);  // 10 * 2 b * 3
  const auto none = autograd::vjp(full({}, 1, Float64), f, zeros({}, Float64), zeros({}, Float64));
  CHECK_FALSE(none[0].defined());
}

TEST_CASE("gradients that create_graph leaves are memory of their own") {
  Tensor a = leaf({1, 1}), b = leaf({2, 2});
  const Tensor ones_ = ones({2}, Float64);
  (a + b).backward(ones_, {}, true);
  (a + b).sum().backward();
  CHECK(values(a.grad()) == Values{2, 2});
  CHECK(values(b.grad()) == Values{2, 2});
  CHECK(values(ones_) == Values{1, 1});
  a.zero_grad();
  a.sum().backward({}, {}, true);  // an expanded gradient
  a.sum().backward();
  CHECK(values(a.grad()) == Values{2, 2});
  a.zero_grad(), b.zero_grad();
}

TEST_CASE("a node that keeps its gradient can be used again after its rule has thrown") {
  const Tensor x = leaf({1, 2});
  Tensor y = x * x;
  y.retain_grad();
  const Tensor z = y * y;
  {
    const NoGradGuard no_grad;
    Tensor same = x.detach();
    same.add_(1);
  }
  const char* const changed =
      "mul: it saved a tensor of shape (2) (leaf) at version 1, now 2 because add_ changed it in "
      "place; clone() it first, or change it after backward()";
  CHECK_THROWS_WITH_AS(z.sum().backward(), changed, GraphError);
  CHECK_FALSE(y.grad().defined());
  y.sum();
  CHECK_THROWS_WITH_AS(y.sum().backward(), changed, GraphError);
}

TEST_CASE("an undefined tensor is refused by the op and the place that it was given to") {
  const std::string undefined =
      " is undefined (made by Tensor(), or a gradient that is not there); ask defined() first";
  const auto refused = [&](const std::string& input, const auto& call) {
    CHECK_THROWS_WITH_AS(call(), (input + undefined).c_str(), Error);
  };
  const Tensor u;
  Tensor x = ones({2, 2});
  refused("matmul: input 1 of 2", [&] { matmul(u, x); });
  refused("matmul: input 2 of 2", [&] { matmul(x, u); });
  refused("mul: input 1 of 2", [&] { u* u; });
  refused("where: input 3 of 3", [&] { where(x > 0, x, u); });
  refused("exp: the input", [&] { u.exp(); });
  refused("cat: the input", [&] { cat({x, u}); });
  refused("stack: the input", [&] { stack({x, u}); });
  refused("add_: the input", [&] { x.add_(u); });
  refused("view: the input", [&] { u.view({2}); });
  refused("contiguous: the input", [&] { u.contiguous(); });
  refused("logical_not: the input", [&] { u.logical_not(); });
  refused("logical_and: input 2 of 2", [&] { logical_and(x > 0, u); });
  refused("logical_or: input 2 of 2", [&] { logical_or(x > 0, u); });
  refused("equal: input 2 of 2", [&] { equal(x, u); });
  refused("allclose: input 1 of 2", [&] { allclose(u, x); });
  refused("zeros_like: the input", [&] { zeros_like(u); });
  refused("ones_like: the input", [&] { ones_like(u); });
  refused("full_like: the input", [&] { full_like(u, 2); });
  refused("empty_like: the input", [&] { empty_like(u); });
  refused("slice_backward: the input", [&] { slice_backward(u, {2}, 0, 0, 1); });
  refused("index_select_backward: input 1 of 2", [&] { index_select_backward(u, {2}, 0, x); });
}

TEST_CASE("an undefined tensor is refused by its methods that are not ops") {
  const char* const text =
      "tensor: this one is undefined (made by Tensor(), or a gradient that is not there); only "
      "defined() may be asked of it";
  CHECK_THROWS_WITH_AS(Tensor().backward(), text, Error);
  CHECK_THROWS_WITH_AS(Tensor().grad(), text, Error);
  CHECK_THROWS_WITH_AS(Tensor().shape(), text, Error);
}
