// The reference cases about softmax, cross-entropy and long sums.
#include <tapehead/autograd/ops.h>

#include "../support/cases.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

constexpr DType floats[] = {Float64, Float32};

}  // namespace

TEST_CASE("SOFT-01: Cross-entropy with logits in the hundreds: finite loss, bounded gradient") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor x = c.input("x", dtype).requires_grad_();
    const Tensor loss = cross_entropy(x, c.input("target"));
    CHECK(c.difference(loss, c.output("loss", dtype)) == "");
    CHECK(difference(loss, c.output("loss", dtype), {.rtol = 1e-6}) == "");
    loss.backward();
    CHECK(c.difference(x.grad(), c.grad("x", dtype)) == "");
    CHECK(difference(sum(x.grad(), {1}), zeros({2}, dtype), {.atol = 1e-6}) == "");
  }
}

TEST_CASE("SOFT-02: Equal logits of 1e8 give ln 2 (subtract the maximum first, in f32 too)") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor x = c.input("x", dtype).requires_grad_();
    const Tensor loss = cross_entropy(x, c.input("target"));
    CHECK(c.difference(loss, c.output("loss", dtype)) == "");
    CHECK(c.difference(loss, c.known_wrong("f32_loss_without_shift_first", dtype)) != "");
    loss.backward();
    CHECK(c.difference(x.grad(), c.grad("x", dtype)) == "");
  }
}

TEST_CASE(
    "SOFT-03: ignore_index: the mean runs over the targets that count; -1 is a value, not the last "
    "position") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor x = c.input("x", dtype).requires_grad_();
    const Tensor target = c.input("target");
    const Tensor loss = cross_entropy(x, target, {.ignore_index = -1});
    CHECK(c.difference(loss, c.output("loss", dtype)) == "");
    CHECK(c.difference(loss, c.known_wrong("divided_by_all_rows", dtype)) != "");
    const Tensor rows =
        cross_entropy(x, target, {.ignore_index = -1, .reduction = Reduction::None});
    CHECK(c.difference(rows, c.output("per_row_loss_none_reduction", dtype)) == "");
    loss.backward();
    CHECK(c.difference(x.grad(), c.grad("x", dtype)) == "");
    CHECK(values(x.grad().select(0, 1)) == std::vector<double>{0, 0, 0});
    CHECK(values(x.grad().select(0, 3)) == std::vector<double>{0, 0, 0});
  }
}

TEST_CASE("SOFT-04: All targets ignored") {
  const Case c = this_case();
  const Tensor x = c.input("x").requires_grad_(), target = tensor({-100, -100});
  const Tensor loss = cross_entropy(x, target);
  CHECK(c.difference(loss, c.output("pytorch_mean")) == "");
  loss.backward();
  CHECK(difference(x.grad(), c.output("pytorch_grad_of_mean")) == "");
  const Tensor total = cross_entropy(x, target, {.reduction = Reduction::Sum});
  CHECK(c.difference(total, c.output("pytorch_sum")) == "");
}

TEST_CASE("SOFT-05: log_softmax is not log(softmax)") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor x = c.input("x", dtype).requires_grad_();
    const Tensor y = log_softmax(x, -1);
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    sum(y * c.input("R", dtype)).backward();
    CHECK(c.difference(x.grad(), c.grad("x", dtype)) == "");
    CHECK(std::isinf(log(softmax(x, -1)).select(0, 0).select(0, 0).item()));
  }
}

TEST_CASE("SOFT-06: softmax over any axis, negative axes included, forward and backward") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const auto check = [&](int d, const char* out, const char* grad) {
      CAPTURE(d);
      const Tensor x = c.input("x", dtype).requires_grad_();
      const Tensor y = softmax(x, d);
      CHECK(c.difference(y, c.output(out, dtype)) == "");
      sum(y * c.input("R", dtype)).backward();
      CHECK(c.difference(x.grad(), c.grad(grad, dtype)) == "");
    };
    check(0, "dim0", "x_dim0");
    check(1, "dim1", "x_dim1");
    check(-1, "dim-1", "x_dim-1");
    check(-2, "dim-2", "x_dim-2");
  }
  const Tensor x = c.input("x");
  CHECK(difference(softmax(x, 1), softmax(x, -2)) == "");
  CHECK_THROWS_WITH_AS(
      softmax(x, 3),
      "softmax: dimension 3 is out of range for a tensor of 3 dimensions; use -3 to 2", ShapeError);
  CHECK_THROWS_WITH_AS(
      softmax(x, -4),
      "softmax: dimension -4 is out of range for a tensor of 3 dimensions; use -3 to 2",
      ShapeError);
}

TEST_CASE("SOFT-07: Summing 1.4 million float32 values of 0.1") {
  const Case c = this_case();
  const Tensor x = full({1392640}, 0.1);
  const Json bound = c.json.at("expect").at("tolerance_relative");
  const double total = sum(x).item(), average = mean(x).item();
  CHECK(std::abs(total / c.output("sum").item() - 1) <= bound.at("sum").get<double>());
  CHECK(std::abs(average / c.output("mean").item() - 1) <= bound.at("mean").get<double>());
  CHECK(std::abs(total / c.known_wrong("naive_f32_sum").item() - 1) >
        bound.at("sum").get<double>());
}
