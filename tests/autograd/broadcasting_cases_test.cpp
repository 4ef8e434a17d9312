// The reference cases about broadcasting and reductions.
#include <tapehead/autograd/ops.h>

#include "../support/cases.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

constexpr DType floats[] = {Float64, Float32};

}  // namespace

TEST_CASE("BCAST-01: (4,1)*(1,3) + (3)*() : each gradient has its operand's shape") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor a = c.input("a", dtype).requires_grad_(), b = c.input("b", dtype).requires_grad_(),
                 v = c.input("c", dtype).requires_grad_(), s = c.input("s", dtype).requires_grad_();
    const Tensor y = a * b + v * s;
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    sum(y * c.input("R", dtype)).backward();
    CHECK(c.difference(a.grad(), c.grad("a", dtype)) == "");
    CHECK(c.difference(b.grad(), c.grad("b", dtype)) == "");
    CHECK(c.difference(b.grad(), c.known_wrong("mean_instead_of_sum_db", dtype)) != "");
    CHECK(c.difference(v.grad(), c.grad("c", dtype)) == "");
    CHECK(c.difference(s.grad(), c.grad("s", dtype)) == "");
  }
}

TEST_CASE("BCAST-02: Leading axes and inner size-1 axes at once") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor a = c.input("a", dtype).requires_grad_(), b = c.input("b", dtype).requires_grad_(),
                 v = c.input("c", dtype).requires_grad_(), d = c.input("d", dtype).requires_grad_();
    const Tensor y = (a - b) * (v + d);
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    sum(y * c.input("R", dtype)).backward();
    CHECK(c.difference(a.grad(), c.grad("a", dtype)) == "");
    CHECK(c.difference(b.grad(), c.grad("b", dtype)) == "");
    CHECK(c.difference(v.grad(), c.grad("c", dtype)) == "");
    CHECK(c.difference(d.grad(), c.grad("d", dtype)) == "");
  }
}

TEST_CASE(
    "BCAST-03: Batched matmul with a shared 2-D operand: its gradient is summed over the batch") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const auto check = [&](const char* left, const char* right, const char* out, const char* onto) {
      const Tensor a = c.input(left, dtype).requires_grad_();
      const Tensor b = c.input(right, dtype).requires_grad_();
      const Tensor y = matmul(a, b);
      CHECK(c.difference(y, c.output(out, dtype)) == "");
      sum(y * c.input(onto, dtype)).backward();
      CHECK(c.difference(a.grad(), c.grad(left, dtype)) == "");
      CHECK(c.difference(b.grad(), c.grad(right, dtype)) == "");
    };
    check("x", "w", "out", "R");
    check("l", "z", "out2", "R2");
  }
}

TEST_CASE(
    "BCAST-04: Prediction (N,1) against target (N): (N,N) broadcast must not become a silent "
    "loss") {
  const Case c = this_case();
  const Tensor pred = c.input("pred"), target = c.input("target");
  CHECK_THROWS_WITH_AS(
      mse_loss(pred, target),
      "mse_loss: input (3, 1) and target (3) must have one shape; view or expand one of them",
      ShapeError);
  const Tensor loss = mse_loss(pred, target.view({3, 1}));
  CHECK(c.difference(loss, c.output("mse_same_shape")) == "");
  CHECK(c.difference(loss, c.known_wrong("mse_over_NxN")) != "");
  CHECK((pred - target).shape() == Shape{3, 3});
}

TEST_CASE(
    "BCAST-05: Reductions over several axes without keepdim: the gradient re-expands on the right "
    "axes") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const auto check = [&](auto reduce, const char* out, const char* onto, const char* grad) {
      const Tensor x = c.input("x", dtype).requires_grad_();
      const Tensor y = reduce(x);
      CHECK(c.difference(y, c.output(out, dtype)) == "");
      sum(y * c.input(onto, dtype)).backward();
      CHECK(c.difference(x.grad(), c.grad(grad, dtype)) == "");
    };
    check([](const Tensor& x) { return mean(x, {1, 2}); }, "out1", "R1", "x_from_y1");
    check([](const Tensor& x) { return sum(pow(x, 2), {0, 2}); }, "out2", "R2", "x_from_y2");
    check([](const Tensor& x) { return sum(pow(x, 2), {-2}, true); }, "out3", "R3", "x_from_y3");
  }
}

TEST_CASE(
    "BCAST-06: Reducing the only axis of a vector gives a 0-d tensor with a working gradient") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    for (const Axes& axes : {Axes{}, Axes{0}, Axes{-1}}) {
      const Tensor x = c.input("x", dtype).requires_grad_();
      const Tensor loss = mean(pow(x, 2), axes);
      CHECK(c.difference(loss, c.output("loss", dtype)) == "");
      loss.backward();
      CHECK(c.difference(x.grad(), c.grad("x", dtype)) == "");
      CHECK(c.difference(x.grad(), c.known_wrong("missing_1_over_n", dtype)) != "");
    }
  }
}
