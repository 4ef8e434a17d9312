// The reference cases about checking gradients.
#include <tapehead/autograd/gradcheck.h>
#include <tapehead/autograd/ops.h>

#include "../support/cases.h"
#include "checked.h"

using namespace tapehead;
using namespace tapehead::testing;
using Tensors = std::vector<Tensor>;

TEST_CASE("GCHK-01: A correct linear layer fails a float32 gradcheck at eps 1e-6") {
  const Case c = this_case();
  const auto f = [](const Tensors& x) { return sum(x[0] * x[1]) + x[2]; };
  Tensors coarse, fine;
  for (const char* name : {"x", "w", "b"}) {
    coarse.push_back(c.input(name, Float32).requires_grad_());
    fine.push_back(coarse.back().detach().to(Float64).requires_grad_());
  }
  CHECK_THROWS_WITH_AS(gradcheck(f, coarse),
                       "gradcheck: input 0 of shape (3) is Float32, too coarse for central "
                       "differences; convert it with .to(Float64)",
                       Error);
  const GradcheckResult result = gradcheck(f, fine);
  CHECK_MESSAGE(result.passed, result.message);
  CHECK(result.worst_absolute < 1e-8);
  f(fine).backward();
  CHECK(c.difference(fine[0].grad(), c.output("analytic")) == "");
  // What float32 would have measured is off by percents, and better with larger steps.
  const Json noisy = c.json["expect"]["outputs"]["numeric_f32_example"];
  const Tensor tiny = to_tensor(noisy["eps_1e-06"]), large = to_tensor(noisy["eps_0.01"]);
  CHECK_FALSE(allclose(tiny, c.output("analytic"), 1e-2, 0));
  CHECK(allclose(large, c.output("analytic"), 1e-3, 0));
}

TEST_CASE("GCHK-02: relu at exactly 0: numeric 0.5 against analytic 0") {
  const Case c = this_case();
  const auto f = [](const Tensors& x) { return relu(x[0]); };
  const Tensor x = c.input("x").requires_grad_();
  relu(x).sum().backward();
  CHECK(c.difference(x.grad(), c.output("analytic")) == "");
  // Elements 0 and 3 lie at the kink, which is told; they are checked beside it.
  const GradcheckResult kinked = gradcheck(f, {x});
  CHECK_MESSAGE(kinked.passed, kinked.message);
  CHECK(kinked.kinks == 2);
  CHECK(kinked.kink ==
        "output 0 (0) by input 0 (0) is within 1e-06 of a kink of relu: slopes 0 and 1");
  for (const Index i : {0, 3})
    CHECK(gradcheck(f, {x.detach().narrow(0, i, 1).requires_grad_()}).kinks == 1);
  for (const Index i : {1, 2})
    CHECK(gradcheck(f, {x.detach().narrow(0, i, 1).requires_grad_()}).kinks == 0);
  const GradcheckResult plain = gradcheck(f, {tensor({0.5, -0.5, 2.}, Float64).requires_grad_()});
  CHECK(plain.passed);
  CHECK(plain.kinks == 0);
}

TEST_CASE("GCHK-03: max with ties: three defensible gradients, one indefensible") {
  const Case c = this_case();
  const auto gradient = [&](const auto& f) {
    const Tensor x = c.input("x").requires_grad_();
    f(x).backward();
    CHECK(x.grad().sum().item() == 1);
    CHECK(c.difference(x.grad(), c.known_wrong("full_to_all")) != "");
    return x.grad();
  };
  const auto first = [](const Tensor& x) { return max(x, 0).values; };
  const auto shared = [](const Tensor& x) { return amax(x); };
  CHECK(c.difference(gradient(first), c.output("pytorch_max_dim")) == "");
  CHECK(c.difference(gradient(shared), c.output("pytorch_amax")) == "");
  CHECK(c.difference(gradient([](const Tensor& x) { return max(x); }),
                     c.output("pytorch_max_all")) == "");
  // At a tie, and within eps of one, gradcheck checks beside it and says so.
  for (const double second : {2., 2 - 1e-9}) {
    const Tensor x = tensor({2., second, 1.}, Float64).requires_grad_();
    const GradcheckResult a = gradcheck([&](const Tensors& in) { return first(in[0]); }, {x});
    CHECK_MESSAGE(a.passed, a.message);
    CHECK(a.kinks == 2);
    CHECK(a.kink.find("of a kink of max: slopes ") != std::string::npos);
    CHECK(gradcheck([&](const Tensors& in) { return shared(in[0]); }, {x}).kinks == 2);
  }
}

TEST_CASE(
    "GCHK-04: The checker must catch planted bugs: one element 1 % off, one sign, a factor two, an "
    "offset of 1e-4, all zeros") {
  const Case c = this_case();
  const Tensor x = c.input("x").requires_grad_();
  const auto check = [&](const Tensor& said, const GradcheckOptions& options = {}) {
    const auto f = [&](const Tensors& in) {
      return sum(square(in[0], [said](const Tensor& g) { return g * said; }));
    };
    return gradcheck(f, {x}, {}, options);
  };
  const Json outputs = c.json["expect"]["outputs"];
  CHECK(outputs.size() == 6);
  for (const auto& [key, values] : outputs.items()) {
    const std::string name = key;
    CAPTURE(name);
    const GradcheckResult result = check(to_tensor(values));
    CHECK(result.passed == (name == "true"));
    if (result.passed) continue;
    CHECK(result.message.find("gradcheck: output 0 by input 0 (") == 0);
    CHECK(result.message.find("backward gives ") != std::string::npos);
    CHECK(result.message.find("central differences give ") != std::string::npos);
  }
  const auto hint = [&](const char* name) {
    const std::string message = check(c.output(name)).message;
    return message.substr(message.find("disagree") + 10);
  };
  CHECK(hint("bad2_sign") == " Backward gives the slope with the wrong sign");
  CHECK(hint("bad3_factor2") ==
        "Backward gives exactly 2 times the slope: is a gradient accumulated twice?");
  CHECK(hint("bad5_zero") ==
        "Backward gives 0 everywhere: is input 0 cut off, by a detach(), a NoGradGuard or a value "
        "taken as array() or item()?");
  Tensor nan = c.output("true").clone();
  nan.select(0, 2).fill_(NAN);
  CHECK_FALSE(check(nan));
  CHECK_FALSE(check(c.output("bad3_factor2"), {.fast_mode = true}));
  CHECK(check(c.output("true"), {.fast_mode = true}));
}
