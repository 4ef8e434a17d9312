// Losses where they bend, end or are refused. Values come from PyTorch 1.13.1 where it has them.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include <cmath>

#include "../support/compare.h"
#include "../support/leaf.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

constexpr double inf = INFINITY;

std::vector<double> gradient(const Tensor& y, const Tensor& x) {
  return values(autograd::grad({sum(y)}, {x}, {}, true)[0]);
}
bool all_nan(const Tensor& x) { return all(isnan(x)).item<bool>(); }

}  // namespace

TEST_CASE("nll_loss of log_softmax is cross_entropy, whatever the shapes") {
  const auto agree = [](const Shape& shape, const Tensor& target) {
    const Tensor x = noise(shape, 3).requires_grad_();
    const int classes = shape.rank() == 1 ? 0 : 1;
    for (const Reduction reduction : {Reduction::Mean, Reduction::Sum, Reduction::None}) {
      const Tensor got = nll_loss(log_softmax(x, classes), target,
                                  {.ignore_index = 1, .reduction = reduction}),
                   want = cross_entropy(x, target, {.ignore_index = 1, .reduction = reduction});
      CHECK(difference(got, want, {.relative_to_at_least_one = 1e-14}) == "");
      CHECK(difference(autograd::grad({sum(got)}, {x})[0], autograd::grad({sum(want)}, {x})[0],
                       {.relative_to_at_least_one = 1e-14}) == "");
    }
  };
  agree({3}, tensor(2));
  agree({4, 3}, tensor({0, 1, 2, 0}));
  agree({2, 3, 2}, tensor({{0, 1}, {2, 2}}));
}

TEST_CASE("nll_loss of ignored targets alone is NaN, with gradient zero") {
  const Tensor x = tensor({{-1., -2.}}, Float64).requires_grad_();
  const Tensor y = nll_loss(x, tensor({-100}));
  CHECK(std::isnan(y.item()));
  CHECK(gradient(y, x) == Values{0, 0});
  CHECK(nll_loss(tensor({{-1., -inf}}), tensor({0})).item() == 1);
  CHECK(std::isnan(nll_loss(zeros({0, 3}), zeros({0}, Int64)).item()));
}

TEST_CASE("smooth_l1_loss and huber_loss change their form where the difference is beta") {
  const Tensor x = leaf({0, 0.5, -0.5, 0.3, 2}), zero = zeros({5}, Float64);
  const Tolerance near{.atol = 1e-15};
  const Tensor smooth = smooth_l1_loss(x, zero, Reduction::None, 0.5),
               huber = huber_loss(x, zero, Reduction::None, 0.5);
  CHECK(difference(smooth, tensor({0, 0.25, 0.25, 0.09, 1.75}, Float64), near) == "");
  CHECK(difference(huber, tensor({0, 0.125, 0.125, 0.045, 0.875}, Float64), near) == "");
  CHECK(gradient(smooth, x) == Values{0, 1, -1, 0.6, 1});
  CHECK(gradient(huber, x) == Values{0, 0.5, -0.5, 0.3, 0.5});
  CHECK(gradient(smooth_l1_loss(x, zero, Reduction::Sum, 0), x) == Values{0, 1, -1, 1, 1});
  CHECK(gradient(l1_loss(x, zero, Reduction::Sum), x) == Values{0, 1, -1, 1, 1});
}

TEST_CASE("kl_div takes 0 log 0 as 0, and refuses nothing that PyTorch takes") {
  const Tensor x = leaf({-1, -2, -3}), t = leaf({0.5, 0, 1});
  const Tensor y = kl_div(x, t, Reduction::None);
  CHECK(difference(y.detach(), tensor({0.15342640972002736, 0., 3.}, Float64), {.atol = 1e-15}) ==
        "");
  CHECK(gradient(y, x) == Values{-0.5, 0, -1});
  CHECK(difference(autograd::grad({sum(y)}, {t}, {}, true)[0],
                   tensor({1 + std::log(0.5) + 1, 2., 4.}, Float64), {.atol = 1e-15}) == "");
  CHECK(all_nan(kl_div(x, t - 2, Reduction::None)));
  CHECK(std::isnan(kl_div(zeros({0, 3}), zeros({0, 3}), Reduction::BatchMean).item()));
  CHECK(kl_div(tensor(1.), tensor(1.), Reduction::BatchMean).item() == -1);
  CHECK(kl_div(zeros({2, 3}), ones({2, 3}) * 2, Reduction::BatchMean).item() ==
        doctest::Approx(6 * std::log(2.0)));
}

TEST_CASE("binary_cross_entropy bounds its logarithms, not its gradients") {
  const Tensor x = leaf({0, 1, 0.5, 0, 1}), t = leaf({0, 1, 0.3, 1, 0});
  const Tensor y = binary_cross_entropy(x, t, {}, Reduction::None);
  CHECK(difference(y.detach(), tensor({0., 0., std::log(2.0), 100., 100.}, Float64),
                   {.atol = 1e-15}) == "");
  CHECK(gradient(y, x) == Values{0, 0, 0.8, -1e12, 1e12});
  CHECK(gradient(y, t) == Values{inf, -inf, 0, inf, -inf});
}

TEST_CASE("binary_cross_entropy_with_logits is right for logits of any size") {
  const Tensor x = leaf({0, -1000, 1000, 1000, -1000}), t = leaf({0.3, 0, 1, 0, 1});
  const Tensor y = binary_cross_entropy_with_logits(x, t, {}, Reduction::None);
  CHECK(difference(y.detach(), tensor({std::log(2.0), 0., 0., 1000., 1000.}, Float64),
                   {.atol = 1e-15}) == "");
  CHECK(difference(autograd::grad({sum(y)}, {x}, {}, true)[0],
                   tensor({0.2, 0., 0., 1., -1.}, Float64), {.atol = 1e-15}) == "");
  CHECK(gradient(y, t) == Values{0, 1000, -1000, -1000, 1000});
  const Tensor small = tensor({30.}, Float64), one = ones({1}, Float64);
  CHECK(binary_cross_entropy_with_logits(small, one).item() ==
        doctest::Approx(std::exp(-30.0)).epsilon(1e-12));
}

TEST_CASE("the weights of binary cross-entropies have gradients too") {
  const Tensor x = leaf({0.2, 0.7}), t = tensor({0., 1.}, Float64), w = leaf({2, 3}), p = leaf({5});
  const Tensor y = binary_cross_entropy(x, t, w);
  CHECK(y.item() == doctest::Approx((2 * -std::log(0.8) + 3 * -std::log(0.7)) / 2));
  CHECK(gradient(y, w)[1] == doctest::Approx(-std::log(0.7) / 2));
  const Tensor z = binary_cross_entropy_with_logits(x, t, {}, Reduction::Sum, p);
  CHECK(gradient(z, p)[0] == doctest::Approx(-std::log(1 / (1 + std::exp(-0.7)))));
}

TEST_CASE("cosine_similarity holds a norm that is below eps constant") {
  const Tensor zero = leaf({0, 0}), x = leaf({1, 2});
  const Tensor y = cosine_similarity(zero, x, 0);
  CHECK(y.item() == 0);
  CHECK(gradient(y, zero)[0] == doctest::Approx(44721359.549995795));
  CHECK(gradient(y, x) == Values{0, 0});
  const Tensor small = leaf({0.3, 0.1}), large = leaf({10, 2});
  const Tensor z = cosine_similarity(small, large, 0, 1);
  CHECK(z.item() == doctest::Approx(0.31378581622109447));
  CHECK(gradient(z, small)[0] == doctest::Approx(10 / std::sqrt(104.0)));
  CHECK(cosine_similarity(tensor(1.), tensor(-2.), 0).item() == -1);
  CHECK_THROWS_WITH_AS(
      cosine_similarity(x, x),
      "cosine_similarity: dimension 1 is out of range for a tensor of 1 dimension; use -1 to 0",
      ShapeError);
}

TEST_CASE("losses say what they expected, in their own names") {
  const Tensor x = tensor({0.5, 0.25}), wide = zeros({3, 2}), fine = x.to(Float64);
  const auto of_pairs = [&](const std::string& op, const auto& loss) {
    CHECK_THROWS_WITH_AS(
        loss(x, wide, Reduction::Mean),
        (op + ": input (2) and target (3, 2) must have one shape; view or expand one of them")
            .c_str(),
        ShapeError);
    CHECK_THROWS_WITH_AS(loss(x, fine, Reduction::Mean),
                         (op + ": input Float32 and target Float64 must have one dtype; convert "
                               "with .to(Float32)")
                             .c_str(),
                         DTypeError);
    CHECK_THROWS_WITH_AS(
        loss(tensor({1, 2}), tensor({1, 2}), Reduction::Mean),
        (op + ": expected Float32 or Float64, got Int64; convert with .to(Float32)").c_str(),
        DTypeError);
    if (op != "kl_div")
      CHECK_THROWS_WITH_AS(
          loss(x, x, Reduction::BatchMean),
          (op + ": Reduction::BatchMean is for kl_div alone; use Mean or Sum").c_str(), Error);
  };
  using In = const Tensor&;
  of_pairs("mse_loss", [](In a, In b, Reduction r) { return mse_loss(a, b, r); });
  of_pairs("l1_loss", [](In a, In b, Reduction r) { return l1_loss(a, b, r); });
  of_pairs("smooth_l1_loss", [](In a, In b, Reduction r) { return smooth_l1_loss(a, b, r); });
  of_pairs("huber_loss", [](In a, In b, Reduction r) { return huber_loss(a, b, r); });
  of_pairs("kl_div", [](In a, In b, Reduction r) { return kl_div(a, b, r); });
  of_pairs("binary_cross_entropy",
           [](In a, In b, Reduction r) { return binary_cross_entropy(a, b, {}, r); });
  of_pairs("binary_cross_entropy_with_logits",
           [](In a, In b, Reduction r) { return binary_cross_entropy_with_logits(a, b, {}, r); });

  CHECK_THROWS_WITH_AS(smooth_l1_loss(x, x, Reduction::Mean, -1),
                       "smooth_l1_loss: beta must be at least 0, got -1", Error);
  CHECK_THROWS_WITH_AS(huber_loss(x, x, Reduction::Mean, 0),
                       "huber_loss: delta must be above 0, got 0", Error);
  const char* const range =
      "binary_cross_entropy: the input must be probabilities, in [0, 1], got other numbers; for "
      "logits there is binary_cross_entropy_with_logits";
  CHECK_THROWS_WITH_AS(binary_cross_entropy(x * 3, x), range, Error);
  CHECK_THROWS_WITH_AS(binary_cross_entropy(x * NAN, x), range, Error);
  CHECK_THROWS_WITH_AS(
      binary_cross_entropy(x, x, wide),
      "binary_cross_entropy: weight (3, 2) must broadcast to the input's shape (2)", ShapeError);
  CHECK_THROWS_WITH_AS(
      binary_cross_entropy_with_logits(x, x, {}, Reduction::Mean, fine),
      "binary_cross_entropy_with_logits: dtypes Float32 and Float64 differ; convert one of them, "
      "for example with .to(Float64)",
      DTypeError);
}

TEST_CASE("losses of classes say what they expected, in their own names") {
  const Tensor x = zeros({4, 3});
  CHECK_THROWS_WITH_AS(nll_loss(x, zeros({4})),
                       "nll_loss: expected Int64 class indices, got Float32; convert with "
                       ".to(Int64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(nll_loss(x, tensor({0, 3, 0, 0})),
                       "nll_loss: target 3 of row 1 is not one of 3 classes; use 0 to 2, or "
                       "ignore_index to skip a row",
                       ShapeError);
  CHECK_THROWS_WITH_AS(nll_loss(zeros({1, 0}), tensor({0})),
                       "nll_loss: target 0 of row 0 cannot be met, since the input has no "
                       "classes; give it one at least",
                       ShapeError);
  CHECK_THROWS_WITH_AS(nll_loss(x, tensor({0, 1})),
                       "nll_loss: for logits (4, 3) the target must be (4), got (2); classes are "
                       "dimension 1 of the logits",
                       ShapeError);
  const Tensor target = tensor({0, 1, 2, 0});
  CHECK_THROWS_WITH_AS(cross_entropy(x, target, {.reduction = Reduction::BatchMean}),
                       "cross_entropy: Reduction::BatchMean is for kl_div alone; use Mean or Sum",
                       Error);
  CHECK_THROWS_WITH_AS(nll_loss(x, target, {.reduction = Reduction::BatchMean}),
                       "nll_loss: Reduction::BatchMean is for kl_div alone; use Mean or Sum",
                       Error);
}

TEST_CASE(
    "nll_loss without classes is NaN where all is ignored, and says so where a target counts") {
  const Tensor x = zeros({2, 0}, Float64).requires_grad_();
  const Tensor y = nll_loss(x, tensor({-100, -100}));
  CHECK(std::isnan(y.item()));
  y.backward();
  CHECK(x.grad().shape() == Shape{2, 0});
  CHECK(values(nll_loss(x, tensor({-100, -100}), {.reduction = Reduction::None})) == Values{0, 0});
  CHECK_THROWS_WITH_AS(nll_loss(x, tensor({0, 1})),
                       "nll_loss: target 0 of row 0 cannot be met, since the input has no classes; "
                       "give it one at least",
                       ShapeError);
}

TEST_CASE("an infinite difference pulls with the slope of the straight part") {
  for (const double far : {inf, -inf}) {
    const Tensor x = leaf({far, 0.5}), target = leaf({0, 0});
    const double sign = far > 0 ? 1 : -1;
    const Tensor smooth = smooth_l1_loss(x, target, Reduction::Sum, 2);
    const Tensor huber = huber_loss(x, target, Reduction::Sum, 2);
    CHECK(gradient(smooth, x) == Values{sign, 0.25});
    CHECK(gradient(smooth, target) == Values{-sign, -0.25});
    CHECK(gradient(huber, x) == Values{2 * sign, 0.5});
    CHECK(gradient(huber, target) == Values{-2 * sign, -0.5});
  }
}
