// The reference cases about the engine.
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/core/memory.h>

#include <chrono>
#include <fstream>

#include "../support/cases.h"
#include "../support/sanitizers.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

Tensor scalar(double value) { return tensor(value, Float64).requires_grad_(); }

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What this thread holds.
struct Held {
  std::int64_t tensors = live_tensors(), nodes = live_nodes(), blocks = core::live_blocks();
  bool operator==(const Held&) const = default;
};

// The memory that this process has in use, in MiB; 0 where nobody says.
double resident_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

// y = y + y c, n times, for c = 1 / n.
Tensor chain(Tensor y, Index n) {
  const double c = 1 / static_cast<double>(n);
  for (Index i = 0; i < n; ++i) y = y + y * c;
  return y;
}

}  // namespace

TEST_CASE(
    "AUTO-01: A tensor used twice and a diamond: contributions add up before they travel on") {
  const Case c = this_case();
  const Tensor a = c.input("a").requires_grad_(), x = c.input("x").requires_grad_();
  const Tensor b = a + a, d = b * b, loss1 = d + b;
  CHECK(c.difference(loss1, c.output("loss1")) == "");
  loss1.backward();
  CHECK(c.difference(a.grad(), c.grad("a")) == "");
  const Tensor y = 3 * x, p = 2 * y, q = 5 * y, loss2 = p + q * y;
  CHECK(c.difference(loss2, c.output("loss2")) == "");
  loss2.backward();
  CHECK(c.difference(x.grad(), c.grad("x")) == "");
  const Tensor s = scalar(1.7);
  (s * s + (s + s)).backward();
  CHECK(s.grad().item() == doctest::Approx(2 * 1.7 + 2));
}

TEST_CASE("AUTO-02: Depth-first order without topological sort gives a wrong gradient here") {
  const Case c = this_case();
  const Tensor a = c.input("a").requires_grad_(), b = c.input("b").requires_grad_();
  const Tensor s = a + b, p = a * b, e = s + p, f = s * p, y = e + f;
  CHECK(c.difference(y, c.output("y")) == "");
  y.backward();
  CHECK(c.difference(a.grad(), c.grad("a")) == "");
  CHECK(c.difference(b.grad(), c.grad("b")) == "");
}

TEST_CASE("AUTO-03: 64 stacked diamonds: linear time, not 2^64") {
  const Case c = this_case();
  for (const int levels : {64, 2000}) {
    CAPTURE(levels);
    const auto begin = std::chrono::steady_clock::now();
    const Tensor leaf = c.input("p").requires_grad_();
    Tensor p = leaf;
    for (int i = 0; i < levels; ++i) p = p * 0.5 + p * 0.5;
    CHECK(c.difference(p, c.output("loss")) == "");
    const auto visited = nodes_visited();
    p.backward();
    CHECK(nodes_visited() - visited == 3 * static_cast<std::uint64_t>(levels));
    CHECK(c.difference(leaf.grad(), c.grad("p")) == "");
    if (!sanitized) CHECK(seconds_since(begin) < 1);
  }
}

TEST_CASE(
    "AUTO-04: Chains of 100 000 and 1 000 000 ops: no stack overflow in backward and none in the "
    "destructor") {
  const Case c = this_case();
  const Held before;
  const double limit = c.json["expect"]["limits"]["seconds_for_1e6"];
  for (const auto& [length, expected] : c.json["expect"]["outputs"].items()) {
    const Index n = std::stol(length);
    CAPTURE(n);
    const auto begin = std::chrono::steady_clock::now();
    {
      const Tensor x = tensor({2.}, Float64).requires_grad_();
      const Tensor y = chain(x, n);
      y.backward();
      const double value = expected["value"], grad = expected["grad"];
      CHECK(y.item() == doctest::Approx(value).epsilon(1e-9));
      CHECK(x.grad().item() == doctest::Approx(grad).epsilon(1e-9));
    }
    if (!sanitized) CHECK(seconds_since(begin) < limit);
  }
  chain(tensor({2.}, Float64).requires_grad_(), 1000000);  // dropped without backward
  {
    const Tensor x = tensor({2.}, Float64).requires_grad_();
    Tensor w = tensor({3.}, Float64);
    const Tensor y = chain(chain(x, 50000) * w, 50000);
    w.fill_(0);
    CHECK_THROWS_WITH_AS(y.backward(),
                         "mul: it saved a tensor of shape (1) (constant) at version 1, now 2 "
                         "because fill_ changed it in place; clone() it first, or change it after "
                         "backward()",
                         GraphError);
    CHECK_FALSE(x.grad().defined());
  }
  CHECK(Held() == before);
}

TEST_CASE("AUTO-05: No reference cycle: building graphs in a loop does not leak") {
  const Case c = this_case();
  const Tensor w = noise({256, 256}, 1, Float32).requires_grad_();
  const auto round = [&](const Tensor& x, int variant) {
    const Tensor y = tanh(matmul(x, w));
    if (variant == 2) fail("thrown between");
    const Tensor loss = sum(softmax(y, -1) * y);
    if (variant == 0) loss.backward();
  };
  round(noise({256, 256}, 2, Float32), 0);
  const Held before;
  const double resident = resident_mib();
  const int rounds = sanitized ? 200 : 2000;  // those are ten times as slow
  for (int i = 0; i < rounds; ++i) {
    try {
      round(noise({256, 256}, 2, Float32), i % 3);
    } catch (const Error&) {
      CHECK(i % 3 == 2);
    }
    REQUIRE(Held() == before);
  }
  if (!sanitized) CHECK(resident_mib() - resident < 20);
  // Each op that saves its output, alone.
  using Op = Tensor (*)(const Tensor&);
  const std::vector<Op> saving = {exp,
                                  tanh,
                                  sigmoid,
                                  sqrt,
                                  rsqrt,
                                  relu,
                                  [](const Tensor& x) { return softmax(x, -1); },
                                  [](const Tensor& x) { return log_softmax(x, -1); }};
  for (const Op op : saving) {
    for (const bool create_graph : {false, true}) {
      const Held alone;
      {
        const Tensor x = abs(noise({2, 3})).requires_grad_();
        const Tensor g = autograd::grad({op(x).sum()}, {x}, {}, {}, create_graph)[0];
        op(x);
      }
      CHECK(Held() == alone);
    }
  }
}

TEST_CASE("AUTO-06: backward twice: refused, or exact; intermediates must not compound") {
  const Case c = this_case();
  const std::string refused =
      ": a backward pass has been here, to its end or until it threw, and freed what was saved; "
      "pass retain_graph = true the first time, or compute the value again";
  const auto graph = [](const Tensor& x) { return 2 * (x * x); };
  {
    const Tensor x = c.input("x").requires_grad_(), z = graph(x);
    z.backward();
    CHECK(c.difference(x.grad(), c.output("after_first")) == "");
    CHECK_THROWS_WITH_AS(z.backward(), ("mul" + refused).c_str(), GraphError);
    CHECK(c.difference(x.grad(), c.output("after_first")) == "");
  }
  const Tensor x = c.input("x").requires_grad_(), z = graph(x);
  z.backward({}, true);
  z.backward({}, true);
  CHECK(c.difference(x.grad(), c.output("after_second_with_retain")) == "");
  CHECK(c.difference(x.grad(), c.known_wrong("compounded")) != "");
  const auto shared = [&](bool retain) {
    const Tensor leaf = c.input("x").requires_grad_();
    const Tensor k = 2 * leaf, l1 = k * k, l2 = 3 * k;
    l1.backward({}, retain);
    if (!retain) CHECK_THROWS_WITH_AS(l2.backward(), ("mul" + refused).c_str(), GraphError);
    if (retain) l2.backward();
    return leaf.grad();
  };
  CHECK(c.difference(shared(true), c.output("shared_after_both")) == "");
  CHECK(c.difference(shared(true), c.known_wrong("shared_compounded")) != "");
  CHECK(shared(false).item() == 24);
}

TEST_CASE(
    "AUTO-07: In-place change of a value that backward needs: error or exact, never silently "
    "wrong") {
  const Case c = this_case();
  const auto refused = [](const Tensor& loss, const Tensor& x, const std::string& op,
                          const std::string& writer) {
    try {
      loss.backward();
      FAIL("was not refused");
    } catch (const GraphError& error) {
      const std::string text = error.what();
      CHECK_MESSAGE(text.find(op + ": ") == 0, text);
      CHECK_MESSAGE(text.find(writer) != std::string::npos, text);
      CHECK_MESSAGE(text.find("changed it in place") != std::string::npos, text);
    }
    CHECK_FALSE(x.grad().defined());
  };
  const auto input = [&] { return c.input("x").requires_grad_(); };
  {
    const Tensor x = input();
    Tensor y = exp(x);
    y.mul_(2);
    refused(sum(y), x, "exp", "mul_");
  }
  for (const bool through_a_view : {false, true}) {
    CAPTURE(through_a_view);
    const Tensor x = input();
    Tensor w = noise({3});
    const Tensor z = x * w;
    {
      const NoGradGuard no_grad;
      Tensor target = through_a_view ? w.view({-1}) : w;
      target.fill_(0);
    }
    refused(sum(z), x, "mul", "fill_");
  }
  const Tensor x = input();
  Tensor s = x + 1;
  s.mul_(3);
  sum(s).backward();
  CHECK(c.difference(x.grad(), c.output("d_dx")) == "");
}

TEST_CASE("AUTO-08: In-place update of a leaf that requires grad: only under no_grad") {
  const Case c = this_case();
  Tensor w = noise({3}).requires_grad_();
  const Tensor before = w.detach().clone(), same_memory = w.detach();
  CHECK_THROWS_WITH_AS(w.add_(1),
                       "add_: a leaf that requires a gradient cannot be changed in place while ops "
                       "are recorded; use a NoGradGuard, or add, which makes a new tensor",
                       GraphError);
  CHECK(difference(w, before) == "");
  const auto loss = [](const Tensor& x) { return sum(x * x); };
  loss(w).backward();
  w.zero_grad();
  const Held start;
  for (int step = 0; step < 1000; ++step) {
    const Tensor l = loss(w);
    CHECK(live_nodes() == start.nodes + 2);  // this step's mul and sum
    l.backward();
    {
      const NoGradGuard no_grad;
      w.sub_(w.grad() * 1e-3);
    }
    w.zero_grad();
  }
  CHECK(Held() == start);
  CHECK(w.is_leaf());
  CHECK(w.requires_grad());
  CHECK(difference(same_memory, w.detach()) == "");
  loss(w).backward();
  const Tensor updated = w - 0.1 * w.grad();
  CHECK_FALSE(updated.is_leaf());
  CHECK_FALSE(updated.grad().defined());
}
