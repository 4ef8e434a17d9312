#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/gradcheck.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/core/generator.h>

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
        "6, ratio 2; of 16 entries 2 disagree. Backward gives exactly 2 times the slope: is a "
        "gradient accumulated twice?");
  CHECK(text(result) == result.message);
  CHECK(result.worst_absolute == doctest::Approx(6));
  CHECK(result.worst_relative == doctest::Approx(0.5));
}

TEST_CASE("gradcheck names the parameter where it is a parameter's derivative that is wrong") {
  const Tensor w = tensor({2.}, Float64).requires_grad_();
  const auto f = [&](const Tensors&) { return square(w, [](const Tensor& g) { return g * 0; }); };
  CHECK(gradcheck(f, {}, {{"encoder.w", w}}).message ==
        "gradcheck: output 0 (0) by parameter encoder.w (0): backward gives 0, central differences "
        "give 4, ratio 0; of 1 entries 1 disagrees. Backward gives 0 everywhere: is parameter "
        "encoder.w cut off, by a detach(), a NoGradGuard or a value taken as array() or item()?");
}

TEST_CASE("gradcheck sees a derivative that is wrong only along the path with create_graph") {
  const auto f = [](const Tensors& x) {
    return square(x[0],
                  [x = saved(x[0])](const Tensor& g) { return g * x() * (taping() ? 3 : 2); });
  };
  CHECK(gradcheck(f, {tensor({1.}, Float64).requires_grad_()}).message ==
        "gradcheck: output 0 (0) by input 0 (0): backward with create_graph gives 3, central "
        "differences give 2, ratio 1.5; of 1 entries 1 disagrees. A derivative is wrong");
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
      "second time; switch dropout off (eval()), or wrap the function in seeded()",
      Error);
  int calls = 0;
  CHECK_THROWS_WITH_AS(
      gradcheck([&](const Tensors& x) { return Tensors(static_cast<std::size_t>(++calls), x[0]); },
                {noise_leaf({2})}),
      "gradcheck: the function returned 1 tensors, then 2; it must always do the same", Error);
}

TEST_CASE("a seeded function drops the same elements each time and leaves the generator alone") {
  const CheckedFunction f = [](const Tensors& x) { return dropout(x[0], 0.5); };
  const Tensors x{noise_leaf({4, 8})};
  manual_seed(7);
  const std::string before = core::default_generator().state();
  CHECK(gradcheck(seeded(f), x));
  CHECK(gradgradcheck(seeded(f), x));
  CHECK(gradcheck_sampled(seeded(f), x));
  CHECK(core::default_generator().state() == before);
  CHECK(equal(seeded(f, 1)(x)[0], seeded(f, 1)(x)[0]));
  CHECK_FALSE(equal(seeded(f, 1)(x)[0], seeded(f, 2)(x)[0]));
}

TEST_CASE("every gradcheck refuses more outputs, or other shapes, a step away") {
  const auto more = [](const Tensors& x) {
    return x[0].item() > 1 ? Tensors{x[0] * 2, x[0]} : Tensors{x[0] * 2};
  };
  const auto fewer = [](const Tensors& x) {
    return x[0].item() > 1 ? Tensors{x[0] * 2} : Tensors{x[0] * 2, x[0]};
  };
  const auto wider = [](const Tensors& x) {
    return x[0].item() > 1 ? Tensor(x[0]) : cat({x[0], x[0]});
  };
  const std::vector<std::pair<CheckedFunction, std::string>> functions{
      {more,
       "gradcheck: the function returned 1 floating tensors, and later 2; how many must not depend "
       "on values"},
      {fewer,
       "gradcheck: the function returned 2 floating tensors, and later 1; how many must not depend "
       "on values"},
      {wider,
       "gradcheck: output 0 of the function had shape (2), and later (1); shapes must not depend "
       "on values"}};
  const Tensors x{tensor({1.}, Float64).requires_grad_()};
  for (const auto& entry : functions) {
    const CheckedFunction& f = entry.first;
    const std::string& message = entry.second;
    CHECK_THROWS_WITH_AS(gradcheck(f, x), message.c_str(), Error);
    CHECK_THROWS_WITH_AS(gradcheck(f, x, {}, {.fast_mode = true}), message.c_str(), Error);
    CHECK_THROWS_WITH_AS(gradgradcheck(f, x), message.c_str(), Error);
    CHECK_THROWS_WITH_AS(gradcheck(f, x, {}, {.fast_mode = true, .order = 2}), message.c_str(),
                         Error);
    CHECK_THROWS_WITH_AS(gradcheck_sampled(f, x), message.c_str(), Error);
    CHECK(x[0].item() == 1);
  }
}

TEST_CASE("steps and tolerances that measure nothing are refused") {
  const auto f = [](const Tensors& x) { return exp(x[0]); };
  const Tensors x{noise_leaf({2})};
  for (const double eps : {0.0, -1e-6, double(NAN), double(INFINITY)}) {
    const std::string message =
        core::to_text("gradcheck: eps must be a number above 0, got ", eps, "; 1e-6 suits Float64");
    CHECK_THROWS_WITH_AS(gradcheck(f, x, {}, {.eps = eps}), message.c_str(), Error);
    SampleOptions sample;
    sample.eps = eps;
    CHECK_THROWS_WITH_AS(gradcheck_sampled(f, x, {}, sample), message.c_str(), Error);
  }
  for (const double bad : {-1e-9, double(NAN)}) {
    const std::string atol =
        core::to_text("gradcheck: atol and rtol must not be negative, got ", bad, " and 0.001");
    CHECK_THROWS_WITH_AS(gradgradcheck(f, x, {}, {.atol = bad}), atol.c_str(), Error);
    const std::string rtol =
        core::to_text("gradcheck: atol and rtol must not be negative, got 1e-05 and ", bad);
    CHECK_THROWS_WITH_AS(gradcheck(f, x, {}, {.rtol = bad}), rtol.c_str(), Error);
  }
  CHECK(gradcheck(f, x, {}, {.atol = 1e-7, .rtol = 0}));
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
                       "different the second time; switch dropout off (eval()), or wrap "
                       "the function in seeded()",
                       Error);
  CHECK(testing::difference(x, before) == "");
}

TEST_CASE("gradcheck works inside a NoGradGuard") {
  const NoGradGuard no_grad;
  CHECK(gradcheck([](const Tensors& x) { return exp(x[0]); }, {noise_leaf({2, 3})}).checked == 36);
  CHECK_FALSE(taping());
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
