#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/autograd/tensor.h>

#include "../support/compare.h"

using namespace tapehead;
using testing::difference;

TEST_CASE(
    "set_data gives all handles another value, of another shape and dtype, without a gradient") {
  Tensor x = ones({2}).requires_grad_();
  const Tensor same = x;
  (x * 3).sum().backward();
  CHECK(&x.set_data(NDArray::full({3}, 2, Float64)) == &x);
  CHECK(difference(same, full({3}, 2, Float64)) == "");
  CHECK_FALSE(same.grad().defined());
  CHECK(same.is_leaf());
  (same * 5).sum().backward();
  CHECK(difference(x.grad(), full({3}, 5, Float64)) == "");
}

TEST_CASE("set_data leaves a constant a constant, and the old memory as it was") {
  Tensor x = ones({2});
  const Tensor other = x.detach();
  x.set_data(NDArray::full({1}, 7, Int64));
  CHECK_FALSE(x.requires_grad());
  CHECK(difference(other, ones({2})) == "");
  Tensor alone = other.detach();
  alone.set_data(NDArray::full({1}, 7, Float32));
  CHECK(other.array().storage()->tensors == 1);
}

TEST_CASE("set_data refuses the result of an op, and a dtype without gradients, changing nothing") {
  Tensor x = ones({2}).requires_grad_(), y = x * 2;
  CHECK_THROWS_WITH_AS(y.set_data(NDArray::full({2}, 1, Float32)),
                       "set_data: the result of mul has a history that belongs to its value; use "
                       "detach() first",
                       GraphError);
  CHECK_THROWS_WITH_AS(x.set_data(NDArray::full({2}, 1, Int64)),
                       "set_data: only Float32 and Float64 tensors have gradients, got Int64; "
                       "convert with .to(Float32)",
                       GraphError);
  CHECK(difference(x, ones({2})) == "");
  CHECK(difference(y, full({2}, 2.)) == "");
}

TEST_CASE("backward notices that set_data changed what it saved") {
  Tensor x = ones({2}).requires_grad_(), w = ones({2}).requires_grad_();
  const Tensor y = (x * w).sum();
  x.set_data(NDArray::full({2}, 9, Float32));
  CHECK_THROWS_WITH_AS(
      y.backward(),
      "mul: it saved a tensor of shape (2) (leaf) at version 0, now 1 because set_data "
      "changed it in place; clone() it first, or change it after backward()",
      GraphError);
}
