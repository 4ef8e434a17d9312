#include <doctest/doctest.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/parameter.h>

#include "../support/compare.h"

using namespace tapehead;
using nn::Parameter;

TEST_CASE("a parameter is a leaf that requires a gradient, of the same memory as its value") {
  Tensor source = ones({2}).requires_grad_();
  const Parameter p{source * 2};
  CHECK(p.is_leaf());
  CHECK(p.requires_grad());
  p.sum().backward();
  CHECK_FALSE(source.grad().defined());
  const Tensor constant = ones({2});
  CHECK(Parameter(constant).array().shares_storage_with(constant.array()));
}

TEST_CASE("a parameter assigned from another is the same tensor") {
  Parameter a{ones({2})}, b{zeros({2})};
  b = a;
  (a + b).sum().backward();
  CHECK(testing::difference(b.grad(), full({2}, 2.)) == "");
  const Parameter c(a);
  CHECK(c.impl() == a.impl());
}

TEST_CASE("a parameter of whole numbers is refused") {
  CHECK_THROWS_WITH_AS(
      Parameter(ones({2}, Int64)),
      "requires_grad_: only Float32 and Float64 tensors have gradients, got Int64; "
      "convert with .to(Float32)",
      GraphError);
}
