#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/gradcheck.h>
#include <tapehead/autograd/ops.h>

#include <cmath>
#include <sstream>

#include "../support/compare.h"
#include "checked.h"

using namespace tapehead;
using testing::noise;
using testing::noise_leaf;
using testing::square;
using Tensors = std::vector<Tensor>;

namespace {

std::string text(const GradcheckResult& result) {
  std::ostringstream out;
  out << result;
  return out.str();
}

}  // namespace

TEST_CASE("gradcheck passes a right derivative and counts every entry of the Jacobian") {
  const GradcheckResult result = gradcheck([](const Tensors& x) { return matmul(x[0], x[1]); },
                                           {noise_leaf({2, 3}), noise_leaf({3, 4}, 2)});
  CHECK(result);
  CHECK(result.message == "");
  CHECK(result.checked == 8 * 6 + 8 * 12);
  CHECK(result.skipped == 0);
  CHECK(result.worst_absolute > 0);
  CHECK(result.worst_absolute < 1e-8);
  CHECK(result.worst_relative < 1e-8);
}

TEST_CASE("gradcheck looks at every floating output, and at no other") {
  const auto f = [](const Tensors& x) {
    const ValuesIndices largest = max(x[0], 1);
    return Tensors{largest.values, largest.indices, sum(x[0])};
  };
  CHECK(gradcheck(f, {noise_leaf({2, 3})}).checked == 2 * 6 + 6);
}

TEST_CASE("gradcheck leaves inputs alone that require no gradient, of any dtype") {
  const Tensor index = tensor({2, 0}), mask = tensor({true, false, true});
  const auto f = [](const Tensors& x) {
    return index_select(masked_fill(x[0], x[2], 0) * x[3], 0, x[1]);
  };
  const GradcheckResult result = gradcheck(f, {noise_leaf({3}), index, mask, noise({3}, 5)});
  CHECK(result);
  CHECK(result.checked == 2 * 3);
}

TEST_CASE("gradcheck reaches parameters that the function does not take as inputs") {
  const Tensor w = noise_leaf({4, 3}, 2), b = noise_leaf({4}, 3);
  const auto layer = [&](const Tensors& x) { return linear(x[0], w, b); };
  CHECK(gradcheck(layer, {noise({2, 3})}, {{"w", w}, {"b", b}}).checked == 8 * 12 + 8 * 4);
  CHECK(gradcheck(layer, {noise_leaf({2, 3})}, {{"w", w}, {"b", b}}).checked == 8 * (6 + 12 + 4));
}

TEST_CASE("gradcheck names input, element, both values and their ratio where they disagree") {
  const auto twice = [](const Tensors& x) {
    return square(x[0], [x = saved(x[0])](const Tensor& g) { return g * x() * 4; });
  };
  const GradcheckResult result =
      gradcheck(twice, {tensor({{0.5, 0.}, {0., 3.}}, Float64).requires_grad_()});
  CHECK_FALSE(result);
  CHECK(result.message ==
        "gradcheck: output 0 (1, 1) by input 0 (1, 1): backward gives 12, central differences give "
        "6, ratio 2; of 16 entries 2 disagree. Either a derivative is wrong, or a kink lies within "
        "eps");
  CHECK(text(result) == result.message);
  CHECK(result.worst_absolute == doctest::Approx(6));
  CHECK(result.worst_relative == doctest::Approx(0.5));
}

TEST_CASE("gradcheck names the parameter where it is a parameter's derivative that is wrong") {
  const Tensor w = tensor({2.}, Float64).requires_grad_();
  const auto f = [&](const Tensors&) { return square(w, [](const Tensor& g) { return g * 0; }); };
  CHECK(gradcheck(f, {}, {{"encoder.w", w}}).message ==
        "gradcheck: output 0 (0) by parameter encoder.w (0): backward gives 0, central differences "
        "give 4, ratio 0; of 1 entries 1 disagree. Either a derivative is wrong, or a kink lies "
        "within eps");
}

TEST_CASE("gradcheck sees a derivative that is wrong only along the path with create_graph") {
  const auto f = [](const Tensors& x) {
    return square(x[0],
                  [x = saved(x[0])](const Tensor& g) { return g * x() * (taping() ? 3 : 2); });
  };
  CHECK(
      gradcheck(f, {tensor({1.}, Float64).requires_grad_()}).message ==
      "gradcheck: output 0 (0) by input 0 (0): backward with create_graph gives 3, central "
      "differences give 2, ratio 1.5; of 1 entries 1 disagree. Either a derivative is wrong, or a "
      "kink lies within eps");
}

TEST_CASE("gradcheck sees one element 1 % off, one sign, a factor two, an offset and all zeros") {
  const Tensor x = tensor({0.01, 0.035, -0.101, 0.685, 0.067, 1.133}, Float64).requires_grad_();
  const Tensor right = x.detach() * 2;
  const auto verdict = [&](const Tensor& said) {
    const auto f = [&](const Tensors& in) {
      return sum(square(in[0], [said](const Tensor& g) { return g * said; }));
    };
    return static_cast<bool>(gradcheck(f, {x}));
  };
  const auto with = [&](Index i, double value) {
    Tensor said = right.clone();
    said.select(0, i).fill_(value);
    return said;
  };
  CHECK(verdict(right));
  CHECK_FALSE(verdict(with(3, 1.3837)));
  CHECK_FALSE(verdict(with(5, -2.266)));
  CHECK_FALSE(verdict(right * 2));
  CHECK_FALSE(verdict(with(0, 0.0201)));
  CHECK_FALSE(verdict(right * 0));
  CHECK_FALSE(verdict(with(2, NAN)));
}

TEST_CASE("gradcheck with its defaults passes a derivative off by less than PyTorch's allows") {
  const auto off_by = [](double factor) {
    const auto f = [factor](const Tensors& x) {
      return square(x[0], [x = saved(x[0]), factor](const Tensor& g) { return g * x() * factor; });
    };
    return static_cast<bool>(gradcheck(f, {tensor({3.}, Float64).requires_grad_()}));
  };
  CHECK(off_by(2 * (1 + 0.9e-3)));
  CHECK_FALSE(off_by(2 * (1 + 1.1e-3)));
}

TEST_CASE("gradcheck with rtol 0, or no tolerance at all, still tells the relative error") {
  const auto off = [](const Tensors& x) {
    return square(x[0], [x = saved(x[0])](const Tensor& g) { return g * x() * 3; });
  };
  const Tensors x{tensor({2.}, Float64).requires_grad_()};
  GradcheckOptions options;
  options.rtol = 0;
  CHECK(gradcheck(off, x, {}, options).worst_relative == doctest::Approx(1. / 3));
  CHECK(gradcheck([](const Tensors& t) { return exp(t[0]); }, x, {}, options));
  options.atol = 0;
  const GradcheckResult result = gradcheck(off, x, {}, options);
  CHECK_FALSE(result);
  CHECK(result.worst_relative == doctest::Approx(1. / 3));
}

TEST_CASE("gradcheck of relu at 0 names the kink") {
  const auto f = [](const Tensors& x) { return relu(x[0]); };
  CHECK(gradcheck(f, {tensor({0.5, -0.5, 2.}, Float64).requires_grad_()}));
  CHECK(
      gradcheck(f, {tensor({0.5, 0., -0.5}, Float64).requires_grad_()}).message ==
      "gradcheck: output 0 (1) by input 0 (1): backward gives 0, central differences give 0.5, "
      "ratio 0; of 9 entries 1 disagree. Either a derivative is wrong, or a kink lies within eps");
}

TEST_CASE("gradcheck counts an output that depends on nothing as derivative zero") {
  const auto constant = [](const Tensors& x) { return ones_like(x[0]); };
  CHECK(gradcheck(constant, {noise_leaf({2})}).checked == 4);
  const auto cut = [](const Tensors& x) { return mul(x[0], 2).detach(); };
  CHECK_FALSE(gradcheck(cut, {noise_leaf({2})}));
}

TEST_CASE("gradcheck of empty inputs or outputs has nothing to compare and passes") {
  const GradcheckResult result =
      gradcheck([](const Tensors& x) { return exp(x[0]); }, {noise_leaf({0, 3})});
  CHECK(result);
  CHECK(result.checked == 0);
  CHECK(text(result) == "gradcheck: 0 entries agree, worst error 0 absolute, 0 relative");
}

TEST_CASE("results add up: all entries, the worst errors with NaN above all, the first message") {
  const GradcheckResult small{true, "", 1, 2, 10, 3}, large{false, "large", 3, 1, 20, 4},
      nan{false, "nan", NAN, NAN, 30, 5};
  GradcheckResult all;
  all += small;
  all += large;
  CHECK_FALSE(all.passed);
  CHECK(all.message == "large");
  CHECK(all.worst_absolute == 3);
  CHECK(all.worst_relative == 2);
  CHECK(all.checked == 30);
  CHECK(all.skipped == 7);
  for (const auto& [first, second] : {std::pair{small, nan}, std::pair{nan, small}}) {
    all = first;
    all += second;
    CHECK_FALSE(all.passed);
    CHECK(all.message == "nan");
    CHECK(std::isnan(all.worst_absolute));
    CHECK(std::isnan(all.worst_relative));
    CHECK(all.checked == 40);
    CHECK(all.skipped == 8);
  }
}

TEST_CASE("gradcheck demands Float64 of inputs, parameters and outputs") {
  const Tensor coarse = noise({2, 3}, 1, Float32).requires_grad_();
  const auto identity = [](const Tensors& x) { return x[0] * 1; };
  CHECK_THROWS_WITH_AS(gradcheck(identity, {coarse}),
                       "gradcheck: input 0 of shape (2, 3) is Float32, too coarse for central "
                       "differences; convert it with .to(Float64)",
                       Error);
  CHECK_THROWS_WITH_AS(gradcheck(identity, {noise_leaf({2})}, {{"w", coarse}}),
                       "gradcheck: parameter w of shape (2, 3) is Float32, too coarse for central "
                       "differences; convert it with .to(Float64)",
                       Error);
  CHECK_THROWS_WITH_AS(
      gradcheck(
          [](const Tensors& x) {
            return Tensors{x[0], to(x[0], Float32)};
          },
          {noise_leaf({2})}),
      "gradcheck: output 1 of shape (2) is Float32; the function must keep to Float64", Error);
}

TEST_CASE("gradcheck says when there is nothing to check") {
  CHECK_THROWS_WITH_AS(gradcheck([](const Tensors& x) { return x[0] * 1; }, {noise({2})}),
                       "gradcheck: nothing to check: no input or parameter requires a gradient; "
                       "call requires_grad_() on one",
                       Error);
  CHECK_THROWS_WITH_AS(gradcheck([](const Tensors& x) { return argmax(x[0]); }, {noise_leaf({2})}),
                       "gradcheck: the function returned no floating tensor to differentiate",
                       Error);
}

TEST_CASE("gradcheck refuses an input that shows one element at two places") {
  const Tensor x = noise_leaf({3});
  const auto f = [](const Tensors& in) { return in[0] * 2; };
  CHECK_THROWS_WITH_AS(gradcheck(f, {x.expand({2, 3})}),
                       "gradcheck: input 0 of shape (2, 3) and strides (0, 1) shows one element at "
                       "two places, which cannot be moved apart; pass a clone(), or expand inside "
                       "the function",
                       Error);
  CHECK(gradcheck([](const Tensors& in) { return in[0].expand({2, 3}) * 2; }, {x}));
}

TEST_CASE("gradcheck takes transposed and sliced inputs, leaves or not") {
  const Tensor base = noise_leaf({4, 3});
  const auto f = [](const Tensors& x) { return exp(x[0]) * x[0]; };
  CHECK(gradcheck(f, {base.t()}).checked == 144);
  CHECK(gradcheck(f, {base.slice(0, 1, 4, 2)}).checked == 36);
  CHECK(gradcheck(f, {base.detach().t().requires_grad_()}).checked == 144);
}

TEST_CASE("gradcheck takes one tensor as two inputs") {
  const Tensor x = noise_leaf({3});
  CHECK(gradcheck([](const Tensors& in) { return in[0] * in[1]; }, {x, x}));
}

TEST_CASE("gradcheck refuses a function that does not give the same bits twice") {
  CHECK_THROWS_WITH_AS(
      gradcheck([](const Tensors& x) { return dropout(x[0], 0.5); }, {noise_leaf({4, 8})}),
      "gradcheck: the function is not deterministic: output 0 of shape (4, 8) was different the "
      "second time; switch dropout off (eval()), or call manual_seed() inside the function",
      Error);
  int calls = 0;
  CHECK_THROWS_WITH_AS(
      gradcheck([&](const Tensors& x) { return Tensors(static_cast<std::size_t>(++calls), x[0]); },
                {noise_leaf({2})}),
      "gradcheck: the function returned 1 tensors, then 2; it must always do the same", Error);
}

TEST_CASE("gradcheck passes dropout that is seeded inside the function") {
  const auto f = [](const Tensors& x) {
    manual_seed(5);
    return dropout(x[0], 0.5);
  };
  CHECK(gradcheck(f, {noise_leaf({4, 8})}));
}

TEST_CASE("gradcheck refuses outputs whose shape depends on values") {
  const auto f = [](const Tensors& x) {
    return x[0].item() > 1 ? Tensor(x[0]) : cat({x[0], x[0]});
  };
  CHECK_THROWS_WITH_AS(
      gradcheck(f, {tensor({1.}, Float64).requires_grad_()}),
      "gradcheck: the function gave 2 elements, and 1 a small step away; the shape "
      "of its outputs must not depend on values",
      Error);
}

TEST_CASE("gradcheck puts inputs and parameters back bit for bit, and their versions") {
  const Tensor x = noise_leaf({3, 2}), w = noise_leaf({3, 2}, 2);
  const Tensor x_before = x.detach().clone(), w_before = w.detach().clone();
  const std::uint32_t version = x.array().version();
  const Tensor earlier = sum(x * w);
  const auto f = [&](const Tensors& in) { return in[0] * w; };
  CHECK(gradcheck(f, {x}, {{"w", w}}));
  CHECK(testing::difference(x, x_before) == "");
  CHECK(testing::difference(w, w_before) == "");
  CHECK(x.array().version() == version);
  CHECK_FALSE(x.grad().defined());
  earlier.backward();
  CHECK(testing::difference(x.grad(), w_before) == "");
}

TEST_CASE("gradcheck puts inputs back when the function throws half-way") {
  const Tensor x = noise_leaf({3});
  const Tensor before = x.detach().clone();
  int calls = 0;
  const auto f = [&](const Tensors& in) {
    if (++calls == 6) fail<ShapeError>("f: has had enough");
    return in[0] * 2;
  };
  CHECK_THROWS_WITH_AS(gradcheck(f, {x}), "f: has had enough", ShapeError);
  CHECK(testing::difference(x, before) == "");
}

TEST_CASE("gradcheck puts back what the function itself changed") {
  const Tensor x = noise_leaf({3});
  const Tensor before = x.detach().clone();
  const auto f = [](const Tensors& in) {
    const NoGradGuard no_grad;
    Tensor same = in[0];
    same.add_(1);
    return same.detach() * 2;
  };
  CHECK_THROWS_WITH_AS(gradcheck(f, {x}),
                       "gradcheck: the function is not deterministic: output 0 of shape (3) was "
                       "different the second time; switch dropout off (eval()), or call "
                       "manual_seed() inside the function",
                       Error);
  CHECK(testing::difference(x, before) == "");
}

TEST_CASE("gradcheck works inside a NoGradGuard") {
  const NoGradGuard no_grad;
  CHECK(gradcheck([](const Tensors& x) { return exp(x[0]); }, {noise_leaf({2, 3})}).checked == 36);
  CHECK_FALSE(taping());
}

TEST_CASE("a gradcheck result prints how many entries agree and the worst errors") {
  GradcheckResult result;
  result.checked = 42;
  result.worst_absolute = 1.2e-9;
  result.worst_relative = 3e-8;
  CHECK(text(result) ==
        "gradcheck: 42 entries agree, worst error 1.2e-09 absolute, 3e-08 relative");
  result.skipped = 7;
  CHECK(text(result) ==
        "gradcheck: 42 entries agree, worst error 1.2e-09 absolute, 3e-08 relative; there was no "
        "time for 7 more");
}

TEST_CASE("gradgradcheck sees a wrong second derivative behind a right first one") {
  const auto cube = [](double second) {
    return [second](const Tensors& x) {
      return record(
          "cube", [&] { return pow(x[0], 3).array(); },
          wrt(x[0], [x = saved(x[0]), second](const Tensor& g) {
            const Tensor slope = record(
                "slope", [&] { return (x() * x() * 3).array(); },
                wrt(x(), [y = saved(x()), second](const Tensor& h) { return h * y() * second; }));
            return g * slope;
          }));
    };
  };
  const Tensor x = tensor({1.5}, Float64).requires_grad_();
  CHECK(gradcheck(cube(5), {x}));
  CHECK(gradgradcheck(cube(6), {x}).checked == 2);
  CHECK_FALSE(gradgradcheck(cube(5), {x}));
}

TEST_CASE("gradgradcheck reaches parameters, several outputs and those without a gradient") {
  const Tensor w = noise_leaf({3}, 2);
  const auto f = [&](const Tensors& x) {
    return Tensors{exp(x[0] * w), argmax(x[0]), ones({2}, Float64), sum(x[0])};
  };
  const GradcheckResult result = gradgradcheck(f, {noise_leaf({3})}, {{"w", w}});
  CHECK_MESSAGE(result.passed, result.message);
  // Two gradients of 3 elements, by two tensors of 3 and incoming gradients of 3, 2 and 1.
  CHECK(result.checked == 6 * (6 + 6));
}
