// Methods that give a tensor another shape, or no history, in place.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include <string>
#include <vector>

#include "../support/compare.h"
#include "../support/leaf.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

std::vector<double> gradient(const Tensor& y, const Tensor& x) {
  return values(autograd::grad({sum(y)}, {x})[0]);
}

}  // namespace

TEST_CASE("views in place change the shape of every handle, and the way back") {
  const Tensor x = leaf({1, 2, 3, 4, 5, 6}), factor = testing::noise({1, 3, 2}, 1);
  Tensor y = (x * 1).view({2, 3});
  const Tensor other = y;
  y.t_().unsqueeze_(0);
  CHECK(other.shape() == Shape{1, 3, 2});
  CHECK(values(other) == Values{1, 4, 2, 5, 3, 6});
  const Values g = gradient(other * factor, x);
  CHECK(g == values(factor.select(0, 0).t().contiguous()));
  y.transpose_(0, -1).squeeze_();
  CHECK(y.shape() == Shape{2, 3});
  y.unsqueeze_(1).squeeze_(1);
  CHECK(y.shape() == Shape{2, 3});
  CHECK(values(y) == Values{1, 2, 3, 4, 5, 6});
  CHECK_THROWS_WITH_AS(y.unsqueeze_(4),
                       "unsqueeze_: dimension 4 is out of range for a tensor of 3 dimensions; use "
                       "-3 to 2",
                       ShapeError);
}

TEST_CASE("who saved a tensor notices that another shape or no history was given to it") {
  struct Change {
    std::string op, now;  // what the message calls the changed tensor
    void (*change)(Tensor&);
  };
  const std::vector<Change> changes{
      {"t_", "(2, 2) (transpose)", [](Tensor& x) { x.t_(); }},
      {"transpose_", "(2, 2) (transpose)", [](Tensor& x) { x.transpose_(0, 1); }},
      {"squeeze_", "(2, 2) (squeeze)", [](Tensor& x) { x.squeeze_(); }},
      {"unsqueeze_", "(1, 2, 2) (unsqueeze)", [](Tensor& x) { x.unsqueeze_(0); }},
      {"detach_", "(2, 2) (constant)", [](Tensor& x) { x.detach_(); }}};
  for (const Change& c : changes) {
    const Tensor x = ones({2, 2}, Float64).requires_grad_();
    const Tensor w = ones({2, 2}, Float64).requires_grad_();
    Tensor y = x * 2;
    const Tensor z = matmul(y, w).sum();
    c.change(y);
    const std::string message = "matmul: it saved a tensor of shape " + c.now +
                                " at version 0, now 1 because " + c.op +
                                " changed it in place; clone() it first, or change it after "
                                "backward()";
    CHECK_THROWS_WITH_AS(z.backward(), message.c_str(), GraphError);
    CHECK_FALSE(w.grad().defined());
    CHECK_FALSE(x.grad().defined());
  }
}

TEST_CASE("views in place are refused where a gradient would have another shape") {
  Tensor x = leaf({1, 2});
  CHECK_THROWS_WITH_AS(x.unsqueeze_(0),
                       "unsqueeze_: a leaf and its gradient have one shape, which stays; use "
                       "unsqueeze, which makes a new tensor",
                       GraphError);
  Tensor y = x * 1;
  const NoGradGuard no_grad;
  CHECK_THROWS_WITH_AS(y.unsqueeze_(0),
                       "unsqueeze_: the history of this tensor, (2), would miss its new shape "
                       "while nothing is recorded; use unsqueeze, or detach() first",
                       GraphError);
  Tensor constant = tensor({1., 2.});
  CHECK(constant.unsqueeze_(0).shape() == Shape{1, 2});
}

TEST_CASE("detach_ makes all handles a constant and leaves the other tensors their history") {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 2;
  const Tensor handle = y, later = y * 3;
  CHECK_FALSE(y.detach_().requires_grad());
  CHECK_FALSE(handle.requires_grad());
  CHECK(gradient(later, x) == Values{6, 6});
  CHECK_THROWS_WITH_AS(Tensor().detach_(),
                       "detach_: the tensor to change is undefined (made by Tensor(), or a "
                       "gradient that is not there); ask defined() first",
                       Error);
}
