// What single ops promise beyond the table's rows.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include "../support/compare.h"
#include "../support/leaf.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

// The same along both paths that a rule may take.
std::vector<double> gradient(const Tensor& y, const Tensor& x) {
  const Tensor loss = sum(y);
  const Tensor recorded = autograd::grad({loss}, {x}, {}, true, true)[0];
  const Tensor fused = autograd::grad({loss}, {x})[0];
  CHECK(difference(fused, recorded, {.relative_to_at_least_one = 1e-14}) == "");
  return values(fused);
}

}  // namespace

TEST_CASE("fused attention's gradients are right in Float32 too where a row sees no key") {
  const auto gradients = [](DType dtype) {
    std::vector<Tensor> x;
    for (const Shape& shape : {Shape{1, 1, 3, 2}, Shape{1, 1, 4, 2}, Shape{1, 1, 4, 2}})
      x.push_back(noise(shape, 3, dtype).requires_grad_());
    const Tensor mask = tensor(
        {{true, true, false, true}, {false, false, false, false}, {true, false, false, false}});
    const Tensor y = fused_attention(x[0], x[1], x[2], mask, {}, {}, 0.7, false).output;
    std::vector<Tensor> grads = autograd::grad({sum(y * noise(y.shape(), 5, dtype))}, x);
    grads.push_back(y);
    return grads;
  };
  const auto fine = gradients(Float64), coarse = gradients(Float32);
  for (std::size_t i = 0; i < fine.size(); ++i)
    CHECK(difference(coarse[i], fine[i].to(Float32), {.atol = 1e-6}) == "");
}

TEST_CASE("shapes without elements, however large, are flattened and expanded without overflow") {
  const Tensor wide = zeros({0, Index{1} << 40, Index{1} << 40});
  CHECK_THROWS_WITH_AS(
      flatten(wide, 1),
      "shape: 1099511627776 x 1099511627776 overflows 64 bits; use smaller dimensions", ShapeError);
  CHECK(unsqueeze(wide, 0).shape() == Shape{1, 0, Index{1} << 40, Index{1} << 40});
  CHECK(expand(wide, {1, 0, -1, -1}).numel() == 0);
}

TEST_CASE(
    "expand to the shape that is there is a new view, and a constant while nothing is recorded") {
  const Tensor x = ones({2, 3}).requires_grad_();
  const Tensor recorded = expand(x, {2, 3});
  CHECK_FALSE(recorded.is_leaf());
  CHECK(recorded.array().shares_storage_with(x.array()));
  const NoGradGuard no_grad;
  CHECK_FALSE(expand(x, {2, -1}).requires_grad());
  CHECK_FALSE(expand(x, {2, 3}).requires_grad());
}

TEST_CASE("a quotient may be changed in place before its gradient is asked for") {
  const Tensor a = tensor({3.0, 4.0}, Float64).requires_grad_(),
               b = tensor({2.0, 5.0}, Float64).requires_grad_();
  Tensor both = a / b, of_number = 6 / b;
  both.mul_(2);
  of_number.add_(1);
  (both + of_number).sum().backward();
  CHECK(values(a.grad()) == Values{1, 2.0 / 5});
  CHECK(b.grad().allclose(tensor({-3.0, -(8 + 6) / 25.0}, Float64), 1e-15, 0));
}

TEST_CASE(
    "cross_entropy of logits without classes has a loss for each target that does not count") {
  const Tensor target = zeros({1, 3, 5}, Int64);
  const CrossEntropyOptions each{.ignore_index = 0, .reduction = Reduction::None};
  const Tensor losses = cross_entropy(zeros({1, 0, 3, 5}), target, each);
  CHECK(losses.shape() == Shape{1, 3, 5});
  CHECK(losses.abs().sum().item() == 0);
}

TEST_CASE("where of two numbers has the wider of their dtypes, as in PyTorch") {
  const Tensor condition = tensor({true, false});
  CHECK(where(condition, 1, 0).dtype() == Int64);
  CHECK(where(condition, true, false).dtype() == Bool);
  CHECK(where(condition, true, 2).dtype() == Int64);
  CHECK(where(condition, 1.5, 2.5).dtype() == Float32);
  CHECK(where(condition, 2, 1.5).dtype() == Float32);
  CHECK(values(where(condition, 2, 1.5)) == Values{2, 1.5});
}

TEST_CASE("what a tensor of 0 dimensions may do along 0 or -1 knows no other dimension") {
  const Tensor x = zeros({});
  const std::string refusal =
      ": dimension 1 is out of range for a tensor of 0 dimensions; unsqueeze(0) it first";
  const auto refused = [&](const std::string& op, const auto& call) {
    call(0), call(-1);
    CHECK_THROWS_WITH_AS(call(1), (op + refusal).c_str(), ShapeError);
  };
  refused("transpose", [&](int d) { transpose(x, 0, d); });
  refused("squeeze", [&](int d) { squeeze(x, d); });
  refused("sum", [&](int d) { sum(x, {d}); });
  refused("max", [&](int d) { max(x, d); });
  refused("argmin", [&](int d) { argmin(x, d); });
  refused("softmax", [&](int d) { softmax(x, d); });
}

TEST_CASE("at kinks and ties gradients are PyTorch's") {
  const Tensor x = leaf({-2, 0, 0, 2});
  CHECK(gradient(abs(x), x) == Values{-1, 0, 0, 1});
  CHECK(gradient(relu(x), x) == Values{0, 0, 0, 1});
  CHECK(gradient(clamp(x, 0, 2), x) == Values{0, 1, 1, 1});
  CHECK(gradient(maximum(x, zeros({4}, Float64)), x) == Values{0, 0.5, 0.5, 1});
  CHECK(gradient(minimum(x, zeros({4}, Float64)), x) == Values{1, 0.5, 0.5, 0});
  const Tensor ties = leaf({2, 2, 1});
  CHECK(gradient(max(ties, 0).values, ties) == Values{1, 0, 0});
  CHECK(gradient(max(ties), ties) == Values{0.5, 0.5, 0});
  CHECK(gradient(amax(ties), ties) == Values{0.5, 0.5, 0});
}

TEST_CASE("the gradient of a NaN maximum is PyTorch's") {
  const Tensor x = leaf({1, NAN, 2, NAN});
  CHECK(gradient(max(x), x) == Values{0, 0.5, 0, 0.5});
  CHECK(gradient(min(x), x) == Values{0, 0.5, 0, 0.5});
  CHECK(gradient(max(x, 0).values, x) == Values{0, 1, 0, 0});
  CHECK(gradient(min(x, 0).values, x) == Values{0, 1, 0, 0});
  for (const Tensor& y : {amax(x), amin(x, {0})})
    for (const double g : gradient(y, x)) CHECK(std::isnan(g));
}

TEST_CASE("clamp to bounds that cross, or are NaN, has gradient zero") {
  const Tensor x = leaf({0, 1, 1.5, 2, NAN});
  const Tensor crossed = clamp(x, 2, 1);
  CHECK(values(crossed.narrow(0, 0, 4)) == Values{1, 1, 1, 1});
  CHECK(gradient(crossed, x) == Values{0, 0, 0, 0, 0});
  for (const Tensor& y : {clamp(x, NAN), clamp(x, {}, NAN), clamp(x, 0, NAN), clamp(x, NAN, 1)}) {
    for (const double value : values(y)) CHECK(std::isnan(value));
    CHECK(gradient(y, x) == Values{0, 0, 0, 0, 0});
  }
}

TEST_CASE("gelu and its slope have limits at infinity, whether they are differentiated or not") {
  for (const char* form : {"none", "tanh"})
    for (const DType dtype : {Float32, Float64})
      for (const bool create_graph : {false, true}) {
        CAPTURE(form);
        const Tensor x = tensor({-INFINITY, -1e30, 1e30, INFINITY}, dtype).requires_grad_();
        const Tensor y = gelu(x, form);
        CHECK(values(y.to(Float64))[0] == 0);
        CHECK(values(y.to(Float64))[3] == INFINITY);
        const Tensor g = autograd::grad({sum(y)}, {x}, {}, create_graph, create_graph)[0];
        CHECK(difference(g, tensor({0., 0., 1., 1.}, dtype), {.atol = 1e-40}) == "");
      }
}

TEST_CASE("relu and abs have a second derivative of zero") {
  const Tensor x = leaf({1, -2, 0, 3});
  for (const auto& f : {relu, abs}) {
    const Tensor g = autograd::grad({sum(f(x))}, {x}, {}, true, true)[0];
    CHECK(gradient(g, x) == Values{0, 0, 0, 0});
  }
  // What is linear piece by piece and needs no x to say so has none, as in PyTorch.
  const Tensor g = autograd::grad({sum(clamp(x, 0, 2))}, {x}, {}, true, true)[0];
  CHECK_FALSE(g.requires_grad());
  CHECK_THROWS_WITH_AS(gradient(g, x),
                       "backward: this tensor of shape () depends on no tensor that requires a "
                       "gradient; call requires_grad_() on an input, outside any NoGradGuard",
                       GraphError);
}

TEST_CASE("masked_fill by a mask larger than x adds up the gradients of its copies") {
  const Tensor x = leaf({1, 2});
  const Tensor y = masked_fill(x, tensor({{true, false}, {false, false}, {false, true}}), 5);
  CHECK(values(y) == Values{5, 2, 1, 2, 1, 5});
  const Tensor g =
      autograd::grad({sum(y * tensor({{1., 2.}, {3., 4.}, {5., 6.}}, Float64))}, {x})[0];
  CHECK(values(g) == Values{8, 6});
  Tensor z = x * 1;
  CHECK_THROWS_WITH_AS(z.masked_fill_(tensor({{true, false}}), 5),
                       "masked_fill_: cannot expand (1, 2) to (2); sizes must be equal or 1, "
                       "counted from the last dimension",
                       ShapeError);
}

TEST_CASE("flatten of one dimension is the tensor itself, and knows the dimensions of none") {
  const Tensor x = zeros({2, 3, 4}).transpose(0, 1), s = leaf({3}).view({});
  CHECK(flatten(x, 1, -2).impl() == x.impl());
  CHECK(flatten(s, -1, 0).shape() == Shape{1});
  const char* const message =
      "flatten: dimension 1 is out of range for a tensor of 0 dimensions; unsqueeze(0) it first";
  CHECK_THROWS_WITH_AS(flatten(s, 1, 1), message, ShapeError);
  CHECK_THROWS_WITH_AS(flatten(s, 0, 1), message, ShapeError);
}

TEST_CASE("index_select of a tensor of no dimensions picks its one element") {
  const Tensor x = leaf({3}), s = x.view({});
  for (const Tensor& index : {tensor({0}), tensor(0)}) {
    const Tensor y = index_select(x.view({}), -1, index);
    CHECK(y.shape() == Shape{});
    CHECK(gradient(y * 7, x) == Values{7});
  }
  CHECK_THROWS_WITH_AS(index_select(s, 0, tensor({0, 0})),
                       "index_select: a tensor of 0 dimensions has 1 element to select, got 2 "
                       "indices; unsqueeze(0) it first",
                       ShapeError);
}

TEST_CASE("the slope of pow depends on the exponent where that is 0 or 1, too") {
  // d/db (b a^(b-1)) = a^(b-1) (1 + b log a), and d/db of its own slope by a, at b = 1.
  const Tensor a = leaf({2, 3}), zero = leaf({0, 0}), one = leaf({1, 1});
  const auto slope = [&](const Tensor& b) {
    return autograd::grad({pow(a, b).sum()}, {a}, {}, {}, true)[0];
  };
  const Tensor mixed = autograd::grad({slope(zero).sum()}, {zero})[0];
  CHECK(difference(mixed, 1 / a.detach(), {.atol = 1e-15}) == "");
  const Tensor second = autograd::grad({slope(one).sum()}, {a}, {}, {}, true)[0];
  const Tensor third = autograd::grad({second.sum()}, {one})[0];
  CHECK(difference(third, 1 / a.detach(), {.atol = 1e-15}) == "");
}

TEST_CASE("pow has gradient zero where an exponent or base is 0") {
  const Tensor zero = leaf({0, 0, 0}), exponent = leaf({0, 2, 1});
  CHECK(gradient(pow(zero, exponent), zero) == Values{0, 0, 1});
  CHECK(gradient(pow(zero, exponent), exponent) == Values{0, 0, 0});
  CHECK(gradient(pow(zero, 0), zero) == Values{0, 0, 0});
  CHECK(gradient(pow(0, exponent), exponent) == Values{0, 0, 0});
}

TEST_CASE("pow of 0 falls without end where the exponent is negative") {
  const Tensor zero = leaf({0}), exponent = leaf({-1});
  CHECK(gradient(pow(zero, exponent), exponent) == Values{-INFINITY});
  CHECK(gradient(pow(0, exponent), exponent) == Values{-INFINITY});
}

TEST_CASE("sqrt at 0 has an infinite gradient, logsumexp of nothing finite none") {
  const Tensor x = leaf({0});
  CHECK(gradient(sqrt(x), x) == Values{INFINITY});
  const Tensor low = leaf({-INFINITY, -INFINITY});
  CHECK(gradient(logsumexp(low, {0}), low) == Values{0, 0});
}

TEST_CASE("an embedding adds up the gradients of repeated rows") {
  const Tensor weight = zeros({3, 2}, Float64).requires_grad_();
  const Tensor y = embedding(tensor({1, 1, 1, 2}), weight);
  sum(y * tensor({{1., 2.}, {10., 20.}, {100., 200.}, {5., 6.}}, Float64)).backward();
  CHECK(values(weight.grad()) == Values{0, 0, 111, 222, 5, 6});
}

TEST_CASE("silu, elu and cross_entropy of special numbers are what docs/parity.md says") {
  const Tensor ends = leaf({INFINITY, -INFINITY});
  const Tensor y = silu(ends);
  CHECK(values(y) == Values{INFINITY, 0});
  CHECK(std::signbit(values(y)[1]));
  const Values slope = gradient(y, ends);
  CHECK(slope == Values{1, 0});
  CHECK(std::signbit(slope[1]));
  CHECK(std::signbit(elu(leaf({-0.0})).item()));
  const Tensor logits = tensor({{NAN, 1.0}, {0.0, 0.0}}, Float64).requires_grad_();
  CHECK(gradient(cross_entropy(logits, tensor({-100, 1})), logits) == Values{0, 0, 0.5, -0.5});
}

TEST_CASE("cosine_similarity takes a length below eps as eps") {
  const Tensor a = leaf({0.003, 0.004}), b = leaf({0, 2});
  CHECK(cosine_similarity(a, b, 0).item() == doctest::Approx(0.8));
  const Tensor y = cosine_similarity(a, b, 0, 0.01);
  CHECK(y.item() == doctest::Approx(0.4));
  const Values slope = gradient(y, a);
  CHECK(slope[0] == doctest::Approx(0).epsilon(1e-12));
  CHECK(slope[1] == doctest::Approx(100));
}

TEST_CASE("to converts there, and its gradient back") {
  const Tensor x = tensor({1.5, -2.25}).requires_grad_();
  const Tensor y = to(x, Float64);
  CHECK(y.dtype() == Float64);
  sum(y * 3).backward();
  CHECK(x.grad().dtype() == Float32);
  CHECK(values(x.grad()) == Values{3, 3});
  // To third order: of y^3 it is 3 x^2, 6 x and 6, each in the dtype of x.
  Tensor d = to(x, Float64).pow(3);
  for (const Values& want : {Values{3 * 1.5 * 1.5, 3 * 2.25 * 2.25}, {9, -13.5}, {6, 6}}) {
    d = autograd::grad({d.sum()}, {x}, {}, true, true)[0];
    CHECK(d.dtype() == Float32);
    CHECK(values(d) == want);
  }
  CHECK_FALSE(to(x, Int64).requires_grad());
  CHECK(values(to(x, Int64)) == Values{1, -2});
}

TEST_CASE(
    "dropout keeps with 1 / (1 - p), passes the same elements' gradient, and is off in "
    "evaluation") {
  manual_seed(1);
  const Tensor x = ones({1000}, Float64).requires_grad_();
  const Tensor y = dropout(x, 0.25);
  for (const double value : values(y)) CHECK((value == 0 || value == 1 / 0.75));
  CHECK(gradient(y, x) == values(y));
  CHECK(dropout(x, 0.25, false).impl() == x.impl());
  CHECK(dropout(x, 0).impl() == x.impl());
  CHECK(values(dropout(x, 1)) == Values(1000, 0));
  CHECK(gradient(dropout(x, 1), x) == Values(1000, 0));
}

TEST_CASE("views share memory, copies do not") {
  const Tensor x = noise({2, 3, 4});
  const auto shares = [&](const Tensor& y) { return y.array().shares_storage_with(x.array()); };
  for (const Tensor& view :
       {view(x, {6, 4}), reshape(x, {24}), flatten(x), transpose(x, 0, 1), mT(x),
        permute(x, {2, 0, 1}), expand(x, {5, 2, 3, 4}), squeeze(x), unsqueeze(x, 0),
        narrow(x, 1, 0, 2), select(x, 0, 1), slice(x, 2, 0, 4, 2), split(x, 1)[1],
        chunk(x, 3, 1)[2], contiguous(x), alias(x)})
    CHECK(shares(view));
  for (const Tensor& copy : {clone(x), reshape(mT(x), {24}), contiguous(mT(x)), tril(x), x + 0})
    CHECK_FALSE(shares(copy));
}

TEST_CASE("an index without elements gathers nothing, whatever its other sizes, as in PyTorch") {
  const Tensor x = zeros({2, 3}, Float64).requires_grad_();
  const Tensor y = gather(x, 0, zeros({0, 7}, Int64));
  CHECK(y.shape() == Shape{0, 7});
  CHECK(x.gather(1, zeros({5, 0}, Int64)).shape() == Shape{5, 0});
  const Tensor g = autograd::grad({y.sum()}, {x}, {}, true, true)[0];
  CHECK(equal(g, zeros({2, 3}, Float64)));
}
