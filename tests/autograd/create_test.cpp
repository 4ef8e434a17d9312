#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include <cmath>
#include <string>

#include "../support/compare.h"

using namespace tapehead;
using testing::values;
using Values = std::vector<double>;

TEST_CASE(
    "tensor takes nested lists: whole numbers give Int64, true and false Bool, others Float32") {
  CHECK(tensor({{1, 2, 3}, {4, 5, 6}}).shape() == Shape{2, 3});
  CHECK(tensor({1, 2}).dtype() == Int64);
  CHECK(tensor({true, false}).dtype() == Bool);
  CHECK(tensor({1., 2.}).dtype() == Float32);
  CHECK(tensor({1, 2.5}).dtype() == Float32);
  CHECK(values(tensor({1, 2.5})) == Values{1, 2.5});
  CHECK(tensor({true, 2}).dtype() == Int64);
  CHECK(values(tensor({true, 2})) == Values{1, 2});
  CHECK(tensor(5).shape() == Shape{});
  CHECK(tensor({1, 2}, Float64).dtype() == Float64);
  CHECK(tensor({}).shape() == Shape{0});
  CHECK(tensor({}).dtype() == Float32);
}

TEST_CASE("tensor keeps whole numbers exact beyond what a double holds") {
  const Index large = (Index{1} << 60) + 1;
  CHECK(tensor({large, large + 1}).select(0, 1).item<Index>() == large + 1);
}

TEST_CASE("tensor refuses numbers that Int64 cannot hold") {
  CHECK_THROWS_WITH_AS(tensor({std::nan("")}, Int64),
                       "tensor: nan is beyond what 64-bit whole numbers hold; keep it a "
                       "floating-point number",
                       DTypeError);
  const std::string most =
      ": 18446744073709551615 is beyond what 64-bit whole numbers hold; keep it a floating-point "
      "number";
  CHECK_THROWS_WITH_AS(tensor({1, 18446744073709551615ULL}), ("tensor" + most).c_str(), DTypeError);
  CHECK_THROWS_WITH_AS(full({2}, 18446744073709551615ULL), ("scalar" + most).c_str(), DTypeError);
}

TEST_CASE("tensor refuses lists of different shapes, and values that do not fill a shape") {
  CHECK_THROWS_WITH_AS(tensor({{1, 2}, {3}}),
                       "tensor: elements of one list must have one shape, got (2) and (1)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(tensor(std::vector<Index>{1, 2, 3}, {2, 2}),
                       "tensor: 3 values do not fill (2, 2); give 4", ShapeError);
  CHECK_THROWS_WITH_AS(tensor(std::vector<double>{1, 2, 3}, {2, 2}),
                       "tensor: 3 values do not fill (2, 2); give 4", ShapeError);
}

TEST_CASE("random tensors like another have its layout, so that PyTorch's numbers are in place") {
  const Tensor x = zeros({2, 3}).t();
  manual_seed(0);
  const Tensor y = rand_like(x);
  manual_seed(0);
  CHECK(equal(y.t(), rand({2, 3})));
  CHECK(y.strides() == x.strides());
  const Tensor wide = zeros({4, 5}, Float64);
  manual_seed(1);
  const Tensor z = randn_like(wide);
  manual_seed(1);
  CHECK(equal(z, randn({4, 5}, Float64)));
  CHECK_THROWS_WITH_AS(rand_like(tensor({1})),
                       "rand_like: expected Float32 or Float64, got Int64; convert with "
                       ".to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(randn_like(tensor({1})),
                       "randn_like: expected Float32 or Float64, got Int64; convert with "
                       ".to(Float32)",
                       DTypeError);
}

TEST_CASE("bernoulli draws ones by the probability of each element, or by one for all") {
  manual_seed(0);
  const Tensor p = rand({1000}).requires_grad_();
  const Tensor y = bernoulli(p);
  CHECK_FALSE(y.requires_grad());
  CHECK(values(bernoulli(tensor({0., 1., 0., 1.}))) == Values{0, 1, 0, 1});
  CHECK(std::abs(mean(y).item() - 0.5) < 0.05);
  const Tensor whole = bernoulli(tensor({7, 7, 7}), 1);
  CHECK(whole.dtype() == Int64);
  CHECK(values(whole) == Values{1, 1, 1});
  CHECK_THROWS_WITH_AS(bernoulli(p, 2), "bernoulli: a probability must lie in [0, 1], got 2",
                       Error);
}

TEST_CASE("a negative size is refused in the name of the function it was given to") {
  const auto refused = [](const char* op, const auto& call) {
    CHECK_THROWS_WITH_AS(call(Shape{2, -3}),
                         (op + std::string(": sizes cannot be negative, got (2, -3); "
                                           "-1 is for view, reshape and expand"))
                             .c_str(),
                         ShapeError);
  };
  refused("zeros", [](const Shape& shape) { zeros(shape); });
  refused("ones", [](const Shape& shape) { ones(shape); });
  refused("full", [](const Shape& shape) { full(shape, 1); });
  refused("empty", [](const Shape& shape) { empty(shape); });
  refused("eye", [](const Shape& shape) { eye(shape[0], shape[1]); });
  refused("rand", [](const Shape& shape) { rand(shape); });
  refused("randn", [](const Shape& shape) { randn(shape); });
  refused("randint", [](const Shape& shape) { randint(0, 2, shape); });
  refused("tensor", [](const Shape& shape) { tensor(std::vector<double>{1}, shape); });
}

TEST_CASE("zeros, ones, full and their _like forms") {
  CHECK(values(zeros({2})) == Values{0, 0});
  CHECK(zeros({2}).dtype() == Float32);
  CHECK(values(ones({2}, Int64)) == Values{1, 1});
  CHECK(values(full({2}, 2.5, Float64)) == Values{2.5, 2.5});
  CHECK(full({2}, 2.5).dtype() == Float32);
  CHECK(full({2}, 7).dtype() == Int64);
  CHECK(full({2}, true).dtype() == Bool);
  CHECK(values(full({2}, 7)) == Values{7, 7});
  CHECK(values(full({2}, true)) == Values{1, 1});
  CHECK(full_like(zeros({2}), 7).dtype() == Float32);
  CHECK(empty({2, 3}, Bool).shape() == Shape{2, 3});
  const Tensor x = zeros({3, 2}, Float64).t().requires_grad_();
  for (const Tensor& like : {zeros_like(x), ones_like(x), full_like(x, 7), empty_like(x)}) {
    CHECK(like.shape() == Shape{2, 3});
    CHECK(like.dtype() == Float64);
    CHECK(like.is_contiguous());
    CHECK_FALSE(like.requires_grad());
  }
  CHECK(values(full_like(x, 7)) == Values(6, 7));
}

TEST_CASE("arange counts, whole numbers as Int64") {
  CHECK(values(arange(3)) == Values{0, 1, 2});
  CHECK(arange(3).dtype() == Int64);
  CHECK(arange(3, Float32).dtype() == Float32);
  CHECK(values(arange(1, 2, 0.25)) == Values{1, 1.25, 1.5, 1.75});
  CHECK(arange(1, 2, 0.25).dtype() == Float32);
  CHECK(values(arange(5, 0, -2)) == Values{5, 3, 1});
  CHECK(values(arange(0, 2, 1, Float64)) == Values{0, 1});
}

TEST_CASE("linspace and eye") {
  CHECK(values(linspace(0, 1, 5)) == Values{0, 0.25, 0.5, 0.75, 1});
  CHECK(values(eye(2)) == Values{1, 0, 0, 1});
  CHECK(values(eye(2, 3, Float64)) == Values{1, 0, 0, 0, 1, 0});
}

TEST_CASE("random tensors start again with the seed, as PyTorch's do") {
  manual_seed(0);
  CHECK(testing::difference(rand({3}), tensor({.4962566, .7682218, .0884774}), {.atol = 1e-7}) ==
        "");
  const Tensor more[] = {randn({2, 2}, Float64), randint(0, 10, {4}), randperm(5)};
  manual_seed(0);
  rand({3});
  CHECK(testing::difference(randn({2, 2}, Float64), more[0]) == "");
  CHECK(testing::difference(randint(0, 10, {4}), more[1]) == "");
  CHECK(testing::difference(randperm(5), more[2]) == "");
  CHECK(more[2].dtype() == Int64);
}

TEST_CASE("randint_like draws whole numbers of x's shape and dtype, in the order of x's memory") {
  manual_seed(3);
  const Tensor across = randint_like(zeros({2, 3}, Int64).t(), 0, 10);
  CHECK(across.strides() == Strides{1, 3});
  CHECK(values(across) == Values{6, 7, 8, 0, 7, 0});  // PyTorch 1.13.1's
  const Tensor real = randint_like(zeros({200}, Float32), -3, 4);
  CHECK(real.dtype() == Float32);
  CHECK(real.min().item() == -3);
  CHECK(real.max().item() == 3);
  CHECK_THROWS_WITH_AS(randint_like(real, 2, 2),
                       "randint_like: low must be below high, got 2 and 2; high itself is excluded",
                       Error);
  CHECK_THROWS_WITH_AS(randint_like(tensor(true), 0, 3),
                       "randint_like: Bool does not hold every whole number from 0 to 2; use Int64",
                       DTypeError);
}
