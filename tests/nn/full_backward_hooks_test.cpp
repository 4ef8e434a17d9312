// Hooks of a module's backward pass; PyTorch 1.13.1 gives the same numbers.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/linear.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "hooked.h"

using namespace tapehead;
using namespace tapehead::nn;
using namespace tapehead::testing;

TEST_CASE(
    "a full backward hook sees the gradients of inputs and outputs, and replaces the former") {
  Both both;
  Shown shown;
  both.register_full_backward_hook(shown.hook());
  both.register_full_backward_hook([](Module&, const Tensors& grad_input, const Tensors&) {
    return Tensors{grad_input[0] * 10, grad_input[1]};
  });
  both.register_full_backward_hook(shown.hook());
  const Tensor a = leaf({2, 3}), b = leaf({5, 7});
  const auto [x, y] = both(a, b);
  CHECK(values(x) == Values{10, 21});
  sum(x + y * 2).backward();
  CHECK(shown.calls ==
        Calls{{{7, 9}, {4, 5}}, {{1, 1}, {2, 2}}, {{70, 90}, {4, 5}}, {{1, 1}, {2, 2}}});
  CHECK(values(a.grad()) == Values{70, 90});
  CHECK(values(b.grad()) == Values{4, 5});
}

TEST_CASE("gradients that there are none of are undefined in a full backward hook") {
  Both both;
  Shown shown;
  both.register_full_backward_hook(shown.hook());
  const Tensor a = leaf({2, 3}), constant = tensor({5., 7.}, Float64);
  sum(both(a, constant).first).backward();
  CHECK(shown.calls == Calls{{{5, 7}, {}}, {{1, 1}, {}}});
  CHECK(values(a.grad()) == Values{5, 7});
}

TEST_CASE("a module whose inputs need no gradient calls its backward hook with those of outputs") {
  Linear linear(2, 1);
  Shown shown;
  RemovableHandle handle = linear.register_full_backward_hook(shown.hook());
  linear.register_full_backward_hook(
      [](Module&, const Tensors& grad_input, const Tensors&) { return grad_input; });
  const Tensor x = ones({1, 2});
  sum(linear(x)).backward();
  CHECK(shown.calls == Calls{{{}}, {{1}}});
  CHECK(values(linear.weight.grad()) == Values{1, 1});
  handle.remove();
  linear.register_full_backward_hook(
      [](Module&, const Tensors&, const Tensors& grad_output) { return grad_output; });
  CHECK_THROWS_WITH_AS(sum(linear(x)).backward(),
                       "register_full_backward_hook: a hook of Linear returned a gradient, but no "
                       "input of the call requires one; return nothing",
                       Error);
}

TEST_CASE("a backward hook that returns another number of gradients is refused") {
  Tripled tripled;
  tripled.register_full_backward_hook([](Module&, const Tensors& grad_input, const Tensors&) {
    return Tensors{grad_input[0], grad_input[0]};
  });
  const Tensor x = leaf({1, 2});
  CHECK_THROWS_WITH_AS(sum(tripled(x)).backward(),
                       "register_full_backward_hook: a hook of Tripled returned 2 tensors for 1 "
                       "inputs; return one for each, or nothing to leave them",
                       Error);
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("the hooks of a call are those there were at the call, as long as the module lives") {
  Shown shown;
  const Tensor x = leaf({1, 2});
  auto tripled = std::make_unique<Tripled>();
  const Tensor none = sum((*tripled)(x));
  RemovableHandle handle = tripled->register_full_backward_hook(shown.hook());
  none.backward();
  CHECK(shown.calls.empty());
  const Tensor hooked = sum((*tripled)(x)), last = sum((*tripled)(x));
  handle.remove();
  hooked.backward();
  CHECK(shown.calls.size() == 2);
  tripled.reset();
  last.backward();
  CHECK(shown.calls.size() == 2);
  CHECK(values(x.grad()) == Values{9, 9});
}

TEST_CASE("backward hooks see one retained graph again and again, also nested in a pass") {
  struct Keeps : Layer<Keeps> {
    Tensor forward(const Tensor& x) { return inner = x * 3; }
    Tensor inner;
  } keeps;
  Shown shown;
  keeps.register_full_backward_hook(shown.hook());
  const Tensor x = leaf({1, 2});
  const Tensor z = keeps(x);
  bool nested = false;
  // Between the outputs and the inputs of the outer pass.
  keeps.inner.register_hook([&](const Tensor&) {
    if (std::exchange(nested, true)) return;
    const EnableGradGuard grad;
    CHECK(values(autograd::grad({sum(z * 5)}, {x}, {}, true)[0]) == Values{15, 15});
  });
  const Tensor loss = sum(z);
  loss.backward({}, true);
  loss.backward({}, true);
  CHECK(shown.calls == Calls{{{15, 15}}, {{5, 5}}, {{3, 3}}, {{1, 1}}, {{3, 3}}, {{1, 1}}});
  CHECK(values(x.grad()) == Values{6, 6});
}

TEST_CASE("second derivatives go through full backward hooks") {
  struct Cube : Layer<Cube> {
    Tensor forward(const Tensor& x) { return x * x * x; }
  } cube;
  cube.register_full_backward_hook(
      [](Module&, const Tensors& grad_input, const Tensors&) { return grad_input[0] * 2; });
  const Tensor x = leaf({3});
  const Tensor g = autograd::grad({sum(cube(x))}, {x}, {}, true, true)[0];
  CHECK(values(g) == Values{54});                                           // 2 * 3 x^2
  CHECK(values(autograd::grad({sum(g)}, {x}, {}, true)[0]) == Values{36});  // 2 * 6 x
}

TEST_CASE("a gradient that reaches inputs without passing an output runs no backward hook") {
  struct Leaks : Layer<Leaks> {
    Tensor forward(const Tensor& x) {
      aside = x * 2;
      return x * 3;
    }
    Tensor aside;
  } leaks;
  Shown shown;
  leaks.register_full_backward_hook(shown.hook());
  const Tensor x = leaf({1});
  leaks(x);
  sum(leaks.aside).backward();
  CHECK(shown.calls.empty());
  CHECK(values(x.grad()) == Values{2});
  leaks.aside = Tensor();
}

TEST_CASE("without recording, and in evaluation without gradients, backward hooks cost no node") {
  Tripled tripled;
  tripled.register_full_backward_hook([](Module&, const Tensors&, const Tensors&) {});
  const Tensor x = leaf({1});
  const auto nodes = live_nodes();
  const NoGradGuard no_grad;
  const Tensor y = tripled(x);
  CHECK(live_nodes() == nodes);
}

TEST_CASE("with backward hooks an input cannot be changed in place, and an output can") {
  struct Changes : Layer<Changes> {
    Tensor forward(Tensor x) { return x.add_(1); }
  } changes;
  changes.register_full_backward_hook([](Module&, const Tensors&, const Tensors&) {});
  CHECK_THROWS_WITH_AS(changes(leaf({1, 2}) * 2),
                       "add_: another tensor shares the memory of this one, (2), and would miss "
                       "the gradient; use add, which makes a new tensor, or clone() first",
                       GraphError);
  Tripled tripled;
  Shown shown;
  tripled.register_full_backward_hook(shown.hook());
  const Tensor x = leaf({1, 2});
  Tensor y = tripled(x);
  y.mul_(5);
  sum(y).backward();
  CHECK(shown.calls == Calls{{{15, 15}}, {{5, 5}}});
  CHECK(values(x.grad()) == Values{15, 15});
}

TEST_CASE("hooks of attention: its projections are seen by name, and leave no tensor behind") {
  const auto tensors = live_tensors(), nodes = live_nodes();
  {
    MultiHeadAttention attn(8, 2, 0.0);
    std::map<std::string, Shape> shapes;
    for (const auto& [name, module] : attn.named_modules()) {
      const std::string path = name;
      module->register_full_backward_hook(
          [&shapes, path](Module&, const Tensors&, const Tensors& grad_output) {
            shapes[path] = grad_output[0].shape();
          });
    }
    const Tensor x = randn({2, 3, 8}).requires_grad_();
    sum(attn(x, x, x) * randn({2, 3, 8})).backward();
    CHECK(shapes.size() == 5);
    for (const auto& entry : shapes) CHECK(entry.second == Shape{2, 3, 8});
    CHECK(x.grad().defined());
  }
  CHECK(live_tensors() == tensors);
  CHECK(live_nodes() == nodes);
}

TEST_CASE(
    "a gradient of another shape or dtype is told from a wrong rule: whose hook, which input") {
  Both both;
  RemovableHandle handle =
      both.register_full_backward_hook([](Module&, const Tensors& grad_input, const Tensors&) {
        return Tensors{grad_input[0], grad_input[1].sum()};
      });
  const Tensor a = leaf({2, 3}), b = leaf({5, 7});
  CHECK_THROWS_WITH_AS(sum(both(a, b).first).backward(),
                       "register_full_backward_hook: a hook of Both returned () Float64 for the "
                       "gradient of input 1, which is (2) Float64; a gradient has its input's "
                       "shape and dtype",
                       ShapeError);
  CHECK_FALSE(a.grad().defined());
  handle.remove();
  both.register_full_backward_hook([](Module&, const Tensors& grad_input, const Tensors&) {
    return Tensors{grad_input[0].to(Float32), grad_input[1]};
  });
  CHECK_THROWS_WITH_AS(sum(both(a, b).first).backward(),
                       "register_full_backward_hook: a hook of Both returned (2) Float32 for the "
                       "gradient of input 0, which is (2) Float64; a gradient has its input's "
                       "shape and dtype",
                       ShapeError);
}
