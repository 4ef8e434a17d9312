#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/cli/op_trace.h>
#include <tapehead/nn/linear.h>

#include "../support/comma_locale.h"

using namespace tapehead;

namespace {

std::string chains(const std::string& text) {
  std::string result;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    if (text[at] != ' ') result += text.substr(at, end + 1 - at);
  }
  return result;
}

}  // namespace

TEST_CASE("what is made from the last result is a link of the same chain") {
  const Tensor x = ones({2, 3}), y = ones({3});
  cli::OpTrace ops;
  const Tensor a = x.exp().mT();
  const Tensor b = y.sin();
  const Tensor c = a + 1.0;
  CHECK(chains(ops.lines(80)) ==
        "exp (2, 3) -> transpose(-2, -1) (3, 2) -> add(1) (3, 2)\n"
        "sin (3)\n");
  CHECK(ops.lines(80).empty());
}

TEST_CASE("shapes in a trace do not follow the global locale") {
  const CommaLocale comma;
  cli::OpTrace ops;
  const Tensor y = ones({2, 1234}).exp();
  CHECK(ops.lines(80) ==
        "exp (2, 1234)\n"
        "    exp               (2, 1234)        (1234, 1)             yes         new\n");
}

TEST_CASE("two results of one tensor are two chains") {
  const Tensor x = ones({2});
  cli::OpTrace ops;
  const Tensor y = x.exp();
  const Tensor a = y.sin(), b = y.cos();
  CHECK(chains(ops.lines(80)) == "exp (2) -> sin (2)\ncos (2)\n");
}

TEST_CASE("an op within a module goes by the module's name") {
  struct Pair : nn::Layer<Pair> {
    Pair() : W_q(3, 4) { add("W_q", W_q); }
    Tensor forward(const Tensor& x) { return W_q(x); }
    nn::Linear W_q;
  } module;
  const Tensor x = ones({2, 3});
  cli::OpTrace ops;
  const Tensor y = module(x);
  CHECK(chains(ops.lines(80)) == "W_q (2, 4)\n");
}

TEST_CASE("a chain goes on in a further line where it would be too wide") {
  const Tensor x = ones({2, 3});
  cli::OpTrace ops;
  const Tensor y = x.exp().sin().cos();
  const std::string one_line = "exp (2, 3) -> sin (2, 3) -> cos (2, 3)";
  CHECK(one_line.size() == 38);
  CHECK(ops.lines(38).rfind(one_line + "\n", 0) == 0);
  const Tensor z = x.exp().sin().cos();
  CHECK(ops.lines(37).rfind("exp (2, 3) -> sin (2, 3)\n  -> cos (2, 3)\n", 0) == 0);
}
