#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/cli/gradcheck_command.h>

#include "../support/comma_locale.h"
#include "process.h"

using namespace tapehead;

TEST_CASE("gradcheck shows a line for each name, with its worst errors") {
  const Result r = run_tapehead("gradcheck softmax MultiHeadAttention");
  CHECK(r.code == 0);
  CHECK(r.err.empty());
  CHECK(lines(r.out) == 5);
  CHECK(has(r.out, "softmax "));
  CHECK(has(r.out, "MultiHeadAttention "));
  CHECK(has(r.out, "   ok\n"));
  CHECK(has(r.out, " entries agree with central differences ("));
}

TEST_CASE("an op without a gradient says so") {
  const Result r = run_tapehead("gradcheck argmax");
  CHECK(r.code == 0);
  CHECK(has(r.out, "has no gradient\n"));
}

TEST_CASE("an unknown name is refused, with one that is close") {
  const Result r = run_tapehead("gradcheck softmax sofmax");
  CHECK(r.code == 2);
  CHECK(r.out.empty());
  CHECK(r.err == "tapehead: there is no op or module \"sofmax\"; did you mean softmax?\n");
  CHECK(run_tapehead("gradcheck lstm").err == "tapehead: there is no op or module \"lstm\"\n");
}

TEST_CASE("gradcheck --all checks every op and every module, and all are right") {
  const Result r = run_tapehead("gradcheck --all");
  CHECK(r.code == 0);
  CHECK(lines(r.out) - 2 * has(r.out, "  (no time for ") == std::ssize(cli::all_subjects()) + 3);
  for (const char* name : {"\nadd ", "\nmatmul ", "\nlayer_norm ", "\nfused_attention ", "\nadd_ ",
                           "\nLinear ", "\nEmbedding ", "\nLayerNorm ", "\nMultiHeadAttention ",
                           "\nEncoderBlock ", "\nCrossEntropyLoss ", "\nSequenceModel "})
    CHECK_MESSAGE(has(r.out, name), name);
  CHECK_FALSE(has(r.out, "WRONG"));
}

TEST_CASE("what has a gradient has entries that are checked, with errors that are not exactly 0") {
  for (const cli::Subject& subject : cli::all_subjects()) {
    if (!subject.differentiable) continue;
    CAPTURE(subject.name);
    const GradcheckResult result = subject.check({});
    CHECK(result.passed);
    CHECK(result.checked > 0);
    if (subject.name != "softmax" && subject.name != "Linear") continue;
    CHECK(result.worst_absolute > 0);
    CHECK(result.worst_relative > 0);
  }
}

TEST_CASE("a wrong gradient is shown in its line, and is an error at the end") {
  const auto check = [](double factor) {
    return [factor](const GradcheckOptions&) {
      // Its value is that of factor * x, its derivative that of x.
      return gradcheck(
          [factor](const std::vector<Tensor>& x) { return x[0] + x[0].detach() * (factor - 1); },
          {tensor({0.5, -0.25}, Float64).requires_grad_()});
    };
  };
  std::string out;
  CHECK_THROWS_WITH_AS(cli::check_all({{"right", true, check(1)}, {"wrong", true, check(2)}},
                                      [&](const std::string& line) { out += line; }),
                       "1 gradient is wrong, of 2", Error);
  CHECK_MESSAGE(has(out, "\nright                                4 "), out);
  CHECK(has(out, "   ok\n"));
  CHECK(has(out, "   WRONG\n    gradcheck: output 0 (0) by input 0 (0): backward gives 1, "));
  CHECK(has(out, "\n    input or parameter "));  // then the table of its inputs
  CHECK(has(out, "\n    input 0 "));
}

TEST_CASE("entries that were checked beside a kink are told in their line") {
  const auto relu_at_0 = [](const GradcheckOptions& options) {
    return gradcheck([](const std::vector<Tensor>& x) { return relu(x[0]); },
                     {tensor({0.}, Float64).requires_grad_()}, {}, options);
  };
  std::string out;
  cli::check_all({{"relu", true, relu_at_0}}, [&](const std::string& line) { out += line; });
  CHECK(has(out,
            "   ok\n  (1 beside a kink: output 0 (0) by input 0 (0) is within 1e-06 of a kink of "
            "relu: slopes 0 and 1)\n"));
}

TEST_CASE("entries that there was no time for are told, in their line and at the end") {
  const auto check = [](Index skipped) {
    return [skipped](const GradcheckOptions&) {
      return GradcheckResult{true, "", 0.0015, 1e-7, 1200, skipped};
    };
  };
  std::string out;
  const CommaLocale comma;
  cli::check_all({{"all", true, check(0)}, {"some", true, check(1300)}, {"few", true, check(1)}},
                 [&](const std::string& line) { out += line; });
  CHECK_MESSAGE(has(out,
                    "\nall                              1,200     1.5e-03     1.0e-07   ok\n"
                    "some                             1,200     1.5e-03     1.0e-07   ok\n"
                    "  (no time for 1,300 more)\n"
                    "few                              1,200     1.5e-03     1.0e-07   ok\n"
                    "  (no time for 1 more)\n"
                    "3,600 entries agree with central differences (0 s)\n"
                    "  (no time for 1,301 more)\n"
                    "worst errors: 0.0015 absolute, 1e-07 relative\n"),
                out);
}
