#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/nan_guard.h>

#include <cmath>
#include <sstream>
#include <thread>

#include "../support/compare.h"
#include "../support/leaf.h"
#include "../support/sanitizers.h"

using namespace tapehead;
using testing::leaf;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The message up to its backtrace, which is another one in every build.
std::string head(const std::string& message) {
  return message.substr(0, message.find("\nbacktrace:"));
}

template <class F>
std::string thrown(F f) {
  try {
    f();
  } catch (const NanError& error) {
    return head(error.what());
  }
  return "nothing was thrown";
}

// The cause that is given for the first op in f to make NaN or inf.
template <class F>
std::string cause(F f) {
  std::string found = "nothing was reported";
  NanGuard guard([&](const NanReport& report) {
    if (found == "nothing was reported") found = report.cause;
  });
  f();
  return found;
}

std::vector<NanReport> reports;
struct Reporting {
  Reporting() : guard([](const NanReport& report) { reports.push_back(report); }) {
    reports.clear();
  }
  ~Reporting() { reports.clear(); }
  NanGuard guard;
};

Tensor numbers(const testing::Values& v) {
  return tensor(v, {static_cast<Index>(v.size())}, Float64);
}

}  // namespace

TEST_CASE("the first op to make NaN is named, with number, module, operands and likely cause") {
  const Tensor x = numbers({0, 1, 4}), y = numbers({1, 2, 3});
  const std::string block = "block", ff = "ff";
  CHECK(thrown([&] {
          NanGuard guard;
          const ModuleCall outer(block), inner(ff);
          sum(log(x * 1) * y);
        }) ==
        "log: made 0 NaN and 1 inf from finite inputs (op 2 of the forward pass, in block.ff)\n"
        "  input 0: (3) Float64, 0 to 4, 0 NaN, 0 inf\n"
        "  output: (3) Float64, 0 to 1.38629, 0 NaN, 1 inf\n"
        "likely cause: the log of 0 is -inf; clamp the input from below, or use log_softmax for "
        "the log of a softmax");
}

TEST_CASE("a report has a backtrace, from the op outwards, or says that there is none") {
  Reporting reporting;
  log(numbers({0}));
  REQUIRE(reports.size() == 1);
  std::ostringstream text;
  text << reports[0];
#if defined(__linux__) && defined(__GLIBC__)
  REQUIRE_FALSE(reports[0].backtrace.empty());
  for (const std::string& line : reports[0].backtrace)
    CHECK(line.find("NanGuard") == std::string::npos);
  CHECK(reports[0].backtrace.back() == "main");
  CHECK(text.str().find("\nbacktrace:\n  tapehead::") != std::string::npos);
#endif
  NanReport bare = reports[0];
  bare.backtrace = {};
  std::ostringstream none;
  none << bare;
  CHECK(none.str() == head(text.str()) + "\nbacktrace: none on this platform");
  bare.backtrace = {"program+0x12", "program+0x34"};
  std::ostringstream stripped;
  stripped << bare;
  CHECK(stripped.str() == head(text.str()) +
                              "\nbacktrace: (this program has no symbols)\n  program+0x12\n  "
                              "program+0x34");
}

TEST_CASE("who passes NaN on is not named, and another producer is") {
  Reporting reporting;
  const Tensor a = log(numbers({-1, 1})) * 2 + 1;
  const Tensor b = a.exp();
  const Tensor c = sqrt(numbers({-1}));
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].op == "log");
  CHECK(reports[0].number == 1);
  CHECK(reports[1].op == "sqrt");
  CHECK(reports[1].number == 5);
}

TEST_CASE("filling with -inf is no offence, nor is softmax of a row that has more than that") {
  Reporting reporting;
  const Tensor mask = tensor({{true, false}, {false, true}});
  Tensor scores = masked_fill(zeros({2, 2}), mask, -infinity);
  CHECK(softmax(scores, -1).sum().item() == 2);
  softmax(where(mask, zeros({2, 2}), -infinity), -1);
  logsumexp(scores, {-1});
  scores.masked_fill_(mask, infinity);
  zeros({2}).fill_(NAN);
  CHECK(reports.empty());
}

TEST_CASE("a fully masked row is found in softmax and in the bias of attention") {
  const Tensor scores = tensor({{0., 1.}, {-1., -1.}, {1., -1.}});
  CHECK(cause([&] { softmax(masked_fill(scores, scores < 0, -infinity), -1); }) ==
        "row (1) is -inf everywhere, fully masked, which leaves 0 / 0; hide keys with -1e9 "
        "instead, or let every query see one");
  CHECK(cause([&] { log_softmax(full({2}, -infinity), 0); }) ==
        "the only row is -inf everywhere, fully masked, which leaves 0 / 0; hide keys with -1e9 "
        "instead, or let every query see one");
  CHECK(cause([&] { softmax(full({2}, infinity), 0); }) == "a score is +inf, and inf - inf is NaN");
  const Tensor q = randn({1, 2, 3, 4});
  const Tensor bias = masked_fill(zeros({3, 3}), tensor({{false}, {false}, {true}}), -infinity);
  CHECK(cause([&] { fused_attention(q, q, q, {}, bias, {}, 0.5, true); }) ==
        "row (2) of the bias is -inf everywhere, fully masked, which leaves 0 / 0; hide keys with "
        "-1e9 instead, or let every query see one");
}

TEST_CASE("likely causes of what an op makes of finite inputs") {
  const Tensor zero = numbers({0, 1}), negative = numbers({-1, 1}), large = numbers({1, 1e308});
  CHECK(cause([&] { log(negative); }) == "the log of a negative number is NaN");
  CHECK(cause([&] { sqrt(negative); }) ==
        "the root of a negative number is NaN; a variance or a distance may be -1e-9 by rounding: "
        "clamp it at 0");
  CHECK(cause([&] { rsqrt(zero); }) == "1 / sqrt(0) is inf; add a small eps to the input");
  const std::string by_zero =
      "division by zero; add a small eps to the divisor, or put a 1 where it is 0";
  CHECK(cause([&] { negative / zero; }) == by_zero);
  const std::string by_number =
      "division by the number 0, as in the mean of nothing or the variance of a single number";
  CHECK(cause([&] { negative / 0; }) == by_number);
  CHECK(cause([&] { mean(zeros({0})); }) == by_number);
  CHECK(cause([&] { var(zeros({1})); }) == by_number);
  CHECK(cause([&] { 2 / zero; }) == by_zero);
  CHECK(cause([&] { numbers({1, 2}).div_(zero); }) == by_zero);
  CHECK(cause([&] {
          exp(tensor({1., 100.}));
        }) ==
        "exp overflows Float32 above 88.72, and the input goes up to 100; subtract the maximum "
        "first, as softmax and logsumexp do");
  CHECK(cause([&] { exp(numbers({1000})); }) ==
        "exp overflows Float64 above 709.78, and the input goes up to 1000; subtract the maximum "
        "first, as softmax and logsumexp do");
  CHECK(cause([&] { pow(zero, -1); }) == "0 to a negative power is inf; keep 0 out of the base");
  CHECK(cause([&] { pow(negative, 0.5); }) ==
        "a negative number to a power that is not whole is NaN");
  CHECK(cause([&] {
          cross_entropy(zeros({1, 2}), tensor({-100}));
        }) == "its argument is NaN, as in cross_entropy's mean over no target that counts");
  CHECK(cause([&] { large * 10; }) ==
        "overflow: the result is beyond the largest Float64, 1.8e308");
  CHECK(cause([&] { tensor({1e38}) * 10; }) ==
        "overflow: the result is beyond the largest Float32, 3.4e38");
  CHECK(cause([&] { numbers({infinity}) - numbers({infinity}); }) ==
        "inf - inf, 0 inf and inf / inf are NaN, and an input has inf");
}

TEST_CASE("what looks like another mistake is not taken for it") {
  const Tensor zero = numbers({0, 1}), negative = numbers({-2, 1}), large = numbers({0, 1e200});
  const std::string overflow = "overflow: the result is beyond the largest Float64, 1.8e308";
  const std::string pole = "0 to a negative power is inf; keep 0 out of the base";
  const std::string fraction = "a negative number to a power that is not whole is NaN";
  const std::string by_zero =
      "division by zero; add a small eps to the divisor, or put a 1 where it is 0";
  CHECK(cause([&] { pow(large, 2); }) == overflow);
  CHECK(cause([&] { pow(large, numbers({1, 2})); }) == overflow);
  CHECK(cause([&] { pow(10, numbers({0, 400})); }) == overflow);
  CHECK(cause([&] { pow(zero, numbers({-1, 2})); }) == pole);
  CHECK(cause([&] { pow(0, negative); }) == pole);
  CHECK(cause([&] { pow(-2, numbers({0.5})); }) == fraction);
  CHECK(cause([&] { pow(negative, numbers({0.5, 1})); }) == fraction);
  CHECK(cause([&] { 0 / zero; }) == by_zero);
  CHECK(cause([&] { zero / 0; }) ==
        "division by the number 0, as in the mean of nothing or the variance of a single number");
  CHECK(cause([&] { large / 1e-200; }) == overflow);
}

TEST_CASE("likely causes of what has a pole or an edge") {
  const Tensor zero = numbers({0, 1}), x = numbers({-2, 1});
  const std::string by_zero =
      "division by zero; add a small eps to the divisor, or put a 1 where it is 0";
  CHECK(cause([&] { log1p(x); }) == "the log of 1 + x is NaN for x below -1");
  CHECK(cause([&] {
          log1p(numbers({-1, 0}));
        }) == "the log of 1 + x is -inf for x = -1; clamp the input from below");
  CHECK(cause([&] { reciprocal(zero); }) == by_zero);
  CHECK(cause([&] { floor_divide(x, zero); }) == by_zero);
  CHECK(cause([&] { remainder(x, zero); }) == by_zero);
  CHECK(cause([&] { Tensor(x.clone()).remainder_(zero); }) == by_zero);
  const std::string by_number =
      "division by the number 0, as in the mean of nothing or the variance of a single number";
  CHECK(cause([&] { floor_divide(x, 0); }) == by_number);
  CHECK(cause([&] { remainder(zero, 0); }) == by_number);
  CHECK(cause([&] { tapehead::std(zeros({1})); }) == by_number);
}

TEST_CASE("attention tells scores from values that are not finite") {
  const auto with_inf = [](double value) {
    Tensor x = ones({1, 1, 2, 3}, Float64);
    x.select(2, 1).fill_(value);
    return x;
  };
  const Tensor x = ones({1, 1, 2, 3}, Float64);
  const auto attend = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
    const Tensor mask = tensor({{true, false}, {true, true}});
    return cause([&] { fused_attention(q, k, v, mask, {}, {}, 1, true); });
  };
  CHECK(attend(with_inf(-infinity), x, x) ==
        "a query has inf, so that its scores are inf or NaN; see where that comes from");
  CHECK(attend(x, with_inf(infinity), x) ==
        "a key has inf, so that its scores are inf or NaN; see where that comes from");
  CHECK(attend(x, x, with_inf(infinity)) ==
        "a value has inf, and a weight of 0 makes 0 inf of it, which is NaN");
}

TEST_CASE("an in-place op is judged by what it was given, not by what it left there") {
  Reporting reporting;
  Tensor x = numbers({1, 2});
  x.div_(numbers({0, 1}));
  x.add_(1);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].op == "div_");
  CHECK(reports[0].operands.front().values.finite());
  CHECK(reports[0].operands.back().values.inf() == 1);
}

TEST_CASE("NaN that came from outside is told once, by the first op that meets it") {
  Reporting reporting;
  const Tensor data = numbers({1, NAN});
  neg(neg(data));
  neg(data);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].op == "neg");
  CHECK(reports[0].what == "was given NaN that no op of this guard has made");
  CHECK(reports[0].cause == "NaN in the data or the weights");
}

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

TEST_CASE("each forward pass is numbered anew, the ops of rules and hooks not counted") {
  const Tensor x = leaf({1});
  Reporting reporting;
  for (int pass = 0; pass < 2; ++pass) {
    const Tensor y = x * x;
    sum(y * 2).backward();
  }
  log(x * 0);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].number == 2);
}

TEST_CASE("after a report was thrown in a pass, the guard goes on with the next") {
  const Tensor x = leaf({0, 1});
  NanGuard guard;
  for (int attempt = 0; attempt < 2; ++attempt) {
    CHECK(thrown([&] { sum(sqrt(x)).backward(); }).rfind("sqrt: its derivative rule", 0) == 0);
    CHECK(thrown([&] { log(x); }).rfind("log: made", 0) == 0);
    CHECK(taping());
  }
}

TEST_CASE("second derivatives are guarded, and a guard changes no number") {
  const Tensor x = leaf({0.5, 2});
  const auto twice = [&] {
    const Tensor g = autograd::grad({sum(x * tanh(x))}, {x}, {}, {}, true)[0];
    return autograd::grad({sum(g * g)}, {x})[0];
  };
  const Tensor plain = twice();
  NanGuard guard;
  CHECK(testing::difference(twice(), plain) == "");
}

TEST_CASE("a guard hears its own thread alone") {
  Reporting reporting;
  std::thread([] { log(zeros({1})); }).join();
  CHECK(reports.empty());
}

TEST_CASE("numbers of whole and truth values have nothing to guard") {
  Reporting reporting;
  const Tensor n = tensor({1, 2});
  CHECK(equal(n + n, tensor({2, 4})));
  CHECK(reports.empty());
}
