// How results of gradcheck add up and print.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/gradcheck.h>
#include <tapehead/autograd/ops.h>

#include <cmath>
#include <sstream>

#include "../support/comma_locale.h"
#include "checked.h"

using namespace tapehead;
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
  result.kinks = 2;
  result.kink = "it is within reach";
  CHECK(text(result) ==
        "gradcheck: 42 entries agree, worst error 1.2e-09 absolute, 3e-08 relative; 2 of them "
        "beside a kink: it is within reach; there was no time for 7 more");
}

TEST_CASE("a gradcheck result tells of each input and parameter, and of its worst entry") {
  const Tensor x = noise_leaf({2, 3}), w = tensor({1., 2.}, Float64).requires_grad_(),
               unused = noise_leaf({0});
  const auto f = [&](const Tensors& in) {
    return Tensors{exp(in[0]), square(w, [w = saved(w)](const Tensor& g) {
                     return g * (w() * 2 + tensor({0., 0.5}, Float64));
                   })};
  };
  const GradcheckResult result = gradcheck(f, {x}, {{"w", w}, {"unused", unused}});
  REQUIRE(result.targets.size() == 3);
  const GradcheckTarget &right = result.targets[0], &wrong = result.targets[1];
  CHECK(right.name == "input 0");
  CHECK(right.shape == Shape{2, 3});
  CHECK(right.checked == 8 * 6);
  CHECK(right.disagreeing == 0);
  CHECK(right.worst_absolute < 1e-8);
  CHECK(right.worst_excess < 1);
  CHECK(right.worst.find(" by input 0 (") != std::string::npos);
  CHECK(wrong.name == "parameter w");
  CHECK(wrong.checked == 8 * 2);
  CHECK(wrong.disagreeing == 1);
  CHECK(wrong.worst_absolute == doctest::Approx(0.5));
  CHECK(wrong.worst_relative == doctest::Approx(1. / 9));
  CHECK(wrong.worst_excess == doctest::Approx(0.5 / (1e-5 + 4e-3)));
  CHECK(wrong.worst ==
        "output 1 (1) by parameter w (1): backward gives 4.5, central differences give 4, ratio "
        "1.125");
  CHECK(result.targets[2].checked == 0);
  CHECK(result.targets[2].worst == "");
}

TEST_CASE("the table has a line for each input and parameter, in any locale") {
  GradcheckResult result;
  result.targets = {{"input 0", {2, 3}, 1200, 0, 0, 1.2e-10, 3e-9, "worst of input 0", 0.1},
                    {"input 1", {}, 3, 0, 2, 0, 0},
                    {"parameter w", {4}, 8, 1, 0, 0.5, 0.125, "output 0 by w: off", 9}};
  const CommaLocale comma;
  CHECK(
      table(result) ==
      "input or parameter                   shape  entries   absolute   relative   (worst errors)\n"
      "input 0                             (2, 3)     1200    1.2e-10    3.0e-09   ok\n"
      "input 1                                 ()        3    0.0e+00    0.0e+00   ok, 2 beside a "
      "kink\n"
      "parameter w                            (4)        8    5.0e-01    1.2e-01   WRONG: 1\n"
      "    output 0 by w: off\n");
}

TEST_CASE("results add up: all entries, the worst errors with NaN above all, the first message") {
  const GradcheckResult small{true, "", 1, 2, 10, 3}, large{false, "large", 3, 1, 20, 4, 5, "kink"},
      nan{false, "nan", NAN, NAN, 30, 5, 6, "other"};
  GradcheckResult all;
  all += small;
  all += large;
  CHECK_FALSE(all.passed);
  CHECK(all.message == "large");
  CHECK(all.worst_absolute == 3);
  CHECK(all.worst_relative == 2);
  CHECK(all.checked == 30);
  CHECK(all.skipped == 7);
  all += nan;
  CHECK(all.kinks == 11);
  CHECK(all.kink == "kink");
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

TEST_CASE("targets of one name and shape add up, others stand side by side") {
  GradcheckResult a, b;
  a.targets = {{"input 0", {2}, 10, 1, 2, 0.5, 0.25, "a", 3}};
  b.targets = {{"input 0", {2}, 20, 2, 1, 1.5, 0.125, "b", 4}, {"input 0", {3}, 7}};
  a += b;
  REQUIRE(a.targets.size() == 2);
  CHECK(a.targets[0].checked == 30);
  CHECK(a.targets[0].disagreeing == 3);
  CHECK(a.targets[0].kinks == 3);
  CHECK(a.targets[0].worst_absolute == 1.5);
  CHECK(a.targets[0].worst_relative == 0.25);
  CHECK(a.targets[0].worst == "b");
  CHECK(a.targets[0].worst_excess == 4);
  CHECK(a.targets[1].shape == Shape{3});
  CHECK(a.targets[1].checked == 7);
}
