#include <doctest/doctest.h>
#include <tapehead/core/elementwise.h>
#include <tapehead/nn/linear.h>
#include <tapehead/nn/module.h>

#include "../support/comma_locale.h"
#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;

namespace {

struct Net : Layer<Net> {
  explicit Net(Index hidden = 3) : first(2, hidden), last(hidden, 1), count(zeros({1})) {
    add("first", first);
    add("last", last);
    register_buffer("count", count);
    register_buffer("scratch", scratch, /*persistent=*/false);
  }
  Tensor forward(const Tensor& x) { return last(first(x)); }
  Linear first, last;
  Tensor count, scratch = zeros({2});
};

}  // namespace

TEST_CASE("state_dict has parameters and persistent buffers, off the tape, sharing memory") {
  Net net;
  const StateDict state = net.state_dict();
  std::vector<std::string> names;
  for (const auto& [name, tensor] : state) {
    names.push_back(name);
    CHECK_FALSE(tensor.requires_grad());
  }
  CHECK(names == std::vector<std::string>{"count", "first.weight", "first.bias", "last.weight",
                                          "last.bias"});
  CHECK(state[1].second.array().shares_storage_with(net.first.weight.array()));
}

TEST_CASE("load_state_dict copies values into the parameters that are there") {
  Net a, b;
  const Tensor held = b.first.weight;
  b.load_state_dict(a.state_dict());
  CHECK(difference(held, a.first.weight) == "");
  CHECK_FALSE(held.array().shares_storage_with(a.first.weight.array()));
  CHECK(held.requires_grad());
  CHECK(difference(a(ones({1, 2})), b(ones({1, 2}))) == "");
}

TEST_CASE("load_state_dict converts dtypes") {
  Net a, b;
  b.to(Float64);
  b.load_state_dict(a.state_dict());
  CHECK(difference(b.last.weight, to(a.last.weight, Float64)) == "");
}

TEST_CASE("load_state_dict names all that does not fit at once, and then loads nothing") {
  Net net;
  const StateDict before = [&] {
    StateDict copies;
    for (const auto& [name, tensor] : net.state_dict()) copies.emplace_back(name, tensor.clone());
    return copies;
  }();
  const StateDict bad{{"count", ones({1})},    {"first.weight", ones({3, 2})},
                      {"extra", ones({1})},    {"last.weight", ones({2, 3})},
                      {"last.bias", ones({})}, {"other", ones({1})}};
  CHECK_THROWS_WITH_AS(net.load_state_dict(bad),
                       "load_state_dict: the names and shapes must be those of this Net; missing: "
                       "first.bias; unexpected: extra, other; of another shape: last.weight (1, 3) "
                       "from (2, 3), last.bias (1) from (); nothing was loaded",
                       Error);
  CHECK_THROWS_WITH_AS(
      net.load_state_dict(bad, /*strict=*/false),
      "load_state_dict: the names and shapes must be those of this Net; of another "
      "shape: last.weight (1, 3) from (2, 3), last.bias (1) from (); nothing was "
      "loaded",
      Error);
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(difference(net.state_dict()[i].second, before[i].second) == "");
}

TEST_CASE("load_state_dict refuses what is only missing or only unexpected, unless told not to") {
  Net net;
  StateDict state = net.state_dict();
  state.emplace_back("extra", ones({1}));
  CHECK_THROWS_WITH_AS(net.load_state_dict(state),
                       "load_state_dict: the names and shapes must be those of this Net; "
                       "unexpected: extra; nothing was loaded",
                       Error);
  state.resize(state.size() - 2);
  CHECK_THROWS_WITH_AS(net.load_state_dict(state),
                       "load_state_dict: the names and shapes must be those of this Net; missing: "
                       "last.bias; nothing was loaded",
                       Error);
}

TEST_CASE("load_state_dict loads nothing where one tensor cannot be written") {
  struct Repeated : Layer<Repeated> {
    Repeated() : weight(zeros({2})) {
      add("weight", weight);
      register_buffer("table", table);
    }
    Tensor forward(const Tensor& x) { return x * weight * table; }
    Parameter weight;
    Tensor table = zeros({1}).expand({2});
  } module;
  CHECK_THROWS_WITH_AS(module.load_state_dict({{"weight", ones({2})}, {"table", ones({2})}}),
                       "load_state_dict: elements of the target, of shape (2) and strides (0), "
                       "share memory; clone() "
                       "it first",
                       ShapeError);
  CHECK(difference(module.weight, zeros({2})) == "");
}

TEST_CASE("load_state_dict refuses a name that is there twice") {
  Net net;
  StateDict state = net.state_dict();
  state.emplace_back("last.bias", full({1}, 7.));
  CHECK_THROWS_WITH_AS(
      net.load_state_dict(state),
      "load_state_dict: names must differ, got \"last.bias\" twice; nothing was loaded", Error);
  CHECK_THROWS_WITH_AS(
      net.load_state_dict(state, /*strict=*/false),
      "load_state_dict: names must differ, got \"last.bias\" twice; nothing was loaded", Error);
}

TEST_CASE("load_state_dict that is not strict passes over names and says which") {
  Net net;
  const Skipped skipped =
      net.load_state_dict({{"last.bias", full({1}, 7.)}, {"extra", ones({1})}}, /*strict=*/false);
  CHECK(difference(net.last.bias, full({1}, 7.)) == "");
  CHECK(skipped.missing ==
        std::vector<std::string>{"count", "first.weight", "first.bias", "last.weight"});
  CHECK(skipped.unexpected == std::vector<std::string>{"extra"});
}

TEST_CASE("loading one's own state changes nothing, and loading keeps ties") {
  Net net(2);
  net.load_state_dict(net.state_dict());
  struct Tied : Layer<Tied> {
    Tied() : a(ones({2})), b(a) { add("a", a), add("b", b); }
    Tensor forward(const Tensor& x) { return x * a * b; }
    Parameter a, b;
  } one, two;
  core::fill_(one.a.impl()->array, 5);
  two.load_state_dict(one.state_dict());
  CHECK(two.a.impl() == two.b.impl());
  CHECK(difference(two.b, full({2}, 5.)) == "");
}

TEST_CASE("copy_from copies parameters and all buffers from a module of another dtype") {
  Net a, b;
  a.scratch.fill_(3);
  b.to(Float64).train(false);
  b.copy_from(a);
  CHECK(difference(b.scratch, full({2}, 3, Float64)) == "");
  CHECK(difference(b.first.bias, to(a.first.bias, Float64)) == "");
  CHECK_FALSE(b.is_training());
  CHECK_THROWS_WITH_AS(
      b.copy_from(Net(4)),
      "copy_from: the names and shapes must be those of this Net; of another shape: "
      "first.weight (3, 2) from (4, 2), first.bias (3) from (4), last.weight (1, 3) "
      "from (1, 4); nothing was loaded",
      Error);
}

TEST_CASE("shapes that do not fit are told whatever the global locale") {
  Linear layer(1, 1, false);
  const CommaLocale comma;
  CHECK_THROWS_WITH_AS(layer.load_state_dict({{"weight", ones({1, 1234})}}),
                       "load_state_dict: the names and shapes must be those of this Linear; of "
                       "another shape: weight (1, 1) from (1, 1234); nothing was loaded",
                       Error);
}

TEST_CASE("of many names that do not fit, the first are said and the rest are counted") {
  Net net;
  StateDict state = net.state_dict();
  for (int i = 10; i < 22; ++i) state.emplace_back(core::to_text("x", i), zeros({1}));
  CHECK_THROWS_WITH_AS(net.load_state_dict(state),
                       "load_state_dict: the names and shapes must be those of this Net; "
                       "unexpected: x10, x11, x12, x13, x14, x15, x16, x17, and 4 more; nothing "
                       "was loaded",
                       Error);
}
