// Hooks of tensors; PyTorch 1.13.1 gives the same numbers.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/hooks.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "../support/compare.h"
#include "../support/leaf.h"
#include "../support/threads.h"

using namespace tapehead;
using testing::counted_thread;
using testing::leaf;
using testing::values;
using testing::Values;

namespace {

// Notes each gradient it is shown.
struct Seen {
  std::vector<Values> gradients;
  auto hook() {
    return [this](const Tensor& g) { gradients.push_back(values(g)); };
  }
};

const auto doubled = [](const Tensor& g) { return g * 2; };

}  // namespace

TEST_CASE("hooks of a leaf run in the order of registration, each on what the last one left") {
  const Tensor x = leaf({1, 2});
  x.register_hook(doubled);
  x.register_hook([](const Tensor& g) { return g + 1; });
  sum(x * 3).backward();
  CHECK(values(x.grad()) == Values{7, 7});
}

TEST_CASE("a hook that returns nothing, or an undefined tensor, leaves the gradient as it is") {
  const Tensor x = leaf({1, 2});
  Seen seen;
  x.register_hook(seen.hook());
  x.register_hook([](const Tensor&) { return Tensor(); });
  sum(x * 3).backward();
  CHECK(values(x.grad()) == Values{3, 3});
  CHECK(seen.gradients == std::vector<Values>{{3, 3}});
}

TEST_CASE("a hook of an intermediate replaces what goes on to its inputs") {
  const Tensor x = leaf({1, 2}), y = x * 3;
  y.register_hook(doubled);
  sum(y).backward();
  CHECK(values(x.grad()) == Values{6, 6});
}

TEST_CASE("a hook is called once, with the whole gradient, and a leaf's without what it had") {
  const Tensor x = leaf({1, 2}), y = x * 1;
  Seen of_x, of_y;
  x.register_hook(of_x.hook());
  y.register_hook(of_y.hook());
  sum(y * 3 + y * 4).backward({}, true);
  sum(y).backward();
  CHECK(of_y.gradients == std::vector<Values>{{7, 7}, {1, 1}});
  CHECK(of_x.gradients == std::vector<Values>{{7, 7}, {1, 1}});
  CHECK(values(x.grad()) == Values{8, 8});
}

TEST_CASE("the root's own hook runs too, and one that no gradient reaches does not") {
  const Tensor x = leaf({1}), y = sum(x * 3), other = leaf({2});
  Seen seen;
  y.register_hook([](const Tensor& g) { return g * 10; });
  other.register_hook(seen.hook());
  y.backward();
  CHECK(values(x.grad()) == Values{30});
  CHECK(seen.gradients.empty());
}

TEST_CASE("retain_grad keeps the gradient as the hooks registered before it leave it") {
  const auto kept = [](int hooks_before, int hooks_after) {
    const Tensor x = leaf({1, 2});
    Tensor y = x * 3;
    for (int i = 0; i < hooks_before; ++i) y.register_hook(doubled);
    y.retain_grad();
    y.retain_grad();
    for (int i = 0; i < hooks_after; ++i) y.register_hook([](const Tensor& g) { return g * 5; });
    sum(y).backward();
    return std::pair(values(y.grad())[0], values(x.grad())[0]);
  };
  CHECK(kept(1, 0) == std::pair(2., 6.));
  CHECK(kept(0, 1) == std::pair(1., 15.));
  CHECK(kept(1, 1) == std::pair(2., 30.));
}

TEST_CASE("retain_grad of a leaf changes nothing about its hooks") {
  Tensor x = leaf({1, 2});
  x.register_hook(doubled);
  x.retain_grad();
  x.register_hook(doubled);
  sum(x).backward();
  CHECK(values(x.grad()) == Values{4, 4});
}

TEST_CASE("autograd::grad gives an input's gradient as it is before the input's own hooks") {
  const Tensor x = leaf({1, 2}), y = x * 3, z = sum(y);
  Seen of_x, of_y;
  x.register_hook(of_x.hook());
  y.register_hook([&](const Tensor& g) {
    of_y.hook()(g);
    return g * 2;
  });
  CHECK(values(autograd::grad({z}, {y}, {}, true)[0]) == Values{1, 1});
  CHECK(of_y.gradients.empty());
  const auto both = autograd::grad({z}, {x, y}, {}, true);
  CHECK(values(both[0]) == Values{6, 6});
  CHECK(values(both[1]) == Values{1, 1});
  CHECK(of_y.gradients.size() == 1);
  CHECK(of_x.gradients.empty());
}

TEST_CASE("a change in place leaves hooks on the value before it, and later ones get the new one") {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 3;
  Seen before, after;
  y.register_hook([&](const Tensor& g) {
    before.hook()(g);
    return g * 2;
  });
  y.mul_(5);
  y.register_hook([&](const Tensor& g) {
    after.hook()(g);
    return g * 7;
  });
  sum(y).backward();
  CHECK(before.gradients == std::vector<Values>{{35, 35}});
  CHECK(after.gradients == std::vector<Values>{{1, 1}});
  CHECK(values(x.grad()) == Values{210, 210});
}

TEST_CASE("a retained gradient after a change in place stands before the hooks that come later") {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 3;
  y.register_hook(doubled);
  y.retain_grad();
  y.mul_(5);
  y.register_hook([](const Tensor& g) { return g * 7; });
  sum(y).backward();
  CHECK(values(y.grad()) == Values{1, 1});
  CHECK(values(x.grad()) == Values{210, 210});
}

TEST_CASE("removing a hook is final, may be done twice, and after the tensor is gone") {
  Tensor x = leaf({1, 2});
  RemovableHandle first = x.register_hook(doubled), second = x.register_hook(doubled);
  first.remove();
  first.remove();
  sum(x).backward();
  CHECK(values(x.grad()) == Values{2, 2});
  x = Tensor();
  second.remove();
  RemovableHandle().remove();
}

TEST_CASE("a removed hook lets go of what it holds at once") {
  const Tensor x = leaf({1, 2});
  const auto held = std::make_shared<int>(1);
  RemovableHandle handle = x.register_hook([held](const Tensor&) {});
  CHECK(held.use_count() > 1);
  handle.remove();
  CHECK(held.use_count() == 1);
}

TEST_CASE("hooks that remove themselves and each other while they run") {
  const Tensor x = leaf({1});
  std::string ran;
  RemovableHandle first, second;
  first = x.register_hook([&](const Tensor&) {
    ran += "a";
    first.remove();
    second.remove();
  });
  second = x.register_hook([&](const Tensor&) { ran += "b"; });
  sum(x).backward();
  CHECK(ran == "ab");  // as in PyTorch: the pass had begun
  sum(x).backward();
  CHECK(ran == "ab");
}

TEST_CASE("a hook's answer of another shape or dtype is refused, with every gradient as it was") {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  sum(x + y).backward();
  RemovableHandle handle = y.register_hook([](const Tensor&) { return zeros({3}, Float64); });
  CHECK_THROWS_WITH_AS(
      sum(x + y).backward(),
      "register_hook: a hook returned (3) Float64 for a gradient of (2) Float64; return one like "
      "it, or an undefined tensor to leave it as it is",
      ShapeError);
  handle.remove();
  handle = y.register_hook([](const Tensor&) { return zeros({2}); });
  CHECK_THROWS_WITH_AS(
      sum(x + y).backward(),
      "register_hook: a hook returned (2) Float32 for a gradient of (2) Float64; return one like "
      "it, or an undefined tensor to leave it as it is",
      ShapeError);
  CHECK(values(x.grad()) == Values{1, 1});
  CHECK(values(y.grad()) == Values{1, 1});
  handle.remove();
  sum(x + y).backward();
  CHECK(values(y.grad()) == Values{2, 2});
}

TEST_CASE("a hook that throws leaves every gradient as it was and all tensors usable") {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  Tensor middle = x * y;
  middle.retain_grad();
  bool refuse = true;
  for (const Tensor& hooked : {x, middle})
    hooked.register_hook([&](const Tensor&) {
      if (refuse) throw std::runtime_error("not today");
    });
  const Tensor loss = sum(middle + y);
  for (int attempt = 0; attempt < 2; ++attempt) {
    CHECK_THROWS_WITH_AS(loss.backward({}, true), "not today", std::runtime_error);
    CHECK_FALSE(x.grad().defined());
    CHECK_FALSE(y.grad().defined());
    CHECK_FALSE(middle.grad().defined());
    CHECK(std::string(tape.running).empty());
  }
  refuse = false;
  loss.backward();
  CHECK(values(x.grad()) == Values{3, 4});
  CHECK(values(middle.grad()) == Values{1, 1});
}

TEST_CASE("with create_graph hooks are recorded, and not without") {
  const Tensor x = leaf({2}), y = x * x;
  std::vector<bool> recording;
  y.register_hook([&](const Tensor& g) {
    recording.push_back(taping());
    return g * g * x.detach();
  });
  // z = y^2, dz/dy = 2 y, hooked to 4 y^2 2 (x as a number), times dy/dx = 2 x:  16 x^5.
  const Tensor g = autograd::grad({sum(y * y)}, {x}, {}, true, true)[0];
  CHECK(values(g) == Values{16 * 32});
  CHECK(values(autograd::grad({sum(g)}, {x}, {}, true)[0])[0] != 0);
  sum(y * y).backward();
  CHECK(recording.front());
  CHECK_FALSE(recording.back());
}

TEST_CASE("a hook's answer is not shared with the gradient that a leaf collects") {
  const Tensor x = leaf({1, 2}), answer = ones({2}, Float64);
  x.register_hook([&](const Tensor&) { return answer; });
  sum(x * 3).backward();
  x.grad().add_(1);
  CHECK(values(answer) == Values{1, 1});
}

TEST_CASE("set_data leaves a leaf its hooks, detach and a constant have none") {
  Tensor x = leaf({1, 2});
  x.register_hook(doubled);
  x.set_data(NDArray::full({3}, 1, Float64));
  sum(x * 3).backward();
  CHECK(values(x.grad()) == Values{6, 6, 6});
  const Tensor y = x.detach().requires_grad_();
  sum(y * 3).backward();
  CHECK(values(y.grad()) == Values{3, 3, 3});
  x.requires_grad_(false).requires_grad_();
  sum(x * 3).backward();
  CHECK(values(x.grad()) == Values{3, 3, 3});
}

TEST_CASE("a hook of a tensor without a gradient is refused") {
  CHECK_THROWS_WITH_AS(zeros({2}).register_hook(doubled),
                       "register_hook: this tensor of shape (2) requires no gradient; call "
                       "requires_grad_() on an input first",
                       GraphError);
}

TEST_CASE("hooks die with the graph, also a long chain of hooks that hold tensors with hooks") {
  Tensor y = leaf({1});
  const auto nodes = live_nodes();
  {
    Tensor chain = y;
    for (int i = 0; i < 100'000; ++i) {
      Tensor next = leaf({1});
      next.register_hook([chain](const Tensor&) {});
      chain = next;
    }
    CHECK(live_nodes() == nodes + 100'000);
  }
  CHECK(live_nodes() == nodes);
}

TEST_CASE("a hook that holds its own tensor keeps it alive until it is removed") {
  const auto tensors = live_tensors();
  RemovableHandle handle;
  {
    const Tensor x = leaf({1, 2});
    handle = x.register_hook([x](const Tensor&) {});
  }
  CHECK(live_tensors() == tensors + 1);
  handle.remove();
  CHECK(live_tensors() == tensors);
}

TEST_CASE("a hook runs in whatever thread goes back through its tensor") {
  const Tensor x = leaf({1, 2}), loss = sum(x * 3);
  x.register_hook(doubled);
  counted_thread([&] { loss.backward(); }).join();
  CHECK(values(x.grad()) == Values{6, 6});
}

TEST_CASE("two threads with hooks on graphs of their own do not see each other's") {
  std::vector<Tensor> leaves{leaf({1}), leaf({1})};
  std::vector<int> calls(2);
  const auto work = [&](std::size_t i) {
    for (int round = 0; round < 200; ++round) {
      const Tensor y = leaves[i] * 2;
      y.register_hook([&calls, i](const Tensor& g) {
        ++calls[i];
        return g * static_cast<double>(i + 1);
      });
      sum(y).backward();
    }
  };
  std::thread first = counted_thread([&] { work(0); }), second = counted_thread([&] { work(1); });
  first.join();
  second.join();
  CHECK(calls == std::vector<int>{200, 200});
  CHECK(values(leaves[0].grad()) == Values{400});
  CHECK(values(leaves[1].grad()) == Values{800});
}

TEST_CASE("backward inside a hook, through other tensors and through its own graph") {
  const Tensor x = leaf({3}), other = leaf({5});
  const Tensor y = x * x;
  y.register_hook([&](const Tensor& g) {
    const EnableGradGuard grad;
    sum(other * other).backward();
    return g * autograd::grad({sum(x * x)}, {x})[0];
  });
  sum(y).backward();
  CHECK(values(other.grad()) == Values{10});
  CHECK(values(x.grad()) == Values{36});
}

TEST_CASE("an empty function is no hook") {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 3;
  const char* const message = "register_hook: the hook is empty; give a function to call";
  CHECK_THROWS_WITH_AS(y.register_hook(std::function<Tensor(const Tensor&)>()), message, Error);
  CHECK_THROWS_WITH_AS(y.register_hook(std::function<void(Tensor)>()), message, Error);
  Tensor (*const nothing)(const Tensor&) = nullptr;
  CHECK_THROWS_WITH_AS(y.register_hook(nothing), message, Error);
  y.register_hook(std::function<Tensor(const Tensor&)>(doubled));
  sum(y).backward();
  CHECK_FALSE(y.grad().defined());  // as it would be if the empty one stood for retain_grad()
  CHECK(values(x.grad()) == Values{6, 6});
}
