#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/observer.h>
#include <tapehead/autograd/ops.h>

#include <sstream>
#include <stdexcept>
#include <thread>

#include "../support/compare.h"

using namespace tapehead;

namespace {

using Log = std::vector<std::string>;

// Writes all it hears to a log.
struct Listener : Observer {
  explicit Listener(Log& to, std::string called = "") : log(to), name(std::move(called)) {}
  void before(const OpCall& call) override {
    std::ostringstream line;
    line << name << "before " << call.op;
    for (const Tensor* input : call.inputs) line << " " << input->shape();
    if (!call.arguments.empty()) line << " [" << call.arguments << "]";
    if (*call.within) line << " within " << call.within;
    log.push_back(line.str());
  }
  void after(const OpCall& call, const Tensor& result) override {
    std::ostringstream line;
    line << name << "after " << call.op << " " << result.shape();
    log.push_back(line.str());
  }
  void gradient(const Tensor& gradient) override {
    std::ostringstream line;
    line << name << "gradient " << gradient.shape() << " of \"" << tape.running << "\"";
    log.push_back(line.str());
  }
  Log& log;
  std::string name;
};

}  // namespace

TEST_CASE("an observer hears of every op before and after it, with inputs and arguments") {
  const Tensor x = zeros({2, 3}), mask = x > 0;
  Log log;
  {
    const Listener listener(log);
    masked_fill(transpose(x, 0, 1), mask.t(), -1);
  }
  x + x;
  CHECK(log == Log{"before transpose (2, 3) [0, 1]", "after transpose (3, 2)",
                   "before transpose (2, 3) [0, 1]", "after transpose (3, 2)",
                   "before masked_fill (3, 2) (3, 2) [-1]", "after masked_fill (3, 2)"});
}

TEST_CASE("an observer hears of in-place ops") {
  Tensor x = zeros({2});
  Log log;
  const Listener listener(log);
  x.add_(1);
  CHECK(log == Log{"before add_ (2) [1]", "after add_ (2)"});
}

TEST_CASE("an observer hears of gradients, and of ops inside rules and whose rules these are") {
  const Tensor x = zeros({2}, Float64).requires_grad_();
  const Tensor y = sum(mul(x, 3));
  Log log;
  const Listener listener(log);
  y.backward();
  CHECK(log.front() == "gradient () of \"\"");
  CHECK(std::count(log.begin(), log.end(), "gradient (2) of \"sum\"") == 1);
  CHECK(std::count(log.begin(), log.end(), "before mul (2) [3] within mul") == 1);
  CHECK(log.back() == "gradient (2) of \"mul\"");
}

TEST_CASE("the newest observer hears first") {
  const Tensor x = zeros({1});
  Log log;
  const Listener older(log, "older ");
  {
    const Listener newer(log, "newer ");
    neg(x);
  }
  neg(x);
  CHECK(log == Log{"newer before neg (1)", "older before neg (1)", "newer after neg (1)",
                   "older after neg (1)", "older before neg (1)", "older after neg (1)"});
}

TEST_CASE("what an observer computes is not told to any") {
  struct Computing : Observer {
    void after(const OpCall&, const Tensor& result) override { total += sum(result).item(); }
    double total = 0;
  } observer;
  ones({3}) * 2;
  CHECK(observer.total == 6);
}

TEST_CASE("what an observer throws ends the op, and observers hear the next one") {
  struct Refusing : Observer {
    void before(const OpCall&) override {
      if (refuse) throw std::runtime_error("no");
    }
    void after(const OpCall&, const Tensor&) override { ++heard; }
    bool refuse = true;
    int heard = 0;
  } observer;
  const Tensor x = ones({3}).requires_grad_();
  CHECK_THROWS_WITH_AS(x * 2, "no", std::runtime_error);
  observer.refuse = false;
  const Tensor y = sum(x * 2);
  CHECK(observer.heard == 2);
  observer.refuse = true;
  CHECK_THROWS_WITH_AS(y.backward(), "no", std::runtime_error);
  CHECK_FALSE(x.grad().defined());
  CHECK(std::string(tape.running).empty());
}

TEST_CASE("an observer hears its own thread alone") {
  Log log;
  const Listener listener(log);
  std::thread([] { neg(zeros({1})); }).join();
  CHECK(log.empty());
}
