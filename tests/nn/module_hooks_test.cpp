// Hooks of modules; PyTorch 1.13.1 gives the same numbers.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/observer.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/linear.h>
#include <tapehead/nn/module_hooks.h>
#include <tapehead/nn/sequential.h>

#include <map>
#include <memory>
#include <stdexcept>

#include "../support/compare.h"
#include "../support/leaf.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::leaf;
using testing::values;
using testing::Values;

namespace {

struct Times : Layer<Times> {
  Tensor forward(const Tensor& a, const Tensor& b) { return a * b; }
};
// Two results of two inputs.
struct Both : Layer<Both> {
  std::pair<Tensor, Tensor> forward(const Tensor& a, const Tensor& b) { return {a * b, a + b}; }
};
struct Tripled : Layer<Tripled> {
  Tensor forward(const Tensor& x) { return x * 3; }
};

// What a backward hook was shown; undefined gradients are empty.
struct Shown {
  std::vector<std::vector<Values>> calls;  // grad_input, grad_output, grad_input, …
  auto hook() {
    return [this](Module&, const Tensors& grad_input, const Tensors& grad_output) {
      calls.push_back(all(grad_input));
      calls.push_back(all(grad_output));
    };
  }
  static std::vector<Values> all(const Tensors& tensors) {
    std::vector<Values> result;
    for (const Tensor& x : tensors) result.push_back(x.defined() ? values(x) : Values());
    return result;
  }
};
using Calls = std::vector<std::vector<Values>>;

}  // namespace

TEST_CASE(
    "a forward pre-hook sees the tensors that a module is called with, and may replace them") {
  Times times;
  std::vector<std::string> modules;
  times.register_forward_pre_hook([&](Module& module, const Tensors& inputs) {
    modules.push_back(module.type_name());
    CHECK(inputs.size() == 2);
  });
  times.register_forward_pre_hook([](Module&, const Tensors& inputs) {
    return Tensors{inputs[0] + 1, inputs[1]};
  });
  times.register_forward_pre_hook([](Module&, const Tensors& inputs) {
    return Tensors{inputs[0] * 10, inputs[1]};
  });
  CHECK(values(times(tensor({1., 2.}), tensor({5., 7.}))) == Values{100, 210});
  CHECK(modules == std::vector<std::string>{"Times"});
}

TEST_CASE("a hook of a single tensor may return the tensor itself") {
  Tripled tripled;
  tripled.register_forward_pre_hook([](Module&, const Tensors& inputs) { return inputs[0] + 1; });
  tripled.register_forward_hook(
      [](Module&, const Tensors&, const Tensors& outputs) { return outputs[0] * 2; });
  tripled.register_forward_hook([](Module&, const Tensors&, const Tensors&) { return Tensor(); });
  CHECK(values(tripled(tensor({1.}))) == Values{12});
}

TEST_CASE("a forward hook sees inputs and outputs, and may replace the outputs") {
  Both both;
  both.register_forward_hook([](Module&, const Tensors& inputs, const Tensors& outputs) {
    CHECK(inputs.size() == 2);
    return Tensors{outputs[1], outputs[0] + inputs[0]};
  });
  const auto [a, b] = both(tensor({2.}), tensor({5.}));
  CHECK(values(a) == Values{7});
  CHECK(values(b) == Values{12});
}

TEST_CASE("what forward returns may be a vector, an array, a tuple or nothing") {
  struct Many : Layer<Many> {
    std::tuple<std::vector<Tensor>, std::array<Tensor, 1>, int> forward(const Tensor& x) {
      return {{x, x + 1}, {x + 2}, 7};
    }
  } many;
  many.register_forward_hook([](Module&, const Tensors&, const Tensors& outputs) {
    Tensors tens;
    for (const Tensor& y : outputs) tens.push_back(y * 10);
    return tens;
  });
  const auto [vector, array, number] = many(tensor({1.}));
  CHECK(values(vector[0]) == Values{10});
  CHECK(values(vector[1]) == Values{20});
  CHECK(values(array[0]) == Values{30});
  CHECK(number == 7);

  struct Silent : Layer<Silent> {
    void forward(const Tensor&) { ++calls; }
    int calls = 0;
  } silent;
  int heard = 0;
  silent.register_forward_hook([&](Module&, const Tensors&, const Tensors& outputs) {
    CHECK(outputs.empty());
    ++heard;
  });
  silent(tensor({1.}));
  CHECK(silent.calls == 1);
  CHECK(heard == 1);
}

TEST_CASE("arguments that are no tensors, and tensors to be changed, reach forward as they are") {
  struct Mixed : Layer<Mixed> {
    Tensor forward(std::unique_ptr<int> number, Tensor& changed, const Tensor& x) {
      const NoGradGuard no_grad;
      changed.add_(*number);
      return x * *number;
    }
  } mixed;
  std::size_t seen = 0;
  mixed.register_forward_pre_hook([&](Module&, const Tensors& inputs) { seen = inputs.size(); });
  Tensor changed = tensor({1.});
  CHECK(values(mixed(std::make_unique<int>(3), changed, tensor({2.}))) == Values{6});
  CHECK(values(changed) == Values{4});
  CHECK(seen == 2);
}

TEST_CASE("what a forward that returns a reference returns can be seen but not replaced") {
  struct Keeps : Layer<Keeps> {
    const Tensor& forward(const Tensor& x) { return kept = x * 2; }
    Tensor kept;
  } keeps;
  int heard = 0;
  keeps.register_forward_hook([&](Module&, const Tensors&, const Tensors& outputs) {
    heard += static_cast<int>(outputs.size());
  });
  CHECK(&keeps(tensor({1.})) == &keeps.kept);
  CHECK(heard == 1);
  keeps.register_forward_hook(
      [](Module&, const Tensors&, const Tensors& outputs) { return outputs[0] * 2; });
  CHECK_THROWS_WITH_AS(keeps(tensor({1.})),
                       "Keeps: its forward() returns a reference, so hooks cannot replace what it "
                       "returns; return it by value",
                       Error);
}

TEST_CASE("a hook that returns another number of tensors is refused") {
  Times times;
  RemovableHandle handle = times.register_forward_pre_hook(
      [](Module&, const Tensors& inputs) { return Tensors{inputs[0]}; });
  const Tensor x = tensor({1.});
  CHECK_THROWS_WITH_AS(times(x, x),
                       "register_forward_pre_hook: a hook of Times returned 1 tensors for 2 "
                       "inputs; return one for each, or nothing to leave them",
                       Error);
  handle.remove();
  times.register_forward_hook([](Module&, const Tensors&, const Tensors& outputs) {
    return Tensors{outputs[0], outputs[0]};
  });
  CHECK_THROWS_WITH_AS(times(x, x),
                       "register_forward_hook: a hook of Times returned 2 tensors for 1 "
                       "outputs; return one for each, or nothing to leave them",
                       Error);
}

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

TEST_CASE("removed hooks do not run") {
  Tripled tripled;
  int ran = 0;
  std::vector<RemovableHandle> handles;
  handles.push_back(tripled.register_forward_pre_hook([&](Module&, const Tensors&) { ++ran; }));
  handles.push_back(
      tripled.register_forward_hook([&](Module&, const Tensors&, const Tensors&) { ++ran; }));
  handles.push_back(
      tripled.register_full_backward_hook([&](Module&, const Tensors&, const Tensors&) { ++ran; }));
  const Tensor x = leaf({1});
  sum(tripled(x)).backward();
  CHECK(ran == 3);
  for (RemovableHandle& handle : handles) handle.remove();
  sum(tripled(x)).backward();
  CHECK(ran == 3);
}

TEST_CASE("hooks that throw leave gradients, module and tensors as they were") {
  Tripled tripled;
  const Tensor x = leaf({1, 2});
  bool refuse = true;
  tripled.register_full_backward_hook([&](Module&, const Tensors&, const Tensors&) {
    if (refuse) throw std::runtime_error("not today");
  });
  const Tensor loss = sum(tripled(x));
  for (int attempt = 0; attempt < 2; ++attempt) {
    CHECK_THROWS_WITH_AS(loss.backward({}, true), "not today", std::runtime_error);
    CHECK_FALSE(x.grad().defined());
  }
  refuse = false;
  loss.backward({}, true);
  CHECK(values(x.grad()) == Values{3, 3});

  RemovableHandle handle = tripled.register_forward_hook(
      [](Module&, const Tensors&, const Tensors&) { throw std::runtime_error("nor now"); });
  CHECK_THROWS_WITH_AS(tripled(x), "nor now", std::runtime_error);
  CHECK(module_path().empty());
  handle.remove();
  CHECK(values(tripled(x)) == Values{3, 6});
}

TEST_CASE("an error of a hook says in which module it arose") {
  struct Around : Layer<Around> {
    Around() { add("inner", inner); }
    Tensor forward(const Tensor& x) { return inner(x); }
    Tripled inner;
  } around;
  around.inner.register_forward_pre_hook(
      [](Module&, const Tensors& inputs) { matmul(inputs[0], inputs[0].unsqueeze(0)); });
  CHECK_THROWS_WITH_AS(around(ones({2})),
                       "matmul: last dimension of (2) must equal second-last of (1, 2); the inner "
                       "sizes must match (in inner)",
                       ShapeError);
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
  const Tensor x = leaf({2});
  const Tensor g = autograd::grad({sum(cube(x))}, {x}, {}, true, true)[0];
  CHECK(values(g) == Values{24});                                           // 2 * 3 x^2
  CHECK(values(autograd::grad({sum(g)}, {x}, {}, true)[0]) == Values{24});  // 2 * 6 x
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

TEST_CASE("observers are told when a module is called and what it returns") {
  struct Calls : Observer {
    void enter() override { log += "(" + module_path(); }
    void leave(const std::vector<Tensor>& outputs) override {
      log += " " + std::to_string(outputs.size()) + ")";
    }
    std::string log;
  } calls;
  Sequential net;
  net.emplace_back<Tripled>();
  net.emplace_back<Tripled>();
  net(ones({1}));
  CHECK(calls.log == "((0 1)(1 1) 1)");
}
