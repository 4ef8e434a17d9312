// What ops that write over a tensor promise beyond the table's rows.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include <string>

#include "../support/compare.h"
#include "../support/leaf.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

std::vector<double> gradient(const Tensor& y, const Tensor& x) {
  return values(autograd::grad({sum(y)}, {x})[0]);
}

}  // namespace

TEST_CASE("an op in place writes the memory, which every view of it shows") {
  const Tensor x = tensor({{1., 4.}, {9., 16.}}, Float64);
  const Tensor row = x.select(0, 1);
  Tensor column = x.select(1, 1);
  const std::uint32_t before = x.array().version();
  CHECK(column.sqrt_().impl() == column.impl());
  CHECK(x.array().version() > before);
  CHECK(std::string(x.array().writer()) == "sqrt_");
  CHECK(values(x) == Values{1, 2, 9, 4});
  CHECK(values(row) == Values{9, 4});
}

TEST_CASE("ops in place form a chain that backward follows, and so does its own derivative") {
  const Tensor x = leaf({0.5, 1.5});
  Tensor y = x * 2;
  y.exp_().log1p_().mul_(3).pow_(2);
  const Tensor z = pow(3 * log1p(exp(x * 2)), 2);
  CHECK(difference(y.detach(), z.detach(), {.relative_to_at_least_one = 1e-14}) == "");
  const Tensor dy = autograd::grad({sum(y)}, {x}, {}, true, true)[0],
               dz = autograd::grad({sum(z)}, {x}, {}, true, true)[0];
  CHECK(difference(dy.detach(), dz.detach(), {.relative_to_at_least_one = 1e-13}) == "");
  CHECK(difference(autograd::grad({sum(dy)}, {x})[0], autograd::grad({sum(dz)}, {x})[0],
                   {.relative_to_at_least_one = 1e-12}) == "");
}

TEST_CASE("what needs an op's output still has it after the output was changed in place again") {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  y.exp_();
  y.mul_(0);  // PyTorch refuses the backward of this exp_
  CHECK(gradient(y, x) == Values{0, 0});
}

TEST_CASE("an op in place makes a tensor track what it was given") {
  Tensor x = tensor({1., 2.}, Float64);
  const Tensor end = leaf({3, 4}), weight = leaf({0.25});
  x.lerp_(end, weight);
  CHECK(values(x) == Values{1.5, 2.5});
  CHECK(gradient(x, end) == Values{0.25, 0.25});
  Tensor y = tensor({2.}, Float64);
  const Tensor exponent = leaf({3});
  y.pow_(exponent);
  CHECK(gradient(y, exponent)[0] == doctest::Approx(8 * std::log(2.0)));
}

TEST_CASE("ops in place are refused where a gradient would get lost, with nothing changed") {
  Tensor x = leaf({1, 2});
  const auto leaves = [&](const char* op, const std::string& instead, const auto& call) {
    CHECK_THROWS_WITH_AS(call(),
                         (std::string(op) +
                          ": a leaf that requires a gradient cannot be changed "
                          "in place while ops are recorded; use a NoGradGuard, "
                          "or " +
                          instead + ", which makes a new tensor")
                             .c_str(),
                         GraphError);
  };
  leaves("exp_", "exp", [&] { x.exp_(); });
  leaves("clamp_", "clamp", [&] { x.clamp_(0); });
  leaves("pow_", "pow", [&] { x.pow_(2); });
  leaves("uniform_", "rand_like", [&] { x.uniform_(); });
  leaves("normal_", "randn_like", [&] { x.normal_(); });
  leaves("bernoulli_", "bernoulli", [&] { x.bernoulli_(); });
  leaves("random_", "randint", [&] { x.random_(9); });
  leaves("gt_", "gt", [&] { x.gt_(1); });
  Tensor y = x * 1;
  const Tensor shown = y.view({1, 2});
  CHECK_THROWS_WITH_AS(y.sigmoid_(),
                       "sigmoid_: another tensor shares the memory of this one, (2), and would "
                       "miss the gradient; use sigmoid, which makes a new tensor, or clone() first",
                       GraphError);
  CHECK(values(x) == Values{1, 2});
  CHECK(values(y) == Values{1, 2});
  {
    const NoGradGuard no_grad;
    x.square_();
  }
  CHECK(values(x) == Values{1, 4});
  CHECK(x.is_leaf());
}

TEST_CASE("ops in place keep shape and dtype, and refuse memory that overlaps itself") {
  Tensor x = tensor({1., 2.}), whole = tensor({1, 2}), wide = zeros({1}).expand({3});
  CHECK_THROWS_WITH_AS(x.pow_(ones({3, 2})),
                       "pow_: cannot expand (3, 2) to (2); sizes must be equal or 1, counted from "
                       "the last dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(whole.exp_(),
                       "exp_: expected Float32 or Float64, got Int64; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(x.pow_(whole),
                       "pow_: dtypes Float32 and Int64 differ; convert one of them, for example "
                       "with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(x.tril_(),
                       "tril_: expected at least 2 dimensions, got shape (2); view it as a matrix "
                       "first",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      whole.remainder_(0),
      "remainder_: whole numbers cannot be divided by 0; convert with .to(Float32), where "
      "they can",
      Error);
  Tensor flags = tensor({true, false});
  CHECK_THROWS_WITH_AS(flags.cumsum_(0),
                       "cumsum_: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(wide.cos_(),
                       "cos_: elements of the target, of shape (3) and strides (0), share memory; "
                       "clone() it first",
                       ShapeError);
  CHECK_THROWS_WITH_AS(Tensor().tanh_(),
                       "tanh_: the tensor to change is undefined (made by Tensor(), or a gradient "
                       "that is not there); ask defined() first",
                       Error);
  CHECK_THROWS_WITH_AS(x.lerp_(x, Tensor()),
                       "lerp_: the input is undefined (made by Tensor(), or a gradient that is not "
                       "there); ask defined() first",
                       Error);
  CHECK(values(x) == Values{1, 2});
  CHECK(values(whole.square_().neg_().floor_().remainder_(3)) == Values{2, 2});
  CHECK(whole.dtype() == Int64);
}

TEST_CASE("an op in place that reads its own tensor reads the old values") {
  Tensor x = tensor({{1., 2.}, {3., 4.}}, Float64);
  x.pow_(x.t());
  CHECK(values(x) == Values{1, 8, 9, 256});
}

TEST_CASE("retain_grad follows the tensor through ops in place") {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  y.retain_grad();
  y.square_();
  sum(y * 5).backward();
  CHECK(values(y.grad()) == Values{5, 5});
  CHECK(values(x.grad()) == Values{10, 20});
}

TEST_CASE("observers hear of an op in place by its name, and of nothing within") {
  struct Names : Observer {
    void before(const OpCall& call) override { heard += std::string(call.op) + "? "; }
    void after(const OpCall& call, const Tensor& result) override {
      heard += std::string(call.op) + (result.requires_grad() ? "! " : ". ");
    }
    std::string heard;
  };
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1, z = tensor({1., 2.}, Float64);
  Names names;
  y.exp_();
  z.lerp_(x.detach(), 0.5);
  z.normal_();
  y.unsqueeze_(0).t_().transpose_(0, 1).squeeze_();
  z.gt_(0);
  CHECK(names.heard ==
        "exp_? exp_! lerp_? lerp_. normal_? normal_. unsqueeze_? unsqueeze_! t_? t_! transpose_? "
        "transpose_! squeeze_? squeeze_! gt_? gt_. ");
}

TEST_CASE("observers hear what numbers an op in place was given") {
  struct Calls : Observer {
    void before(const OpCall& call) override {
      heard += std::string(call.op) + "(" + call.arguments + ") ";
    }
    std::string heard;
  };
  Tensor x = ones({2, 2}, Float64);
  const Tensor y = ones({2, 2}, Float64);
  Calls calls;
  x.lerp_(y, 0.5).pow_(2).floor_divide_(3).remainder_(4).clamp_({}, 5).tril_(-1).triu_(1);
  x.addmm_(y, y, 2, 0.5).cumsum_(1).uniform_(0, 3).normal_(1, 2).bernoulli_(0.25);
  x.index_copy_(0, tensor({1}), y.narrow(0, 0, 1).detach()).index_fill_(1, tensor({0}), 7);
  CHECK(calls.heard ==
        "lerp_(0.5) pow_(2) floor_divide_(3) remainder_(4) clamp_(None, 5) tril_(-1) triu_(1) "
        "addmm_(2, 0.5) cumsum_(1) uniform_(0, 3) normal_(1, 2) bernoulli_(0.25) narrow(0, 0, 1) "
        "index_copy_(0) index_fill_(1, 7) ");
}

TEST_CASE("truth in place is 0 and 1 in the tensor's own dtype, with gradient zero") {
  const Tensor x = leaf({1.5, 0, -2}), other = tensor({2, 3, 0});
  Tensor y = x * 1;
  y.logical_and_(other);
  CHECK(values(y) == Values{1, 0, 0});
  CHECK(y.dtype() == Float64);
  CHECK(gradient(y * 3, x) == Values{0, 0, 0});
  Tensor whole = tensor({0, 5});
  CHECK(values(whole.logical_not_()) == Values{1, 0});
  CHECK(whole.dtype() == Int64);
  CHECK(values(tensor({1., 0.}).logical_or_(tensor({false, true}))) == Values{1, 1});
  CHECK(values(tensor({1., 0.}).logical_xor_(tensor({true, true}))) == Values{0, 1});
  CHECK_THROWS_WITH_AS(whole.logical_and_(ones({3, 2})),
                       "logical_and_: cannot expand (3, 2) to (2); sizes must be equal or 1, "
                       "counted from the last dimension",
                       ShapeError);
}

TEST_CASE("products and slices in place are those of new tensors, and refuse what would not fit") {
  const Tensor a = noise({2, 4}, 1), b = noise({4, 3}, 2), x = noise({2, 3}, 3);
  CHECK(difference(x.clone().addmm_(a, b, 2, 0.5), addmm(x, a, b, 2, 0.5)) == "");
  const Tensor batch = stack({a, a * 2}), other = stack({b, b + 1}), y = stack({x, -x});
  CHECK(difference(y.clone().baddbmm_(batch, other, 2, 0.5), baddbmm(y, batch, other, 2, 0.5)) ==
        "");
  Tensor row = noise({3}, 4);
  CHECK_THROWS_WITH_AS(row.addmm_(a, b),
                       "addmm_: cannot expand (2, 3) to (3); sizes must be equal or 1, counted "
                       "from the last dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(row.addmm_(a, a),
                       "addmm_: expected (n, k) and (k, m), got (2, 4) and (2, 4); matmul takes "
                       "other ranks, and broadcasts",
                       ShapeError);
  Tensor none = tensor(4., Float64);
  none.index_copy_(0, tensor({0}), tensor(5., Float64));
  CHECK(none.item() == 5);
  none.index_fill_(0, tensor({0}), 6);
  CHECK(none.item() == 6);
  Tensor z = x.clone();
  CHECK_THROWS_WITH_AS(z.index_copy_(1, tensor({0, 2}), zeros({2, 3}, Float64)),
                       "index_copy_: expected an index of 1 dimension and a source of shape "
                       "(2, 2), got (2) and (2, 3)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(z.index_fill_(1, tensor({{0, 2}}), 1),
                       "index_fill_: the index must have 1 dimension, got shape (1, 2); flatten it "
                       "with view({-1}) first",
                       ShapeError);
  CHECK(difference(z, x) == "");
}

TEST_CASE("random numbers in place are PyTorch's, whatever the layout") {
  Tensor x = zeros({2, 3}).t();
  manual_seed(0);
  x.uniform_();
  CHECK(difference(x.t(),
                   tensor({{0.4962565899, 0.7682217956, 0.0884774327},
                           {0.1320304871, 0.3074228168, 0.6340786815}}),
                   {.atol = 1e-7}) == "");
  manual_seed(0);
  Tensor flags = zeros({6}, Bool);
  flags.bernoulli_(0.25);
  CHECK(flags.dtype() == Bool);
  const Tensor y = leaf({1, 2});
  Tensor z = y * 1;
  z.normal_(3, 0);
  CHECK(values(z) == Values{3, 3});
  CHECK(gradient(z, y) == Values{0, 0});
  CHECK_THROWS_WITH_AS(x.normal_(0, -1), "normal_: std must not be negative, got -1", Error);
  manual_seed(3);
  Tensor whole = zeros({5}, Float64);
  CHECK(values(whole.random_(2, 7)) == Values{3, 5, 4, 4, 2});
  CHECK_THROWS_WITH_AS(whole.random_(0),
                       "random_: low must be below high, got 0 and 0; high itself is excluded",
                       Error);
}

TEST_CASE("comparisons in place write 0 and 1 in the tensor's dtype, and end the gradient") {
  Tensor whole = tensor({1, 2, 3});
  CHECK(equal(whole.ge_(2), tensor({0, 1, 1})));
  CHECK(equal(whole.eq_(tensor({0, 0, 1})), tensor({1, 0, 1})));
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  y.lt_(tensor(2., Float64));
  CHECK(values(y) == Values{1, 0});
  CHECK(gradient(y, x) == Values{0, 0});
  for (const auto& [got, want] :
       std::vector<std::pair<Tensor, std::array<int, 3>>>{{tensor({1, 2, 3}).eq_(2), {0, 1, 0}},
                                                          {tensor({1, 2, 3}).ne_(2), {1, 0, 1}},
                                                          {tensor({1, 2, 3}).lt_(2), {1, 0, 0}},
                                                          {tensor({1, 2, 3}).le_(2), {1, 1, 0}},
                                                          {tensor({1, 2, 3}).gt_(2), {0, 0, 1}},
                                                          {tensor({1, 2, 3}).ge_(2), {0, 1, 1}}})
    CHECK(equal(got, tensor({want[0], want[1], want[2]})));
  CHECK_THROWS_WITH_AS(whole.ne_(tensor({1., 2., 3.})),
                       "ne_: dtypes Int64 and Float32 differ; convert one of them, for example "
                       "with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(whole.gt_(zeros({2, 3}, Int64)),
                       "gt_: cannot expand (2, 3) to (3); sizes must be equal or 1, counted from "
                       "the last dimension",
                       ShapeError);
  CHECK(equal(whole, tensor({1, 0, 1})));
}

TEST_CASE("masked_scatter_ writes the source's elements in their order where the mask is true") {
  const Tensor x = leaf({1, 2, 3}), source = leaf({7, 8, 9});
  const Tensor mask = tensor({true, false, true});
  Tensor y = x * 1;
  y.masked_scatter_(mask, source);
  CHECK(values(y) == Values{7, 2, 8});
  CHECK(gradient(y, x) == Values{0, 1, 0});
  Tensor z = x * 1;
  z.masked_scatter_(mask, source);
  CHECK(gradient(z, source) == Values{1, 1, 0});
  CHECK_THROWS_WITH_AS(y.masked_scatter_(mask, zeros({1}, Float64)),
                       "masked_scatter_: the mask is true in 2 places, but source (1) has only 1; "
                       "give one for each place",
                       ShapeError);
  CHECK_THROWS_WITH_AS(masked_scatter(x, mask, zeros({1}, Float64)),
                       "masked_scatter: the mask is true in 2 places, but source (1) has only 1; "
                       "give one for each place",
                       ShapeError);
  CHECK_THROWS_WITH_AS(y.masked_scatter_(tensor({1, 0, 1}), source),
                       "masked_scatter_: the mask must be Bool, got Int64; compare with != 0, or "
                       "convert with .to(Bool)",
                       DTypeError);
  CHECK(values(y) == Values{7, 2, 8});
}
