// Operators: those of PyTorch, as functions and methods of other names do it.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include "../support/compare.h"

using namespace tapehead;
using testing::difference;
using testing::noise;

TEST_CASE("operators with = change the tensor in place, views of it too, and are recorded") {
  const Tensor b = tensor({2.0, 3.0, 4.0}, Float64).requires_grad_();
  Tensor x = zeros({2, 3}, Float64);
  const Tensor whole = x;
  x += 1;
  x.select(0, 1) += 2;
  (x *= 6) -= 1.5;
  x /= 2;
  CHECK(equal(whole, tensor({{2.25, 2.25, 2.25}, {8.25, 8.25, 8.25}}, Float64)));
  x += b;
  x *= b;
  x /= tensor({4.0, 4.0, 4.0}, Float64);
  x -= b;
  const Tensor before = tensor({{2.25, 2.25, 2.25}, {8.25, 8.25, 8.25}}, Float64);
  const Tensor want = (before + b) * b / 4 - b;
  CHECK(difference(x.detach(), want.detach()) == "");
  const Tensor weights = noise({2, 3});
  const Tensor got_grad = autograd::grad({(x * weights).sum()}, {b})[0],
               want_grad = autograd::grad({(want * weights).sum()}, {b})[0];
  CHECK(difference(got_grad, want_grad, {.relative_to_at_least_one = 1e-14}) == "");
}

TEST_CASE("% is the remainder that has the sign of its right side, as in Python") {
  const Tensor x = tensor({-7, -1, 0, 5, 7});
  CHECK(equal(x % 3, tensor({2, 2, 0, 2, 1})));
  CHECK(equal(x % -3, tensor({-1, -1, 0, -1, -2})));
  CHECK(equal(x % tensor({3, -3, 3, -3, 4}), tensor({2, -1, 0, -1, 3})));
}

TEST_CASE("a number may stand on the left of a comparison") {
  const Tensor x = tensor({2.0, 3.0, 4.0});
  CHECK(equal(3 < x, tensor({false, false, true})));
  CHECK(equal(3 <= x, tensor({false, true, true})));
  CHECK(equal(3 > x, tensor({true, false, false})));
  CHECK(equal(3 >= x, tensor({true, true, false})));
  CHECK(equal(3 == x, tensor({false, true, false})));
  CHECK(equal(3 != x, tensor({true, false, true})));
  CHECK(equal(x < 3, tensor({true, false, false})));
  CHECK(equal(x == 3, tensor({false, true, false})));
  CHECK(equal(x != 3, tensor({true, false, true})));
}

TEST_CASE("masks are joined by & | ^ ~, and broadcast") {
  const Tensor a = tensor({{true, true}, {false, false}}), b = tensor({true, false});
  CHECK(equal(a & b, tensor({{true, false}, {false, false}})));
  CHECK(equal(a | b, tensor({{true, true}, {true, false}})));
  CHECK(equal(a ^ b, tensor({{false, true}, {true, false}})));
  CHECK(equal(~a, tensor({{false, false}, {true, true}})));
  const Tensor x = tensor({-1.0, 1.0, 3.0});
  CHECK(equal((0 < x) & (x < 2), tensor({false, true, false})));
}

TEST_CASE("& | ^ ~ of what is no mask name the function that takes it") {
  const Tensor mask = tensor({true}), number = tensor({1}), x = tensor({1.0});
  CHECK_THROWS_WITH_AS(mask & number,
                       "&: expected Bool masks, got Int64; for what is not 0 use logical_and",
                       DTypeError);
  CHECK_THROWS_WITH_AS(x | mask,
                       "|: expected Bool masks, got Float32; for what is not 0 use logical_or",
                       DTypeError);
  CHECK_THROWS_WITH_AS(number ^ number,
                       "^: expected Bool masks, got Int64; for what is not 0 use logical_xor",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      ~number, "~: expected Bool masks, got Int64; for what is not 0 use logical_not", DTypeError);
  CHECK_THROWS_WITH_AS(mask & Tensor(),
                       "&: input 2 of 2 is undefined (made by Tensor(), or a gradient that is not "
                       "there); ask defined() first",
                       Error);
}
