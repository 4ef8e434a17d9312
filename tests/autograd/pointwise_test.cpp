// Functions of elements where they bend, end or take other dtypes. Values are PyTorch 1.13.1's.
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

using Op = Tensor (*)(const Tensor&);

// f(x) and its derivative, both as rows of numbers.
void check(Op f, const Values& at, const Values& want, const Values& slope) {
  const Tensor x = leaf(at);
  const Tensor y = f(x);
  const Tolerance near{.atol = 1e-14, .rtol = 1e-14};
  CHECK(difference(y.detach(), leaf(want).detach(), near) == "");
  for (const bool create_graph : {false, true})
    CHECK(difference(autograd::grad({sum(y)}, {x}, {}, true, create_graph)[0].detach(),
                     leaf(slope).detach(), near) == "");
}
using In = const Tensor&;

}  // namespace

TEST_CASE("activations bend and end where PyTorch's do") {
  check([](In x) { return leaky_relu(x, 0.2); }, {0, 1, -1, inf, -inf, none},
        {0, 1, -0.2, inf, -inf, none}, {0.2, 1, 0.2, 1, 0.2, 0.2});
  check([](In x) { return elu(x, 0.7); }, {0, -0., 1.4, -1000, inf, -inf, 1000},
        {0, 0, 1.4, -0.7, inf, -0.7, 1000}, {0.7, 0.7, 1, 0, 1, 0, 1});
  check([](In x) { return softplus(x, 2, 3); }, {0, 1.6, -1000, inf, -inf},
        {std::log(2.0) / 2, 1.6, 0, inf, 0}, {0.5, 1, 0, 1, 0});
  check(logsigmoid, {0, 1000, -1000, inf, -inf}, {-std::log(2.0), 0, -1000, 0, -inf},
        {0.5, 0, 1, 0, 1});
  check(erf, {0, inf}, {0, 1}, {2 / std::sqrt(std::acos(-1.0)), 0});
  check(log1p, {-1, 0, inf}, {-inf, 0, inf}, {inf, 1, 0});
  check(expm1, {inf, -inf, 0}, {inf, -1, 0}, {inf, 0, 1});
}

TEST_CASE("silu and its slope have limits at infinity, where PyTorch gives NaN") {
  for (const DType dtype : {Float32, Float64})
    for (const bool create_graph : {false, true}) {
      const Tensor x = tensor({-inf, -1e30, 0., 1e30, inf}, dtype).requires_grad_();
      const Tensor y = silu(x);
      CHECK(values(y.narrow(0, 0, 3)) == Values{0, 0, 0});
      CHECK(values(y)[4] == inf);
      const Tensor g = autograd::grad({sum(y)}, {x}, {}, create_graph, create_graph)[0];
      CHECK(difference(g.detach(), tensor({0., 0., 0.5, 1., 1.}, dtype), {.atol = 1e-40}) == "");
    }
}

TEST_CASE("logaddexp does not overflow, and takes infinities") {
  const Tensor a = leaf({-inf, inf, 1000, inf, -inf}), b = leaf({-inf, inf, 1000, -inf, 0});
  const Tensor y = logaddexp(a, b);
  CHECK(values(y) == Values{-inf, inf, 1000 + std::log(2.0), inf, 0});
  const Values da = values(autograd::grad({sum(y)}, {a}, {}, true)[0]);
  CHECK((std::isnan(da[0]) && std::isnan(da[1])));
  CHECK(Values{da[2], da[3], da[4]} == Values{0.5, 1, 0});
}

TEST_CASE("lerp meets both of its ends, and goes on beyond them") {
  const Tensor a = tensor({0.1, 0.3}, Float64), b = tensor({0.7, -0.9}, Float64);
  CHECK(equal(lerp(a, b, 0), a));
  CHECK(equal(lerp(a, b, 1), b));
  CHECK(difference(lerp(a, b, 2), b + (b - a), {.atol = 1e-15}) == "");
  CHECK_THROWS_WITH_AS(lerp(tensor({1}), tensor({2}), 0.5),
                       "lerp: expected Float32 or Float64, got Int64; convert with .to(Float32)",
                       DTypeError);
}

TEST_CASE("steps have gradient zero, rather than none") {
  for (const Op f : std::initializer_list<Op>{sign, floor, ceil, round, trunc}) {
    const Tensor x = leaf({0.5, -1.5, 2});
    CHECK(values(autograd::grad({sum(f(x))}, {x})[0]) == Values{0, 0, 0});
  }
  const Tensor a = leaf({5.5, -5.5}), b = leaf({2});
  const Tensor y = floor_divide(a, b);
  CHECK(values(y) == Values{2, -3});
  CHECK(values(autograd::grad({sum(y)}, {a}, {}, true)[0]) == Values{0, 0});
  CHECK(values(autograd::grad({sum(y)}, {b})[0]) == Values{0});
  CHECK(values(autograd::grad({sum(remainder(a, b))}, {b})[0]) == Values{1});
}

TEST_CASE("rounding leaves whole numbers as they are, and has no meaning for Bool") {
  const Tensor whole = tensor({3, -2});
  for (const Op f : std::initializer_list<Op>{floor, ceil, round, trunc}) {
    CHECK(equal(f(whole), whole));
  }
  CHECK_THROWS_WITH_AS(ceil(tensor({true})),
                       "ceil: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
  CHECK(equal(sign(whole), tensor({1, -1})));
  CHECK(equal(square(whole), tensor({9, 4})));
  CHECK_THROWS_WITH_AS(reciprocal(whole),
                       "reciprocal: expected Float32 or Float64, got Int64; convert with "
                       ".to(Float32)",
                       DTypeError);
}

TEST_CASE("isnan, isinf and isfinite take every dtype") {
  const Tensor x = tensor({1., inf, -inf, none});
  CHECK(values(isnan(x)) == Values{0, 0, 0, 1});
  CHECK(values(isinf(x)) == Values{0, 1, 1, 0});
  CHECK(values(isfinite(x)) == Values{1, 0, 0, 0});
  for (const Tensor& whole : {tensor({1, 0}), tensor({true, false})}) {
    CHECK(values(isnan(whole)) == Values{0, 0});
    CHECK(values(isinf(whole)) == Values{0, 0});
    CHECK(values(isfinite(whole)) == Values{1, 1});
  }
}

TEST_CASE("comparisons with numbers that the dtype cannot hold are PyTorch's") {
  const Tensor whole = tensor({3, -2, 0});
  CHECK(values(whole == 1.5) == Values{0, 0, 0});
  CHECK(values(whole < 2.5) == Values{0, 1, 1});
  CHECK(values(tensor({true, false}) == 2) == Values{0, 0});
}

TEST_CASE(
    "what the table's rows give to another op first refuses undefined inputs in its own name") {
  const Tensor x = tensor({0.5}), undefined;
  const auto refused = [](const char* op, const auto& call) {
    CAPTURE(op);
    try {
      call();
      CHECK(false);
    } catch (const Error& error) {
      CHECK(std::string(error.what()).starts_with(std::string(op) + ": "));
      CHECK(std::string(error.what()).find("is undefined") != std::string::npos);
    }
  };
  refused("floor", [&] { floor(undefined); });
  refused("ceil", [&] { ceil(undefined); });
  refused("round", [&] { round(undefined); });
  refused("trunc", [&] { trunc(undefined); });
  refused("floor_divide", [&] { floor_divide(x, undefined); });
  refused("floor_divide", [&] { floor_divide(undefined, 2); });
  refused("remainder", [&] { remainder(undefined, x); });
  refused("remainder", [&] { remainder(undefined, 2); });
  refused("isnan", [&] { isnan(undefined); });
  refused("isinf", [&] { isinf(undefined); });
  refused("isfinite", [&] { isfinite(undefined); });
  refused("logical_xor", [&] { logical_xor(undefined, x); });
  refused("any", [&] { any(undefined); });
  refused("count_nonzero", [&] { count_nonzero(undefined); });
  refused("binary_cross_entropy", [&] { binary_cross_entropy(x, undefined); });
  refused("rand_like", [&] { rand_like(undefined); });
  refused("randn_like", [&] { randn_like(undefined); });
  refused("bernoulli", [&] { bernoulli(undefined); });
  refused("bernoulli", [&] { bernoulli(undefined, 0.5); });
}

TEST_CASE("mT of a number is the number") {
  CHECK(mT(tensor(3.)).item() == 3);
  CHECK(mT(tensor(3.)).shape() == Shape{});
}

TEST_CASE("a bound of clamp must be a number that the dtype holds, as in PyTorch") {
  const Tensor x = tensor({1., -2.});
  const char* const beyond =
      "clamp: the scalar 1e+300 is beyond what Float32 holds, which ends at 3.40282e+38; use "
      "Float64, or INFINITY";
  CHECK_THROWS_WITH_AS(clamp(x, {}, 1e300), beyond, DTypeError);
  CHECK_THROWS_WITH_AS(clamp(x, 1e300), beyond, DTypeError);
  CHECK_THROWS_WITH_AS(clamp(x, 0, 1e300), beyond, DTypeError);
  CHECK(equal(clamp(x.to(Float64), {}, 1e300), x.to(Float64)));
  CHECK(equal(clamp(x, -INFINITY, INFINITY), x));
}
