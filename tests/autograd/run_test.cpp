// What one backward pass guarantees: order, ownership, nothing half done.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/autograd/run.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "../support/compare.h"
#include "../support/leaf.h"
#include "../support/threads.h"

using namespace tapehead;
using testing::counted_thread;
using testing::difference;
using testing::leaf;
using testing::noise;
using testing::values;
using testing::Values;

namespace {

// x itself, with a rule of the caller's.
template <class Rule>
Tensor pass(const Tensor& x, Rule rule) {
  return record(
      "pass", [&] { return x.array().clone(); }, wrt(x, rule));
}

}  // namespace

TEST_CASE("an exception in a rule leaves every gradient as it was and the graph usable") {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  sum(x).backward();
  bool refuse = true;
  const Tensor bad = pass(x, [&](const Tensor& g) {
    if (refuse) throw std::runtime_error("not today");
    return g * 10;
  });
  const Tensor loss = sum(bad + y * 2);
  for (int attempt = 0; attempt < 2; ++attempt) {
    CHECK_THROWS_WITH_AS(loss.backward({}, true), "not today", std::runtime_error);
    CHECK(values(x.grad()) == Values{1, 1});
    CHECK_FALSE(y.grad().defined());
    CHECK(taping());
    CHECK(std::string(tape.running).empty());
  }
  refuse = false;
  loss.backward();
  CHECK(values(x.grad()) == Values{11, 11});
  CHECK(values(y.grad()) == Values{2, 2});
}

TEST_CASE("without retain_graph, a backward after one that threw says what it meets") {
  const Tensor x = leaf({1, 2});
  const Tensor bad =
      pass(x, [](const Tensor&) -> Tensor { throw std::runtime_error("not today"); });
  const Tensor loss = sum(bad * 2);
  CHECK_THROWS_WITH_AS(loss.backward(), "not today", std::runtime_error);
  CHECK_THROWS_WITH_AS(
      loss.backward(),
      "sum: a backward pass has been here, to its end or until it threw, and freed "
      "what was saved; pass retain_graph = true the first time, or compute the "
      "value again",
      GraphError);
}

TEST_CASE("a gradient that was given another shape, dtype or stride refuses all of a pass") {
  const auto refused = [](const Tensor& other, const std::string& what) {
    for (const bool create_graph : {false, true}) {
      Tensor a = leaf({1, 2}), b = leaf({3, 4});
      sum(a + b).backward();
      b.grad().set_data(other.array());
      const std::string message =
          "backward: the gradient collected so far for leaf (2) Float64 was made " + what +
          ", to which nothing can be added; call zero_grad() first";
      CHECK_THROWS_WITH_AS(sum(a * b).backward({}, {}, create_graph), message.c_str(), ShapeError);
      CHECK(values(a.grad()) == Values{1, 1});
      b.zero_grad();
      sum(a * b).backward();
      CHECK(values(a.grad()) == Values{4, 5});
      CHECK(values(b.grad()) == Values{1, 2});
    }
  };
  refused(zeros({3}, Float64), "(3) Float64 with strides (1)");
  refused(zeros({2}), "(2) Float32 with strides (1)");
  refused(zeros({1}, Float64).expand({2}), "(2) Float64 with strides (0)");
}

TEST_CASE("a leaf's own gradient may be the gradient that is passed in, in any layout") {
  const Tensor x = noise({2, 2}).requires_grad_();
  x.backward(tensor({{1., 2.}, {3., 4.}}, Float64));
  x.backward(x.grad());
  CHECK(values(x.grad()) == Values{2, 4, 6, 8});
  x.backward(x.grad().t());
  CHECK(values(x.grad()) == Values{4, 10, 10, 16});
}

TEST_CASE("one leaf's gradient passed in reaches the others as it was, whoever comes first") {
  const Tensor a = leaf({1, 2}), b = leaf({3, 4});
  sum(a * 2 + b * 3).backward();
  (a + b).backward(a.grad());
  CHECK(values(a.grad()) == Values{4, 4});
  CHECK(values(b.grad()) == Values{5, 5});
  (a + b).backward(b.grad());
  CHECK(values(a.grad()) == Values{9, 9});
  CHECK(values(b.grad()) == Values{10, 10});
}

TEST_CASE("a rule whose gradient has another shape or dtype than its input is refused") {
  const Tensor x = leaf({1, 2});
  CHECK_THROWS_WITH_AS(sum(pass(x, [](const Tensor& g) { return sum(g); })).backward(),
                       "pass: its derivative rule returned () Float64 for an input of (2) Float64; "
                       "a gradient has its input's shape and dtype",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      sum(pass(x, [](const Tensor& g) { return g.to(Float32); })).backward(),
      "pass: its derivative rule returned (2) Float32 for an input of (2) Float64; "
      "a gradient has its input's shape and dtype",
      ShapeError);
}

TEST_CASE("an undefined gradient counts as zero") {
  const Tensor x = leaf({1, 2});
  sum(pass(x, [](const Tensor&) { return Tensor(); }) + x).backward();
  CHECK(values(x.grad()) == Values{1, 1});
}

TEST_CASE("backward inside a rule, through other tensors and through this pass's own leaf") {
  const Tensor x = leaf({3}), other = leaf({5});
  const Tensor y = pass(x, [&](const Tensor& g) {
    const EnableGradGuard grad;
    sum(other * other).backward();
    const Tensor inner = x * x;
    return g * autograd::grad({sum(inner)}, {x})[0];
  });
  (y * x).backward(tensor({1.}, Float64));
  CHECK(values(other.grad()) == Values{10});
  CHECK(values(x.grad()) == Values{3 + 3 * 6});
}

TEST_CASE("checkpointing: a rule that runs the forward again and collects into leaves") {
  const Tensor w = leaf({2}), x = leaf({3});
  const Tensor y = record(
      "checkpoint", [&] { return (x.detach() * w.detach() * w.detach()).array(); },
      wrt(x, [&](const Tensor& g) {
        const EnableGradGuard grad;
        const Tensor again = x.detach().clone().requires_grad_();
        (again * w * w).backward(g);
        return again.grad();
      }));
  (y + w).backward();
  CHECK(values(x.grad()) == Values{4});
  CHECK(values(w.grad()) == Values{12 + 1});
}

TEST_CASE("an exception in a nested pass gives the outer pass its nodes back") {
  const Tensor x = leaf({2});
  const Tensor y = pass(x, [&](const Tensor& g) {
    const EnableGradGuard grad;
    const Tensor bad = pass(x, [](const Tensor&) -> Tensor { throw std::runtime_error("inner"); });
    CHECK_THROWS_WITH_AS(autograd::grad({sum(bad + x)}, {x}), "inner", std::runtime_error);
    return g;
  });
  sum(y + x * 3).backward();
  CHECK(values(x.grad()) == Values{4});
}

TEST_CASE("two threads go back through two graphs of their own") {
  const Tensor data = noise({64, 64});
  std::vector<Tensor> gradients(2);
  const auto work = [&](std::size_t i) {
    for (int round = 0; round < 20; ++round) {
      const Tensor w = data.clone().requires_grad_();
      sum(tanh(matmul(w, data)) * (1. + static_cast<double>(i))).backward();
      gradients[i] = Tensor(w.grad().array().clone());
    }
  };
  std::thread first = counted_thread([&] { work(0); }), second = counted_thread([&] { work(1); });
  first.join();
  second.join();
  CHECK(difference(gradients[0] * 2, gradients[1], {.rtol = 1e-12}) == "");
}

TEST_CASE("a graph built in one thread may go back in another") {
  const Tensor x = leaf({1, 2});
  Tensor y;
  counted_thread([&] { y = exp(x * 0) * x; }).join();
  const Tensor z = sum(y * 2);
  counted_thread([&] { z.backward(); }).join();
  CHECK(values(x.grad()) == Values{2, 2});
}

TEST_CASE("backward through a leaf that another thread's pass holds is refused") {
  const Tensor x = leaf({1, 2});
  std::atomic<int> stage{0};
  // Gives x its share first (its number is the higher), then waits.
  const Tensor slow = pass(leaf({0, 0}), [&](const Tensor& g) {
    stage = 1;
    while (stage != 2) std::this_thread::yield();
    return g;
  });
  const Tensor held = sum(slow + x.detach());
  const Tensor loss = sum(x * 2) + held;
  std::thread holder = counted_thread([&] { loss.backward(); });
  while (stage != 1) std::this_thread::yield();
  std::string message;
  try {
    sum(x * 3).backward();
  } catch (const GraphError& error) {
    message = error.what();
  }
  stage = 2;
  holder.join();
  CHECK(message ==
        "backward: leaf (2) is part of another thread's backward pass; give each thread leaves of "
        "its own, or run the passes one after the other");
  CHECK(values(x.grad()) == Values{2, 2});
  sum(x * 3).backward();
  CHECK(values(x.grad()) == Values{5, 5});
}

TEST_CASE("running out of memory anywhere in a pass leaves gradients as they were and all usable") {
  const Tensor x = noise({300, 40}).requires_grad_(), w = noise({40, 40}, 2).requires_grad_();
  sum(x).backward();
  const Tensor before = x.grad().clone();
  const auto loss = [&] { return sum(tanh(matmul(x, w)) * x + x); };
  int refused = 0;
  for (std::uint64_t budget = 0;; budget += 8192) {
    const Tensor y = loss();
    core::empty_cache();
    core::set_memory_limit(core::reserved_bytes() + budget);
    bool done = true;
    try {
      y.backward();
    } catch (const MemoryError&) {
      done = false;
    }
    core::set_memory_limit(0);
    if (done) break;
    ++refused;
    REQUIRE(difference(x.grad(), before) == "");
    REQUIRE_FALSE(w.grad().defined());
  }
  CHECK(refused > 5);
  const Tensor passed = x.grad() - before;
  CHECK(difference(autograd::grad({loss()}, {x})[0], passed, {.relative_to_at_least_one = 1e-12}) ==
        "");
}
