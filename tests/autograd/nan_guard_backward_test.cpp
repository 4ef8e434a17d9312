// What the guard says of derivative rules.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>

#include <sstream>

#include "../support/leaf.h"
#include "../support/sanitizers.h"
#include "nan_reports.h"

using namespace tapehead;
using namespace tapehead::testing;

TEST_CASE("a rule that makes NaN of a finite gradient is named by its op of the forward pass") {
  const Tensor x = leaf({0, 4});
  const std::string distance = "distance";
  CHECK(thrown([&] {
          NanGuard guard;
          const Tensor scaled = x * 1;
          const ModuleCall call(distance);
          const Tensor root = sqrt(scaled);
          sum(where(scaled > 0, root, 0)).backward();
        }) ==
        "sqrt: its derivative rule made 1 NaN and 0 inf from a finite gradient (op 2 of the "
        "forward pass, in distance)\n"
        "  gradient of its output: (2) Float64, 0 to 1, 0 NaN, 0 inf\n"
        "  in the rule, div: input 0: (2) Float64, 0 to 1, 0 NaN, 0 inf\n"
        "  in the rule, div: input 1: (2) Float64, 0 to 4, 0 NaN, 0 inf\n"
        "  gradient of its input: (2) Float64, 0.25 to 0.25, 1 NaN, 0 inf\n"
        "likely cause: the slope of sqrt at 0 is infinite, and 0 inf is NaN where a where() or "
        "mask has made the gradient 0; keep 0 out of its input: sqrt(where(x > 0, x, 1)), then "
        "where() again");
  CHECK_FALSE(x.grad().defined());
  sum(x * 2).backward();
  CHECK(testing::values(x.grad()) == testing::Values{2, 2});
}

TEST_CASE("what a rule masks out again is no offence") {
  Reporting reporting;
  const Tensor base = leaf({0, 2}), exponent = leaf({0, 3});
  sum(pow(base, exponent)).backward();  // b a^(b-1) has 0 inf at b = 0, and is masked there
  CHECK(reports.empty());
}

TEST_CASE("a rule that runs a kernel of its own is named too") {
  const Tensor x = leaf({1, 2});
  const Tensor y = record(
      "broken", [&] { return x.array().clone(); },
      wrt(x, [](const Tensor& g) { return Tensor(NDArray::full(g.shape(), NAN, g.dtype())); }));
  Reporting reporting;
  sum(y * 2).backward();
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].op == "broken");
  CHECK(reports[0].backward);
  CHECK(reports[0].number == 0);
  CHECK(reports[0].cause == "");
  std::ostringstream text;
  text << reports[0];
  CHECK(head(text.str()) ==
        "broken: its derivative rule made 2 NaN and 0 inf from a finite gradient (an op from "
        "before the guard began)\n"
        "  gradient of its output: (2) Float64, 2 to 2, 0 NaN, 0 inf\n"
        "  gradient of its input: (2) Float64, 2 NaN, 0 inf");
}

TEST_CASE("a value that the forward pass left, not finite, is told from what the rule makes") {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * numbers({infinity, 1});
  CHECK(cause([&] { sum(y).backward(); }) ==
        "a value that the forward pass left is not finite; have the guard see the forward pass "
        "too");
}

TEST_CASE("a value that is not finite is traced to the op of the forward pass that left it") {
  const Tensor p = leaf({0, 4}), w = leaf({1, 2});
  Reporting reporting;
  const Tensor scaled = rsqrt(p * 1) * w;
  sum(where(p.detach() > 0, scaled, 0)).backward();
  REQUIRE(reports.size() == 2);  // rsqrt; the rule of mul; not that of rsqrt, too
  CHECK(reports[0].op == "rsqrt");
  CHECK(reports[1].op == "mul");
  CHECK(reports[1].backward);
  CHECK(reports[1].cause ==
        "a value that is not finite, which op 2 of the forward pass, rsqrt, has left; 0 inf is NaN "
        "where a where() or mask has made the gradient 0");
}

TEST_CASE("a value that came from outside is not taken for one that an op has left") {
  const Tensor x = leaf({1, 2});
  CHECK(cause([&] {
          sum(x * numbers({infinity, 1})).backward();
        }) ==
        "a value that is not finite, which the op was given and no op of this guard has made");
}

TEST_CASE("who left a value that is not finite is who wrote it last, and no view of it") {
  const Tensor x = leaf({1, 2});
  std::vector<std::string> causes;
  NanGuard guard([&](const NanReport& report) { causes.push_back(report.cause); });
  const core::Storage* freed = exp(numbers({1000, 1})).array().storage();
  const Tensor given = numbers({infinity, 1}) * 1;
  if (!testing::memory_watched)
    REQUIRE(given.array().storage() == freed);  // there nothing is reused
  given.narrow(0, 1, 1);
  sum(x * given.view({2})).backward();
  REQUIRE(causes.size() == 2);
  CHECK(causes[1] ==
        "a value that is not finite, which op 2 of the forward pass, mul, has left; 0 inf is NaN "
        "where a where() or mask has made the gradient 0");
}

TEST_CASE("a fully masked row is told of once, not again by each gradient that it spoils") {
  const Tensor q = randn({1, 2, 3, 4}).requires_grad_(), k = randn({1, 2, 3, 4}).requires_grad_(),
               v = randn({1, 2, 3, 4}).requires_grad_();
  Tensor bias = masked_fill(zeros({3, 3}), tensor({{false}, {false}, {true}}), -infinity);
  Reporting reporting;
  sum(fused_attention(q, k, v, {}, bias.requires_grad_(), {}, 0.5, false).output).backward();
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].op == "attention");
  CHECK_FALSE(reports[0].backward);
}

TEST_CASE("the gradient of the variance of a single number divides by n - 1, which is 0") {
  const Tensor x = leaf({1});
  const Tensor variance = var(x);
  CHECK(cause([&] { variance.backward(); }) ==
        "its argument is inf, as 2 / (n - 1) is in the gradient of the variance of a single "
        "number; 0 inf and inf - inf are NaN");
  CHECK(cause([&] {
          numbers({0, 1}) * infinity;
        }) ==
        "its argument is inf, as 2 / (n - 1) is in the gradient of the variance of a single "
        "number; 0 inf and inf - inf are NaN");
}

TEST_CASE("a rule's own division, and the cause that its op would have") {
  const Tensor x = leaf({0, 1});
  const Tensor y = log(x + 0);
  CHECK(cause([&] { sum(masked_fill(y, x.detach() == 0, 0)).backward(); }) ==
        "division by zero; add a small eps to the divisor, or put a 1 where it is 0");
}

TEST_CASE("a gradient that is not finite to begin with, or by a hook, is no rule's fault") {
  const Tensor x = leaf({1});
  Reporting reporting;
  (x * 2).backward(numbers({NAN}));
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].op == "backward");
  CHECK(reports[0].what == "was given a gradient that is not finite");
  std::ostringstream text;
  text << reports[0];
  CHECK(head(text.str()) ==
        "backward: was given a gradient that is not finite\n"
        "  gradient: (1) Float64, 1 NaN, 0 inf");
  const Tensor y = x * 2;
  y.register_hook([](const Tensor& g) { return g / 0; });
  sum(y * 3).backward();
  REQUIRE(reports.size() == 2);
  CHECK(reports[1].op == "mul");
  CHECK(reports[1].number == 1);
  CHECK(reports[1].what ==
        "the gradient of its output is not finite, though those that were added up for it are: "
        "they overflowed, or a hook replaced them");
}

TEST_CASE("a sum of gradients that overflows is seen, at a leaf and at what was asked for") {
  const Tensor x = leaf({1e-3, 2}), large = numbers({1e308, 1});
  CHECK(thrown([&] {
          NanGuard guard;
          sum(x * large + x * large).backward();
        }) ==
        "leaf: its gradient is not finite, though those that were added up for it are: they "
        "overflowed\n"
        "  gradient: (2) Float64, 2 to 2, 0 NaN, 1 inf");
  CHECK_FALSE(x.grad().defined());
  Reporting reporting;
  const Tensor y = x * 1;
  autograd::grad({sum(y * large + y * large)}, {y});
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].op == "mul");
  CHECK(reports[0].number == 1);
  autograd::grad({sum(y * large * numbers({0, 1}))}, {y});
  CHECK(reports.size() == 1);
}
