// Hooks before and after forward(); PyTorch 1.13.1 gives the same numbers.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/observer.h>
#include <tapehead/nn/linear.h>
#include <tapehead/nn/module_hooks.h>
#include <tapehead/nn/sequential.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>

#include "hooked.h"

using namespace tapehead;
using namespace tapehead::nn;
using namespace tapehead::testing;

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

TEST_CASE("an empty function is no hook of a module") {
  using Pre = std::function<Tensors(Module&, const Tensors&)>;
  using Post = std::function<void(Module&, const Tensors&, const Tensors&)>;
  Tripled tripled;
  CHECK_THROWS_WITH_AS(tripled.register_forward_pre_hook(Pre()),
                       "register_forward_pre_hook: the hook is empty; give a function to call",
                       Error);
  CHECK_THROWS_WITH_AS(tripled.register_forward_hook(Post()),
                       "register_forward_hook: the hook is empty; give a function to call", Error);
  CHECK_THROWS_WITH_AS(tripled.register_full_backward_hook(Post()),
                       "register_full_backward_hook: the hook is empty; give a function to call",
                       Error);
  CHECK(values(tripled(ones({2}))) == Values{3, 3});
}
