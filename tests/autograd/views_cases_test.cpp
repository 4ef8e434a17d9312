// The reference cases about views, strides and contiguity.
#include <tapehead/autograd/ops.h>

#include "../support/cases.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

constexpr DType floats[] = {Float64, Float32};

Tensor counting() { return arange(24, Float64).view({2, 3, 4}); }

// The gradient of sum(y * R) by a leaf.
Tensor gradient(const Tensor& y, const Tensor& onto, const Tensor& x) {
  sum(y * onto).backward();
  return x.grad();
}

}  // namespace

TEST_CASE("VIEW-01: view fails exactly when strides forbid it; reshape copies then") {
  const Case c = this_case();
  const Tensor a = c.input("x").t();
  CHECK_THROWS_WITH_AS(
      a.view({6}),
      "view: (3, 2) with strides (1, 3) cannot be seen as (6) without a copy; call "
      "contiguous() first, or use reshape",
      ShapeError);
  Tensor a_reshape = a.reshape({6});
  CHECK(c.difference(a_reshape, c.output("a_reshape")) == "");
  CHECK(c.difference(a_reshape, c.known_wrong("storage_order_a")) != "");

  const Tensor b = counting().permute({1, 0, 2});
  Tensor b_view = b.view({3, 2, 2, 2});
  CHECK(c.difference(b_view, c.output("b_view")) == "");

  const Tensor sliced = counting().slice(2, 1, 3);
  CHECK_THROWS_WITH_AS(sliced.view({-1}),
                       "view: (2, 3, 2) with strides (12, 4, 1) cannot be seen as (12) without a "
                       "copy; call contiguous() first, or use reshape",
                       ShapeError);
  Tensor c_reshape = sliced.reshape({-1});
  CHECK(c.difference(c_reshape, c.output("c_reshape")) == "");

  const Tensor d = counting().slice(1, 1, 2);
  Tensor d_view = d.view({2, 4});
  CHECK(c.difference(d_view, c.output("d_view")) == "");

  // Views write through to their base, copies do not.
  CHECK(b_view.fill_(-1).array().shares_storage_with(b.array()));
  CHECK(values(b) == std::vector<double>(24, -1));
  d_view.fill_(-1);
  CHECK(values(d) == std::vector<double>(8, -1));
  a_reshape.fill_(-1);
  CHECK(c.difference(a, c.input("x").t()) == "");
  c_reshape.fill_(-1);
  CHECK(c.difference(sliced, counting().slice(2, 1, 3)) == "");
}

TEST_CASE(
    "VIEW-02: Split heads: view(B,T,h,d) then transpose; view(B,h,T,d) has the right shape and the "
    "wrong content") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor x = c.input("x", dtype).requires_grad_();
    const Tensor y = x.view({1, 3, 2, 2}).transpose(1, 2);
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    CHECK(c.difference(y, c.known_wrong("view_only", dtype)) != "");
    CHECK(c.difference(x.view({1, 2, 3, 2}), c.known_wrong("view_only", dtype)) == "");
    CHECK(c.difference(gradient(y, c.input("R", dtype), x), c.grad("x", dtype)) == "");
    CHECK(values(y.select(2, 0).select(1, 0)) == std::vector<double>{1, 2});
    CHECK(values(y.select(2, 0).select(1, 1)) == std::vector<double>{3, 4});
  }
}

TEST_CASE("VIEW-03: Merge heads: transpose before reshape") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor x = c.input("x", dtype).requires_grad_();
    const Tensor y = x.transpose(1, 2).contiguous().reshape({1, 2, 6});
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    CHECK(c.difference(y, c.known_wrong("no_transpose", dtype)) != "");
    CHECK(c.difference(gradient(y, c.input("R", dtype), x), c.grad("x", dtype)) == "");
  }
}

TEST_CASE("VIEW-04: matmul with a transposed left operand, not square") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor a = c.input("a", dtype).requires_grad_(), b = c.input("b", dtype).requires_grad_();
    const Tensor y = matmul(a.transpose(0, 1), b);
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    CHECK(c.difference(y, c.known_wrong("strides_ignored", dtype)) != "");
    CHECK(c.difference(gradient(y, c.input("R", dtype), a), c.grad("a", dtype)) == "");
    CHECK(c.difference(b.grad(), c.grad("b", dtype)) == "");
  }
}

TEST_CASE("VIEW-05: Gradient of a slice is zero outside the slice") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor x = c.input("x", dtype).requires_grad_();
    const Tensor y = x.slice(0, 1, 3);
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    CHECK(c.difference(gradient(y, c.input("R", dtype), x), c.grad("x", dtype)) == "");
    const Tensor x2 = c.input("x2", dtype).requires_grad_();
    const Tensor y2 = x2.slice(0, 1, 3).slice(1, 1, 3);
    CHECK(c.difference(y2, c.output("out2", dtype)) == "");
    CHECK(c.difference(gradient(y2, c.input("R2", dtype), x2), c.grad("x2", dtype)) == "");
  }
}

TEST_CASE(
    "VIEW-06: In-place write to an expanded (stride 0) tensor must not silently fold values") {
  const Case c = this_case();
  Tensor x = c.input("x").expand({4});
  const Tensor y = c.input("y");
  CHECK_THROWS_WITH_AS(
      x.add_(y),
      "add_: elements of the target, of shape (4) and strides (0), share memory; clone() it first",
      ShapeError);
  CHECK(c.difference(x, full({4}, 10, Float64)) == "");
  CHECK(c.difference(x, c.known_wrong("folded")) != "");
  CHECK(c.difference(x + y, tensor({11., 12., 13., 14.}, Float64)) == "");
  CHECK(x.numel() == 4);
  CHECK_FALSE(x.is_contiguous());
  CHECK(x.contiguous().array().storage()->bytes >= 4 * sizeof(double));
}

TEST_CASE("VIEW-07: Storage offset is honoured by contiguous, view, matmul and item") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor b = c.input("b", dtype).requires_grad_();
    const Tensor part = b.slice(0, 1, 3).slice(1, 1, 3);
    const Tensor whole = part.contiguous();
    CHECK(c.difference(whole, c.output("cc", dtype)) == "");
    CHECK(c.difference(whole, c.known_wrong("offset_ignored_cc", dtype)) != "");
    const Tensor y = whole.view({4}).pow(2).reshape({2, 2});
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    CHECK(c.difference(matmul(part, part), c.output("p", dtype)) == "");
    CHECK(part.select(0, 0).select(0, 0).item() == c.output("first").item());
    CHECK(c.difference(gradient(y, c.input("R", dtype), b), c.grad("b", dtype)) == "");
  }
}

TEST_CASE("VIEW-08: contiguous() passes gradients through (identity in logical order)") {
  const Case c = this_case();
  for (const DType dtype : floats) {
    const Tensor x = c.input("x", dtype).requires_grad_();
    const Tensor y = x.t().contiguous();
    CHECK(c.difference(y, c.output("out", dtype)) == "");
    const Tensor g = gradient(y, c.input("R", dtype), x);
    CHECK(c.difference(g, c.grad("x", dtype)) == "");
    CHECK(c.difference(g, c.known_wrong("storage_order_grad", dtype)) != "");
    CHECK(c.difference(g, c.known_wrong("zero_grad", dtype)) != "");
  }
}
