#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/autograd/tensor.h>

#include <sstream>

#include "../support/compare.h"
#include "../support/leaf.h"

using namespace tapehead;
using testing::difference;
using testing::values;

namespace {

using testing::leaf;
using testing::Values;

}  // namespace

TEST_CASE("an undefined tensor is not defined, a made one is") {
  CHECK_FALSE(Tensor().defined());
  CHECK(zeros({2}).defined());
}

TEST_CASE("a tensor of an undefined array is undefined, and set_data refuses one") {
  CHECK_FALSE(Tensor(NDArray()).defined());
  Tensor x = leaf({1});
  CHECK_THROWS_WITH_AS(x.set_data(NDArray()),
                       "set_data: the given array is undefined (made by NDArray()); give one with "
                       "a shape, if only an empty one",
                       Error);
  CHECK(values(x) == Values{1});
}

TEST_CASE("copies of a tensor are handles on one tensor") {
  const Tensor x = leaf({1, 2});
  const Tensor same = x;
  sum(same * 3).backward();
  CHECK(values(x.grad()) == Values{3, 3});
  CHECK(x.impl() == same.impl());
}

TEST_CASE("a tensor tells its shape, strides, dtype and sizes") {
  const Tensor x = zeros({2, 3, 4}, Float64).transpose(0, 2);
  CHECK(x.shape() == Shape{4, 3, 2});
  CHECK(x.strides() == Strides{1, 4, 12});
  CHECK(x.dtype() == Float64);
  CHECK(x.dim() == 3);
  CHECK(x.numel() == 24);
  CHECK(x.size(-1) == 2);
  CHECK_FALSE(x.is_contiguous());
  CHECK_THROWS_WITH_AS(
      x.size(3), "size: dimension 3 is out of range for a tensor of 3 dimensions; use -3 to 2",
      ShapeError);
}

TEST_CASE("item gives the value of one element, and refuses several") {
  CHECK(full({1, 1}, 2.5, Float64).item() == 2.5);
  CHECK(tensor(7).item<Index>() == 7);
  CHECK_THROWS_WITH_AS(zeros({2, 3}).item(),
                       "item: expected one element, got shape (2, 3); select one first, or reduce "
                       "with sum() or mean()",
                       ShapeError);
}

TEST_CASE("requires_grad_ makes a leaf, and undoes it") {
  Tensor x = zeros({2});
  CHECK_FALSE(x.requires_grad());
  CHECK(x.is_leaf());
  CHECK(x.requires_grad_().requires_grad());
  CHECK(x.is_leaf());
  CHECK(x.requires_grad_().is_leaf());
  CHECK_FALSE(x.requires_grad_(false).requires_grad());
}

TEST_CASE("requires_grad_ refuses dtypes without gradients and the results of ops") {
  CHECK_THROWS_WITH_AS(
      tensor({1, 2}).requires_grad_(),
      "requires_grad_: only Float32 and Float64 tensors have gradients, got Int64; "
      "convert with .to(Float32)",
      GraphError);
  CHECK_THROWS_WITH_AS(tensor(true).requires_grad_(),
                       "requires_grad_: only Float32 and Float64 tensors have gradients, got Bool; "
                       "convert with .to(Float32)",
                       GraphError);
  Tensor y = exp(leaf({1}));
  CHECK(y.requires_grad_().requires_grad());  // as it does already
  CHECK_THROWS_WITH_AS(y.requires_grad_(false),
                       "requires_grad_: the result of exp cannot forget its history; use detach()",
                       GraphError);
}

TEST_CASE("the result of an op is no leaf and has no grad; of constants it is a constant") {
  const Tensor y = leaf({1}) * 2;
  CHECK(y.requires_grad());
  CHECK_FALSE(y.is_leaf());
  CHECK_FALSE(y.grad().defined());
  const Tensor z = zeros({1}) * 2;
  CHECK_FALSE(z.requires_grad());
  CHECK(z.is_leaf());
}

TEST_CASE("detach shares memory and forgets the history") {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2, cut = y.detach();
  CHECK(cut.is_leaf());
  CHECK_FALSE(cut.requires_grad());
  CHECK(cut.array().shares_storage_with(y.array()));
  sum(y * cut).backward();
  CHECK(values(x.grad()) == Values{4, 8});  // 2 cut, not 4 y
}

TEST_CASE("grad is undefined until backward, and again after zero_grad") {
  Tensor x = leaf({1});
  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE(zeros({1}).grad().defined());
  sum(x).backward();
  CHECK(x.grad().defined());
  x.zero_grad();
  CHECK_FALSE(x.grad().defined());
  Tensor constant = zeros({1});
  constant.zero_grad();
}

TEST_CASE("retain_grad has backward collect the gradient of an intermediate") {
  const Tensor x = leaf({2});
  Tensor y = x * 3;
  y.retain_grad();
  sum(y * y).backward();
  CHECK(values(y.grad()) == Values{12});
  CHECK(values(x.grad()) == Values{36});
  Tensor constant = zeros({2, 3});
  CHECK_THROWS_WITH_AS(constant.retain_grad(),
                       "retain_grad: this tensor of shape (2, 3) requires no gradient; call "
                       "requires_grad_() on an input first",
                       GraphError);
}

TEST_CASE("set_data gives every handle another value and forgets the gradient") {
  Tensor x = leaf({1, 2});
  const Tensor same = x;
  sum(x).backward();
  x.set_data(zeros({3, 1}, Float32).array());
  CHECK(same.shape() == Shape{3, 1});
  CHECK(same.requires_grad());
  CHECK_FALSE(same.grad().defined());
  sum(same * 2).backward();
  CHECK(difference(x.grad(), full({3, 1}, 2.)) == "");
  Tensor y = x * 2;
  CHECK_THROWS_WITH_AS(y.set_data(zeros({1}).array()),
                       "set_data: the result of mul has a history that belongs to its value; use "
                       "detach() first",
                       GraphError);
  CHECK_THROWS_WITH_AS(x.set_data(tensor({1}).array()),
                       "set_data: only Float32 and Float64 tensors have gradients, got Int64; "
                       "convert with .to(Float32)",
                       GraphError);
}

TEST_CASE("set_data lets go of the memory it replaces") {
  Tensor x = zeros({2});
  const Tensor view = x.view({2, 1});
  CHECK(view.array().storage()->tensors == 2);
  x.set_data(zeros({4}).array());
  CHECK(view.array().storage()->tensors == 1);
  CHECK(x.array().storage()->tensors == 1);
}

TEST_CASE("operators do what they say, with numbers on either side") {
  const Tensor x = tensor({1., 4.}, Float64), y = tensor({2., 3.}, Float64);
  CHECK(values(x + y) == Values{3, 7});
  CHECK(values(x + 1) == Values{2, 5});
  CHECK(values(1 + x) == Values{2, 5});
  CHECK(values(x - y) == Values{-1, 1});
  CHECK(values(x - 1) == Values{0, 3});
  CHECK(values(1 - x) == Values{0, -3});
  CHECK(values(-x) == Values{-1, -4});
  CHECK(values(x * y) == Values{2, 12});
  CHECK(values(x * 2) == Values{2, 8});
  CHECK(values(2 * x) == Values{2, 8});
  CHECK(values(x / y) == Values{0.5, 4. / 3});
  CHECK(values(x / 2) == Values{0.5, 2});
  CHECK(values(2 / x) == Values{2, 0.5});
  CHECK(values(x == y) == Values{0, 0});
  CHECK(values(x == 4) == Values{0, 1});
  CHECK(values(x != y) == Values{1, 1});
  CHECK(values(x != 4) == Values{1, 0});
  CHECK(values(x < y) == Values{1, 0});
  CHECK(values(x < 4) == Values{1, 0});
  CHECK(values(x <= y) == Values{1, 0});
  CHECK(values(x <= 4) == Values{1, 1});
  CHECK(values(x > y) == Values{0, 1});
  CHECK(values(x > 1) == Values{0, 1});
  CHECK(values(x >= y) == Values{0, 1});
  CHECK(values(x >= 1) == Values{1, 1});
}

TEST_CASE("a tensor prints as PyTorch prints it, with what it remembers") {
  const Tensor x = tensor({1., 2.5});
  CHECK(to_string(x) == "tensor([1.0000, 2.5000])");
  CHECK(to_string(tensor({1, 2})) == "tensor([1, 2])");
  CHECK(to_string(leaf({1, 2})) == "tensor([1., 2.], dtype=Float64, requires_grad=True)");
  CHECK(to_string(exp(leaf({0}))) == "tensor([1.], dtype=Float64, grad_fn=<exp>)");
  CHECK(to_string(Tensor()) == "tensor(undefined)");
  std::ostringstream out;
  out << x;
  CHECK(out.str() == to_string(x));
}
