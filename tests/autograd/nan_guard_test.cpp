#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>

#include <sstream>
#include <thread>

#include "../support/leaf.h"
#include "nan_reports.h"

using namespace tapehead;
using namespace tapehead::testing;

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
