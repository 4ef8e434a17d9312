#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/autograd/shape_trace.h>

#include <stdexcept>

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

// A call of a module, as its call operator makes it.
template <class F>
void called(const std::string& name, F forward) {
  const ModuleCall call(name);
  notify_enter();
  forward();
  notify_leave({});
}

}  // namespace

TEST_CASE("what is made from the last result is a link of the same chain") {
  const Tensor x = ones({2, 3}), y = ones({3});
  ShapeTrace ops;
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
  ShapeTrace ops;
  const Tensor y = ones({2, 1234}).exp();
  CHECK(ops.lines(80) ==
        "exp (2, 1234)\n"
        "    exp               (2, 1234)        (1234, 1)             yes         new\n");
}

TEST_CASE("a long name in a trace leaves the columns after it where they are") {
  const Tensor g = ones({1, 3});
  ShapeTrace ops;
  const Tensor y = slice_backward(g, {6, 3}, 0, 2, 5), z = y.exp();
  CHECK(ops.lines(80) ==
        "slice_backward((6, 3), 0, 2, 5) (6, 3) -> exp (6, 3)\n"
        "    slice_backward((6, 3), 0, 2, 5) (6, 3) (3, 1)            yes         new\n"
        "    exp               (6, 3)           (3, 1)                yes         new\n");
}

TEST_CASE("two results of one tensor are two chains") {
  const Tensor x = ones({2});
  ShapeTrace ops;
  const Tensor y = x.exp();
  const Tensor a = y.sin(), b = y.cos();
  CHECK(chains(ops.lines(80)) == "exp (2) -> sin (2)\ncos (2)\n");
}

TEST_CASE("a module of one op goes by its name, and ops of others say in which module they ran") {
  const Tensor x = ones({2});
  ShapeTrace ops;
  called("attn", [&] {
    Tensor y;
    called("W_q", [&] { y = x.exp(); });
    y.sin();
  });
  CHECK(
      ops.lines() ==
      "W_q (2) -> sin (2)\n"
      "    W_q               (2)              (1)                   yes         new     in attn\n"
      "    sin               (2)              (1)                   yes         new     in attn\n");
  called("W_q", [&] { x.exp(); });
  CHECK(ops.lines() ==
        "W_q (2)\n"
        "    W_q               (2)              (1)                   yes         new\n");
}

TEST_CASE("a module that threw does not lend its name to what comes after") {
  const Tensor x = ones({2});
  ShapeTrace ops;
  const auto failing = [&] {
    called("outer", [&] {
      x.cos();
      try {
        called("inner", [] { throw std::runtime_error("no"); });
      } catch (const std::runtime_error&) {
      }
      x.exp();
    });
  };
  failing();
  CHECK(chains(ops.lines()) == "cos (2)\nexp (2)\n");  // two ops, of which none goes by "outer"
}

TEST_CASE("what a trace has seen can be changed in place afterwards") {
  const Tensor x = ones({2, 3}, Float64).requires_grad_();
  ShapeTrace ops;
  Tensor y = x * 2;
  y.view({3, 2});
  y.add_(1);  // as without a trace: no handle of the trace's shows this memory too
  CHECK(chains(ops.lines()) == "mul(2) (2, 3) -> view (3, 2)\nadd_(1) (2, 3)\n");
}

TEST_CASE("an op of a derivative rule says whose rule it is") {
  const Tensor x = ones({2}, Float64).requires_grad_();
  const Tensor y = x.exp();
  ShapeTrace ops;
  y.backward(ones({2}, Float64));
  CHECK(ops.lines() ==
        "mul (2)\n"
        "    mul               (2)              (1)                   yes         new     backward "
        "of "
        "exp\n");
}

TEST_CASE("an op of a hook says so") {
  const Tensor x = ones({2}, Float64).requires_grad_();
  x.register_hook([](const Tensor& g) { return g.exp(); });
  ShapeTrace ops;
  x.backward(ones({2}, Float64));
  CHECK(ops.lines() ==
        "exp (2)\n"
        "    exp               (2)              (1)                   yes         new     in a hook"
        "\n");
}

TEST_CASE("a chain goes on in a further line where it would be too wide") {
  const Tensor x = ones({2, 3});
  ShapeTrace ops;
  const Tensor y = x.exp().sin().cos();
  const std::string one_line = "exp (2, 3) -> sin (2, 3) -> cos (2, 3)";
  CHECK(one_line.size() == 38);
  CHECK(ops.lines(38).rfind(one_line + "\n", 0) == 0);
  const Tensor z = x.exp().sin().cos();
  CHECK(ops.lines(37).rfind("exp (2, 3) -> sin (2, 3)\n  -> cos (2, 3)\n", 0) == 0);
}
