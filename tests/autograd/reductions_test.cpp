// Reductions of zeros, of nothing and of what has no limit. Values are PyTorch 1.13.1's.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include <cmath>

#include "../support/compare.h"
#include "../support/leaf.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

constexpr double inf = INFINITY, none = NAN;

Tensor derivative(const Tensor& y, const Tensor& x) {
  return autograd::grad({sum(y)}, {x}, {}, true, true)[0];
}
Tensor numbers(const Values& v) { return leaf(v).detach(); }

}  // namespace

TEST_CASE("the derivative of a product is right with one zero and with several, to any order") {
  const Tensor one = leaf({2, 0, 3}), two = leaf({0, 2, 0, 5});
  CHECK(values(derivative(prod(one), one)) == Values{0, 6, 0});
  CHECK(values(derivative(prod(two), two)) == Values{0, 0, 0, 0});
  // d^2 y / dx_0 dx_2 of two zeros is the product of the others.
  const Tensor g = derivative(prod(two), two);
  CHECK(values(derivative(g.select(0, 0), two)) == Values{0, 0, 10, 0});
  const Tensor gg = derivative(derivative(g.select(0, 0), two).select(0, 2), two);
  CHECK(values(gg) == Values{0, 5, 0, 2});
  const Tensor rows = leaf({1, 2, 0, 4, 0, 0}).view({3, 2});
  CHECK(values(derivative(prod(rows, 1), rows)) == Values{2, 1, 4, 0, 0, 0});
}

TEST_CASE("products of nothing are 1, whole numbers stay whole, and each op has its name") {
  const Tensor nothing = leaf({});
  CHECK(prod(nothing).item() == 1);
  CHECK(derivative(prod(nothing), nothing).numel() == 0);
  CHECK(values(prod(zeros({2, 0}), 1)) == Values{1, 1});
  CHECK(prod(zeros({0, 3}), 1, true).shape() == Shape{0, 1});
  CHECK(prod(tensor({true, true})).dtype() == Int64);
  CHECK(prod(tensor({3, 4})).item<Index>() == 12);
  CHECK(prod(tensor(3.), -1).item() == 3);
  CHECK(prod(zeros({1, 1, 1, 1, 1, 1, 1, 2}), 7).dim() == 7);
  const Tensor x = zeros({2});
  CHECK_THROWS_WITH_AS(prod(x, 1),
                       "prod: dimension 1 is out of range for a tensor of 1 dimension; use -1 to 0",
                       ShapeError);
  CHECK_THROWS_WITH_AS(all(x, 1),
                       "all: dimension 1 is out of range for a tensor of 1 dimension; use -1 to 0",
                       ShapeError);
  CHECK_THROWS_WITH_AS(any(x, 1),
                       "any: dimension 1 is out of range for a tensor of 1 dimension; use -1 to 0",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      norm(tensor(1.), 2, {1}),
      "norm: dimension 1 is out of range for a tensor of 0 dimensions; unsqueeze(0) it first",
      ShapeError);
  CHECK_THROWS_WITH_AS(norm(tensor({1, 2})),
                       "norm: expected Float32 or Float64, got Int64; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(tensor({1, 2}).std(),
                       "std: expected Float32 or Float64, got Int64; convert with .to(Float32)",
                       DTypeError);
}

TEST_CASE("norms and their derivatives at 0, infinity and NaN are PyTorch's") {
  struct Row {
    double p;
    Values x;
    double y;
    Values dx;
  };
  const double r = std::sqrt(0.5);
  const std::vector<Row> rows{
      {0.5, {0, 0}, 0, {0, 0}},
      {0.5, {0, 3}, 3, {0, 1}},
      {0.5, {3, -3}, 12, {2, -2}},
      {0.5, {none, 1}, none, {none, none}},
      {0.5, {inf, 1}, inf, {none, inf}},
      {1, {0, 0}, 0, {0, 0}},
      {1, {0, 3}, 3, {0, 1}},
      {1, {3, -3}, 6, {1, -1}},
      {1, {none, 1}, none, {0, 1}},
      {1, {inf, 1}, inf, {1, 1}},
      {1.5, {0, 0}, 0, {0, 0}},
      {1.5, {0, 3}, 3, {0, 1}},
      {1.5, {none, 1}, none, {none, none}},
      {1.5, {inf, 1}, inf, {none, 0}},
      {2, {0, 0}, 0, {0, 0}},
      {2, {0, 3}, 3, {0, 1}},
      {2, {3, -3}, 3 / r, {r, -r}},
      {2, {none, 1}, none, {none, none}},
      {2, {inf, 1}, inf, {none, 0}},
      {3, {0, 0}, 0, {0, 0}},
      {3, {0, 3}, 3, {0, 1}},
      {3, {none, 1}, none, {none, none}},
      {3, {inf, 1}, inf, {none, 0}},
      {inf, {0, 0}, 0, {0, 0}},
      {inf, {0, 3}, 3, {0, 1}},
      {inf, {3, -3}, 3, {0.5, -0.5}},
      {inf, {none, 1}, none, {0, 0}},
      {inf, {inf, 1}, inf, {1, 0}},
      {-inf, {0, 0}, 0, {0, 0}},
      {-inf, {0, 3}, 0, {0, 0}},
      {-inf, {3, -3}, 3, {0.5, -0.5}},
      {-inf, {none, 1}, none, {0, 0}},
      {-inf, {inf, 1}, 1, {0, 1}},
      {-1, {0, 0}, 0, {0, 0}},
      {-1, {0, 3}, 0, {0, 0}},
      {-1, {3, -3}, 1.5, {0.25, -0.25}},
      {-1, {none, 1}, none, {none, none}},
      {-1, {inf, 1}, 1, {0, 1}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.p);
    CAPTURE(row.x[0]);
    CAPTURE(row.x[1]);
    const Tensor x = leaf(row.x);
    const Tensor y = norm(x, row.p);
    CHECK(difference(y.detach(), full({}, row.y, Float64), {.atol = 1e-14}) == "");
    CHECK(difference(derivative(y, x).detach(), numbers(row.dx), {.atol = 1e-14}) == "");
  }
  const Tensor x = leaf({none, 0, 2});
  CHECK(norm(x, 0).item() == 2);
  CHECK_FALSE(norm(x, 0).requires_grad());
  for (const double p : {0., 0.5, 1., 2., -1., inf, -inf}) {
    CHECK(norm(zeros({0}), p).item() == 0);
    CHECK(values(norm(zeros({2, 0}), p, {1})) == Values{0, 0});
  }
}

TEST_CASE("norms of zeros have finite second derivatives") {
  for (const double p : {1., 2., 3., inf}) {
    const Tensor x = leaf({0, 0});
    CHECK(values(derivative(derivative(norm(x, p), x), x)) == Values{0, 0});
  }
}

TEST_CASE("the mean of nothing is NaN and passes no gradient on, to any order") {
  const Tensor x = leaf({}), g = ones({}, Float64).requires_grad_();
  const Tensor y = mean(x);
  CHECK(std::isnan(y.item()));
  const Tensor dx = autograd::grad({y}, {x}, {g}, true, true)[0];
  CHECK(dx.numel() == 0);
  CHECK(autograd::grad({sum(dx)}, {g})[0].item() == 0);
}

TEST_CASE("variances of one element are NaN, and of equal ones 0 with gradient 0") {
  const Tensor one = leaf({2}), two = leaf({2, 2});
  CHECK(std::isnan(var(one).item()));
  CHECK(std::isnan(derivative(var(one, {0}), one).item()));
  CHECK(std::isnan(one.std().item()));
  CHECK(two.std().item() == 0);
  CHECK(values(derivative(two.std(), two)) == Values{0, 0});
  CHECK(values(derivative(derivative(two.std({0}), two), two)) == Values{0, 0});
  CHECK(values(derivative(var(two), two)) == Values{0, 0});
  CHECK(std::isnan(zeros({0}).std().item()));
}

TEST_CASE("one axis stands without braces, for methods and functions, and a bool is none") {
  const Tensor x = arange(24, Float64).view({2, 3, 4});
  CHECK(equal(x.sum(-1), x.sum({-1})));
  CHECK(equal(x.sum(0, true), x.sum({0}, true)));
  CHECK(equal(sum(x, 0), sum(x, {0})));
  CHECK(equal(sum(x, {}, true), x.sum().view({1, 1, 1})));
  CHECK(equal(x.mean(1), x.mean({1})));
  CHECK(equal(x.var(2, false, true), x.var({2}, false, true)));
  CHECK(equal(x.std(2), x.std({2})));
  CHECK(equal(x.amax(0), x.max(0).values));
  CHECK(equal(x.logsumexp(x.dim() - 1), x.logsumexp({2})));
  CHECK(equal(norm(x, 2, 1), norm(x, 2, {1})));
  CHECK(equal(Tensor(core::sum(x.array(), 1)), x.sum(1)));
  CHECK(x.sum().dim() == 0);
  static_assert(std::is_convertible_v<int, Axes> && std::is_convertible_v<Index, Axes>);
  static_assert(!std::is_convertible_v<bool, Axes> && !std::is_convertible_v<double, Axes>);
}

TEST_CASE("all and any of nothing are true and false, and NaN counts as true") {
  CHECK(all(zeros({0})).item<bool>());
  CHECK_FALSE(any(zeros({0})).item<bool>());
  CHECK(values(all(zeros({2, 0}), 1)) == Values{1, 1});
  CHECK(any(tensor({NAN, 0.})).item<bool>());
  CHECK_FALSE(all(tensor({3, 0})).item<bool>());
  CHECK_FALSE(all(tensor(0.), 0).item<bool>());
  CHECK(values(count_nonzero(tensor({{1., 0.}, {NAN, 2.}}), {0})) == Values{2, 1});
  CHECK(count_nonzero(tensor({true, false})).dtype() == Int64);
  CHECK_THROWS_WITH_AS(
      count_nonzero(zeros({2}), {1}),
      "count_nonzero: dimension 1 is out of range for a tensor of 1 dimension; use -1 to 0",
      ShapeError);
}

TEST_CASE("cumsum counts whole numbers and truths in Int64") {
  CHECK(values(cumsum(tensor({true, false, true}), 0)) == Values{1, 1, 2});
  CHECK(cumsum(tensor({true}), 0).dtype() == Int64);
  CHECK(cumsum(tensor(3.), -1).item() == 3);
}

TEST_CASE("rms_norm's eps is by default the dtype's own") {
  const Tensor x = tensor({1e-4, -1e-4});
  const double square = 1e-8, f = 1.1920928955078125e-07, d = 2.220446049250313e-16;
  CHECK(rms_norm(x, {2}).select(0, 0).item() == doctest::Approx(1e-4 / std::sqrt(square + f)));
  CHECK(rms_norm(x.to(Float64), {2}).select(0, 0).item() ==
        doctest::Approx(1e-4 / std::sqrt(square + d)).epsilon(1e-7));
  CHECK_THROWS_WITH_AS(rms_norm(tensor({1, 2}), {2}),
                       "rms_norm: expected Float32 or Float64, got Int64; convert with "
                       ".to(Float32)",
                       DTypeError);
}

TEST_CASE("a deviation or a length that Float32 holds is found, though its square is beyond it") {
  for (const double unit : {1e-23, 1e20, 1e30}) {
    const auto near = [unit](double got, double want) {
      return std::abs(got / unit - want) < 1e-5;
    };
    const Tensor x = tensor({unit, 3 * unit}, Float32).requires_grad_();
    const Tensor spread = tapehead::std(x, Axes{}), length = norm(x), cubic = norm(x, 3, Axes{});
    CHECK(near(spread.item(), 1.4142136));
    CHECK(near(length.item(), 3.1622777));
    CHECK(near(cubic.item(), 3.0365890));
    for (const auto& [y, want] : {std::pair{spread, Values{-0.7071068, 0.7071068}},
                                  {length, Values{0.3162278, 0.9486833}},
                                  {cubic, Values{0.1084489, 0.9760400}}}) {
      const Values got = values(autograd::grad({y}, {x}, {}, true)[0]);
      for (std::size_t i = 0; i < 2; ++i) CHECK(std::abs(got[i] - want[i]) < 1e-5);
    }
    CHECK(std::abs(cosine_similarity(x, x, 0, 1e-30).item() - 1) < 1e-5);
  }
  const Tensor x = tensor({1e25, 1e25, -1e25}, Float32).requires_grad_();
  const Values got = values(autograd::grad({tapehead::std(x, Axes{})}, {x})[0]);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(std::abs(got[i] - (i < 2 ? 0.2886751 : -0.5773503)) < 1e-5);
}

TEST_CASE("normalising what has squares beyond Float32 gives what smaller numbers would") {
  const auto both = [](DType dtype) {
    const Tensor x = tensor({{1e30, 2e30, -1e30}}, dtype).requires_grad_();
    const Tensor w = tensor({0.5, -1.0, 2.0}, dtype);
    std::vector<Tensor> results;
    for (const Tensor& y : {layer_norm(x, {3}), rms_norm(x, {3})})
      for (const bool create_graph : {false, true}) {
        results.push_back(y);
        results.push_back(autograd::grad({sum(y * w)}, {x}, {}, true, create_graph)[0] * 1e30);
      }
    return results;
  };
  const std::vector<Tensor> got = both(Float32), want = both(Float64);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Values a = values(got[i]), b = values(want[i]);
    for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(a[k] - b[k]) < 1e-5);
  }
  for (const Tensor& y : {layer_norm(tensor({1e200, 2e200, -1e200}, Float64), {3}),
                          rms_norm(tensor({1e200, 2e200, -1e200}, Float64), {3})})
    CHECK(all(isnan(y)).item<bool>());
}
