#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/profiler.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "../support/comma_locale.h"
#include "../support/compare.h"
#include "../support/leaf.h"

using namespace tapehead;
using testing::leaf;

namespace {

Profiler::Row row(const std::vector<Profiler::Row>& rows, const std::string& name) {
  for (const Profiler::Row& r : rows)
    if (r.name == name) return r;
  return {};
}

// The FLOPs that f's first op is counted for.
template <class F>
double counted(F f) {
  struct Counter : Observer {
    void after(const OpCall& call, const Tensor& result) override {
      if (first < 0) first = flops(call, result);
    }
    double first = -1;
  } counter;
  f();
  return counter.first;
}

template <class F>
void called(const std::string& name, F forward) {
  const ModuleCall call(name);
  notify_enter();
  forward();
  notify_leave({ones({2})});
}

}  // namespace

TEST_CASE("ops are counted by name, forward and backward, with bytes and FLOPs") {
  const Tensor a = testing::noise({4, 8}).requires_grad_(), b = testing::noise({8, 3});
  Profiler profiler;
  for (int i = 0; i < 2; ++i) sum(matmul(a, b)).backward();
  const auto matmuls = row(profiler.ops(), "matmul");
  CHECK(matmuls.forward.calls == 2);
  CHECK(matmuls.forward.bytes == 2 * 4 * 3 * 8);
  CHECK(matmuls.forward.flops == 2 * (2 * 4 * 8 * 3));
  CHECK(matmuls.backward.calls == 2);
  CHECK(matmuls.backward.flops == 2 * (2 * 4 * 3 * 8));
  CHECK(matmuls.backward.bytes == 2 * 4 * 8 * 8);
  const auto sums = row(profiler.ops(), "sum");
  CHECK(sums.forward.flops == 2 * 12);
  CHECK(sums.forward.bytes == 2 * 8);
  CHECK(sums.backward.bytes == 0);  // an expanded view
  CHECK(matmuls.forward.seconds > 0);
  CHECK(matmuls.backward.seconds > 0);
}

TEST_CASE("FLOPs by formula") {
  const Tensor x = ones({2, 3, 4}), w = ones({5, 4}), bias = ones({5});
  CHECK(counted([&] { linear(x, w); }) == 2 * 6 * 4 * 5);
  CHECK(counted([&] { linear(x, w, bias); }) == 2 * 6 * 4 * 5 + 30);
  CHECK(counted([&] { matmul(x, x.mT()); }) == 0);  // the transposition
  CHECK(counted([&] { softmax(x, -1); }) == 5 * 24);
  CHECK(counted([&] { layer_norm(x, {4}); }) == 8 * 24);
  CHECK(counted([&] { gelu(x); }) == 8 * 24);
  CHECK(counted([&] { x + ones({3, 4}); }) == 24);
  CHECK(counted([&] { x.clone().add_(1); }) == 0);  // the copy
  CHECK(counted([&] { Tensor(ones({7})).add_(1); }) == 7);
  CHECK(counted([&] { sum(x, {0}); }) == 24);
  CHECK(counted([&] { x.var(); }) == 4 * 24);
  CHECK(counted([&] { cumsum(x, 1); }) == 24);
  CHECK(counted([&] { scatter_add(x, 0, zeros({1, 3, 4}, Int64), ones({1, 3, 4})); }) == 12);
  CHECK(counted([&] { scatter(x, 0, zeros({1, 3, 4}, Int64), ones({1, 3, 4})); }) == 0);
  CHECK(counted([&] { Tensor(ones({7})).exp_(); }) == 7);
  CHECK(counted([&] {
          Tensor(ones({2, 5})).addmm_(ones({2, 3}), ones({3, 5}));
        }) == 2 * 2 * 3 * 5 + 10);
  CHECK(counted([&] { Tensor(ones({7})).normal_(); }) == 0);
  CHECK(counted([&] { gt(x, 0); }) == 0);
  CHECK(counted([&] { masked_fill(x, ones({4}, Bool), 1); }) == 0);
  const Tensor q = ones({1, 2, 3, 4}), k = ones({1, 2, 5, 4}), v = ones({1, 2, 5, 6});
  CHECK(counted([&] { fused_attention(q, k, v, {}, {}, {}, 1, false); }) ==
        2 * 3 * 5 * (2 * 4 + 2 * 6 + 5));
}

TEST_CASE("a rule with a kernel of its own is counted by its op's formula") {
  const Tensor x = leaf({1, 2, 3, 4});
  Profiler profiler;
  softmax(x, 0).backward(ones({4}, Float64));
  const auto softmaxes = row(profiler.ops(), "softmax");
  CHECK(softmaxes.backward.flops == 2 * 5 * 4);
  CHECK(softmaxes.backward.bytes == 4 * 8);
  const Tensor q = testing::noise({1, 1, 2, 4}).requires_grad_();
  const Tensor y = fused_attention(q, q, q, {}, {}, {}, 1, false).output;
  y.backward(ones({1, 1, 2, 4}, Float64));
  const auto attention = row(profiler.ops(), "attention");
  CHECK(attention.backward.flops == 2.5 * attention.forward.flops);
}

TEST_CASE("a rule that hands its gradient on costs nothing") {
  const Tensor x = leaf({1, 2});
  Profiler profiler;
  (x + 1).backward(ones({2}, Float64));
  const auto adds = row(profiler.ops(), "add");
  CHECK(adds.backward.calls == 1);
  CHECK(adds.backward.bytes == 0);
  CHECK(adds.backward.flops == 0);
}

TEST_CASE("modules have what is within them, and everything is counted once in all") {
  const Tensor x = leaf({1, 2});
  Profiler profiler;
  Tensor y;
  called("block", [&] {
    called("fc", [&] { y = exp(x); });
    called("fc", [&] { y = exp(y); });
    y = y * 2;
  });
  sum(y).backward();
  const auto modules = profiler.modules();
  CHECK(row(modules, "block.fc").forward.calls == 2);
  CHECK(row(modules, "block.fc").forward.flops == 4);
  CHECK(row(modules, "block").forward.calls == 1);
  CHECK(row(modules, "block").forward.flops == 6);
  CHECK(row(modules, "").forward.flops == 8);
  CHECK(row(modules, "block.fc").backward.calls == 2);
  CHECK(row(modules, "block").backward.calls == 3);
  CHECK(row(modules, "").backward.calls == 4);
  CHECK(row(modules, "").seconds() >= row(modules, "block").seconds());
  CHECK(row(modules, "block").seconds() >= row(modules, "block.fc").seconds());
}

TEST_CASE("events of a backward pass belong to the module of the op whose rule runs") {
  const Tensor x = leaf({1, 2});
  Profiler profiler;
  Tensor y;
  called("block", [&] { y = exp(x); });
  sum(y).backward();
  std::map<std::string, std::string> modules;
  const auto trace = nlohmann::json::parse(profiler.trace());
  for (const auto& event : trace["traceEvents"])
    if (event["cat"] == "backward")
      modules[event["name"].get<std::string>()] = event["args"]["module"].get<std::string>();
  CHECK(modules.at("exp backward") == "block");
  CHECK(modules.at("mul") == "block");
  CHECK(modules.at("sum backward") == "");
}

TEST_CASE("most time first") {
  Profiler profiler;
  cross_entropy(ones({2, 3}), tensor({0, 1}));
  CHECK(row(profiler.ops(), "cross_entropy").forward.flops == 5 * 6);
  const Tensor a = testing::noise({200, 200});
  for (int i = 0; i < 20; ++i) matmul(a, a);
  const auto ops = profiler.ops();
  REQUIRE(ops.size() > 2);
  CHECK(ops[0].name == "matmul");
  for (std::size_t i = 1; i < ops.size(); ++i) CHECK(ops[i - 1].seconds() >= ops[i].seconds());
}

TEST_CASE("a pass within a rule counts for that rule alone") {
  const Tensor x = leaf({2});
  const Tensor y = record(
      "checkpoint", [&] { return core::NDArray::full({1}, 4, Float64); },
      wrt(x, [x](const Tensor& g) {
        const EnableGradGuard grad;
        return g * autograd::grad({sum(exp(x))}, {x})[0];
      }));
  Profiler profiler;
  sum(y).backward();
  CHECK(row(profiler.ops(), "exp").name == "");
  CHECK(row(profiler.ops(), "checkpoint").backward.calls == 1);
  CHECK(row(profiler.ops(), "checkpoint").backward.flops > 0);
  CHECK(row(profiler.modules(), "").backward.calls == 2);
}

TEST_CASE("what a hook computes is counted as a hook's") {
  const Tensor x = leaf({1, 2});
  x.register_hook([](const Tensor& g) { return g * 2; });
  Profiler profiler;
  sum(x).backward();
  CHECK(row(profiler.ops(), "hook").backward.flops == 2);
}

TEST_CASE("an op that throws is not counted, and those after it are") {
  Profiler profiler;
  CHECK_THROWS_WITH_AS(ones({2}) + ones({3}),
                       "add: shapes (2) and (3) do not broadcast: 2 against 3 in dimension -1; "
                       "sizes must be equal, or one of them 1",
                       ShapeError);
  exp(ones({2}));
  CHECK(profiler.ops().size() == 1);
}

TEST_CASE("a pass that throws in a rule leaves the next one to be counted") {
  const Tensor x = leaf({1, 2});
  bool refuse = true;
  const Tensor y = record(
      "bad", [&] { return x.array().clone(); }, wrt(x, [&](const Tensor& g) {
        if (refuse) throw std::runtime_error("not today");
        return g;
      }));
  const Tensor loss = sum(exp(y));
  Profiler profiler;
  CHECK_THROWS_WITH_AS(loss.backward({}, true), "not today", std::runtime_error);
  refuse = false;
  loss.backward({}, true);
  CHECK(row(profiler.ops(), "exp").backward.calls == 2);
  CHECK(row(profiler.ops(), "bad").backward.calls == 1);
}

TEST_CASE("the tables have a line for each op and module, in any locale") {
  const CommaLocale comma;
  const Tensor x = ones({1000, 2});
  Profiler profiler;
  called("fc", [&] { exp(x); });
  std::ostringstream text;
  text << profiler;
  std::istringstream lines(text.str());
  std::vector<std::string> line(7);
  for (std::string& l : line) std::getline(lines, l);
  CHECK(line[0] ==
        "op                       | fwd calls        ms        MB     MFLOP | bwd calls        ms"
        "        MB     MFLOP");
  CHECK(line[1].rfind("exp                      |         1 ", 0) == 0);
  CHECK(line[1].find("     0.008     0.002 |         0     0.000     0.000     0.000") !=
        std::string::npos);
  CHECK(line[2].empty());
  CHECK(line[3].rfind("module ", 0) == 0);
  const std::set<std::string> names{line[4].substr(0, 6), line[5].substr(0, 6)};
  CHECK(names == std::set<std::string>{"(all) ", "fc    "});
  CHECK(line[6].empty());
}

TEST_CASE("the trace is JSON in Chrome's format: ops, rules and modules, nested in time") {
  const Tensor x = leaf({1, 2});
  Profiler profiler;
  Tensor y;
  called("a \"b\"\\\n", [&] { y = exp(x); });
  sum(y).backward();
  const auto trace = nlohmann::json::parse(profiler.trace());
  const auto& events = trace.at("traceEvents");
  const auto find = [&](const std::string& name, const std::string& category) {
    for (const auto& e : events)
      if (e.at("name") == name && e.at("cat") == category) return e;
    return nlohmann::json();
  };
  const auto op = find("exp", "forward"), rule = find("exp backward", "backward");
  const auto module = find("a \"b\"\\\n", "module"), inner = find("mul", "backward");
  for (const auto& e : {op, rule, module, inner}) {
    REQUIRE_FALSE(e.is_null());
    CHECK(e.at("ph") == "X");
    CHECK(e.at("dur").get<double>() >= 0);
  }
  CHECK(op.at("args").at("module") == "a \"b\"\\\n");
  CHECK(op.at("args").at("shape") == "(2)");
  const auto within = [](const nlohmann::json& in, const nlohmann::json& out) {
    const double begin = in.at("ts"), around = out.at("ts");
    return begin >= around &&
           begin + in.at("dur").get<double>() <= around + out.at("dur").get<double>() + 0.002;
  };
  CHECK(within(op, module));
  CHECK(within(inner, rule));
  CHECK(op.at("ts").get<double>() < rule.at("ts").get<double>());
}

TEST_CASE("an op has the same time in the table as its events have in the trace") {
  const Tensor x = leaf({1, 2, 3, 4});
  Profiler profiler;
  for (int i = 0; i < 5; ++i) sum(softmax(x * i, 0) * x).backward();
  std::map<std::string, double> traced;
  const nlohmann::json trace = nlohmann::json::parse(profiler.trace());
  for (const auto& event : trace["traceEvents"])
    traced[event["name"].get<std::string>()] += event["dur"].get<double>();
  const Profiler::Row table = row(profiler.ops(), "softmax");
  const double rounding = 5 * 1e-3;  // of each event, to a nanosecond
  CHECK(std::abs(traced["softmax"] - table.forward.seconds * 1e6) < rounding);
  CHECK(std::abs(traced["softmax backward"] - table.backward.seconds * 1e6) < rounding);
}

TEST_CASE("a profiler hears its own thread alone") {
  Profiler profiler;
  std::thread([] { exp(ones({1})); }).join();
  CHECK(profiler.ops().empty());
}
