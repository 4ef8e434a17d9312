#include <doctest/doctest.h>
#include <tapehead/nn/dropout.h>
#include <tapehead/nn/linear.h>
#include <tapehead/nn/module.h>
#include <tapehead/nn/module_list.h>
#include <tapehead/nn/sequential.h>

#include <deque>
#include <memory>
#include <optional>
#include <thread>

#include "../support/comma_locale.h"
#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::nn;

namespace {

std::vector<std::string> names(const NamedTensors& tensors) {
  std::vector<std::string> result;
  for (const auto& [name, tensor] : tensors) result.push_back(name);
  return result;
}
using Names = std::vector<std::string>;

struct Leaf : Layer<Leaf> {
  explicit Leaf(Index n = 2) : scale(ones({n})), offset(zeros({n})) {
    add("scale", scale);
    register_buffer("offset", offset);
  }
  Tensor forward(const Tensor& x) { return x * scale + offset; }
  Parameter scale;
  Tensor offset;
};

struct Pair : Layer<Pair> {
  Pair() : bias(zeros({2})) {
    add("bias", bias);
    add("left", left);
    add("right", right);
  }
  Tensor forward(const Tensor& x, const Tensor& y = {}) {
    const Tensor l = left(x), r = right(y.defined() ? y : x);
    return l + r + bias;
  }
  Leaf left, right;
  Parameter bias;
};

struct ForgotModule : Layer<ForgotModule> {
  Tensor forward(const Tensor& x) { return inner(x); }
  Linear inner{2, 2};
};
struct ForgotParameter : Layer<ForgotParameter> {
  explicit ForgotParameter(Index rows = 2) : weight(ones({rows, 3})) {}
  Tensor forward(const Tensor& x) { return x * weight; }
  Parameter weight;
};
struct ForgotInOptional : Layer<ForgotInOptional> {
  ForgotInOptional() { inner.emplace(2, 2); }
  Tensor forward(const Tensor& x) { return x; }
  std::optional<Linear> inner;
};
struct AroundForgetful : Layer<AroundForgetful> {
  AroundForgetful() { add("inner", inner); }
  Tensor forward(const Tensor& x) { return inner(x); }
  ForgotModule inner;
};
struct Named : Layer<Named> {
  explicit Named(const std::string& name) { add(name, inner); }
  Tensor forward(const Tensor& x) { return inner(x); }
  Leaf inner;
};
struct Shared : Layer<Shared> {
  Shared() { add("a", leaf), add("b", leaf); }
  Tensor forward(const Tensor& x) { return leaf(leaf(x)); }
  Leaf leaf;
};

const char* const forgot_module =
    "ForgotModule: its member of type Linear is not registered; call add(\"name\", member) in the "
    "constructor";

}  // namespace

TEST_CASE(
    "parameters and buffers are listed with their path, a module's own before its children's") {
  Pair pair;
  CHECK(names(pair.named_parameters()) == Names{"bias", "left.scale", "right.scale"});
  CHECK(names(pair.named_buffers()) == Names{"left.offset", "right.offset"});
  CHECK(pair.parameters().size() == 3);
  CHECK(pair.num_parameters() == 6);
}

TEST_CASE("modules are listed with their path, parents first") {
  Pair pair;
  const auto modules = pair.named_modules();
  REQUIRE(modules.size() == 3);
  CHECK(modules[0] == std::pair<std::string, Module*>("", &pair));
  CHECK(modules[1] == std::pair<std::string, Module*>("left", &pair.left));
  CHECK(modules[2].first == "right");
  CHECK(std::as_const(pair).named_modules().size() == 3);
}

TEST_CASE("a module that is registered twice is listed once, its state under both names") {
  Shared shared;
  CHECK(shared.named_modules().size() == 2);
  CHECK(names(shared.named_parameters()) == Names{"a.scale"});
  CHECK(names(shared.state_dict()) == Names{"a.scale", "a.offset", "b.scale", "b.offset"});
}

TEST_CASE(
    "a tied parameter is listed once, under its first name, and has both names in the state") {
  Pair pair;
  pair.right.scale = pair.left.scale;
  CHECK(names(pair.named_parameters()) == Names{"bias", "left.scale"});
  CHECK(pair.num_parameters() == 4);
  CHECK(names(pair.state_dict()) ==
        Names{"bias", "left.scale", "left.offset", "right.scale", "right.offset"});
  pair(ones({2})).sum().backward();
  CHECK(testing::difference(pair.right.scale.grad(), full({2}, 2.)) == "");
}

TEST_CASE("calling a module forwards arguments of any number, with forward's defaults") {
  Pair pair;
  CHECK(testing::difference(pair(ones({2})), full({2}, 2.)) == "");
  CHECK(testing::difference(pair(ones({2}), zeros({2})), ones({2})) == "");
}

TEST_CASE("an error within modules says in which, once, by its full path") {
  struct Outer : Layer<Outer> {
    Outer() {
      blocks.emplace_back();
      blocks.emplace_back();
      add("blocks", blocks);
    }
    Tensor forward(const Tensor& x) { return blocks[1](x); }
    ModuleList<Pair> blocks;
  } outer;
  CHECK_THROWS_WITH_AS(
      outer(ones({3})),
      "mul: shapes (3) and (2) do not broadcast: 3 against 2 in dimension -1; sizes "
      "must be equal, or one of them 1 (in blocks.1.left)",
      ShapeError);
  CHECK(module_path().empty());
}

TEST_CASE("an error in a module that was registered twice names the first of its names") {
  Shared shared;
  CHECK_THROWS_WITH_AS(
      shared(ones({3})),
      "mul: shapes (3) and (2) do not broadcast: 3 against 2 in dimension -1; sizes must be equal, "
      "or one of them 1 (in a)",
      ShapeError);
}

TEST_CASE("an error in the outermost module itself has no path to name") {
  Leaf leaf;
  CHECK_THROWS_WITH_AS(
      leaf(ones({3})),
      "mul: shapes (3) and (2) do not broadcast: 3 against 2 in dimension -1; sizes "
      "must be equal, or one of them 1",
      ShapeError);
}

TEST_CASE("a member module that was not registered is an error at the first call and in listings") {
  ForgotModule module;
  CHECK_THROWS_WITH_AS(module(ones({2})), forgot_module, Error);
  CHECK_THROWS_WITH_AS(module.parameters(), forgot_module, Error);
  CHECK_THROWS_WITH_AS(module.state_dict(), forgot_module, Error);
  ForgotInOptional optional;
  CHECK_THROWS_WITH_AS(optional(ones({2})),
                       "ForgotInOptional: its member of type Linear is not registered; call "
                       "add(\"name\", member) in the constructor",
                       Error);
}

TEST_CASE("a member parameter that was not registered is an error at the first call") {
  ForgotParameter module;
  CHECK_THROWS_WITH_AS(module(ones({2, 3})),
                       "ForgotParameter: its parameter of shape (2, 3) is not registered; call "
                       "add(\"name\", member) in the constructor",
                       Error);
}

TEST_CASE("the shape of a forgotten parameter does not follow the global locale") {
  const ForgotParameter module(1234);
  const CommaLocale comma;
  CHECK_THROWS_WITH_AS(module.parameters(),
                       "ForgotParameter: its parameter of shape (1234, 3) is not registered; call "
                       "add(\"name\", member) in the constructor",
                       Error);
}

TEST_CASE("a forgotten member further down is blamed on the module that forgot it") {
  AroundForgetful module;
  CHECK_THROWS_WITH_AS(module(ones({2})), forgot_module, Error);
}

TEST_CASE("modules on the heap, side by side and on other threads are not taken for members") {
  auto module = std::make_unique<Dropout>();
  const Parameter lonely{ones({2})};
  std::thread([&] {
    CHECK((*module)(ones({1, 2})).shape() == Shape{1, 2});
    module.reset();
  }).join();
  std::vector<std::unique_ptr<Leaf>> leaves;
  for (int i = 0; i < 100; ++i) leaves.push_back(std::make_unique<Leaf>());
  for (auto& leaf : leaves) CHECK((*leaf)(ones({2})).shape() == Shape{2});
}

TEST_CASE("a parameter without a value is registered like any other, and listed once it has one") {
  struct Lazy : Layer<Lazy> {
    Lazy() { add("scale", scale); }
    Tensor forward(const Tensor& x) {
      if (!scale.defined()) scale = Parameter(ones(x.shape()));
      return x * scale;
    }
    Parameter scale;
  } lazy;
  CHECK(names(lazy.named_parameters()).empty());
  CHECK(lazy.state_dict().empty());
  lazy(ones({3}));
  CHECK(names(lazy.named_parameters()) == Names{"scale"});
  Linear linear(2, 3, /*bias=*/false);
  CHECK(linear(ones({1, 2})).shape() == Shape{1, 3});
  CHECK(names(linear.named_parameters()) == Names{"weight"});
}

TEST_CASE("a parameter that is to get its value later, and was not registered, is an error") {
  struct ForgotLazy : Layer<ForgotLazy> {
    Tensor forward(const Tensor& x) { return x; }
    Parameter scale;
  } module;
  CHECK_THROWS_WITH_AS(module(ones({2})),
                       "ForgotLazy: its parameter without a value is not registered; call "
                       "add(\"name\", member) in the constructor",
                       Error);
}

TEST_CASE("what a member points to is not looked for") {
  struct Pointing : Layer<Pointing> {
    Tensor forward(const Tensor& x) { return (*inner)(x); }
    std::unique_ptr<Linear> inner = std::make_unique<Linear>(2, 2);
  } module;
  CHECK(module(ones({1, 2})).shape() == Shape{1, 2});
  CHECK(module.parameters().empty());
}

TEST_CASE("names are unique, not empty and without dots") {
  CHECK_THROWS_WITH_AS(
      Named(""), "add: a name must not be empty or have a dot in it, got \"\" in Named", Error);
  CHECK_THROWS_WITH_AS(Named("a.b"),
                       "add: a name must not be empty or have a dot in it, got \"a.b\" in Named",
                       Error);
  struct Twice : Layer<Twice> {
    Twice() : weight(ones({1})), table(ones({1})) {
      add("x", weight);
      register_buffer("x", table);
    }
    Tensor forward(const Tensor& x) { return x; }
    Parameter weight;
    Tensor table;
  };
  CHECK_THROWS_WITH_AS(Twice(), "add: Twice has two members named \"x\"; rename one of them",
                       Error);
  struct Children : Layer<Children> {
    Children() { add("x", left), add("x", right); }
    Tensor forward(const Tensor& x) { return x; }
    Leaf left, right;
  };
  CHECK_THROWS_WITH_AS(Children(), "add: Children has two members named \"x\"; rename one of them",
                       Error);
}

TEST_CASE("a module cannot be its own child") {
  struct Knot : Layer<Knot> {
    Knot() { add("self", *this); }
    Tensor forward(const Tensor& x) { return x; }
  };
  CHECK_THROWS_WITH_AS(
      Knot(),
      "add: \"self\" contains the Knot that it is to be part of; a module can't be its own "
      "child",
      Error);
}

TEST_CASE("train and eval reach every module") {
  Pair pair;
  const auto all = [&](bool training) {
    for (const auto& [name, module] : pair.named_modules())
      if (module->is_training() != training) return false;
    return true;
  };
  CHECK(all(true));
  CHECK(&pair.eval() == &pair);
  CHECK(all(false));
  pair.train();
  CHECK(all(true));
}

TEST_CASE("apply visits children before their parent") {
  Pair pair;
  std::vector<Module*> seen;
  pair.apply([&](Module& module) { seen.push_back(&module); });
  CHECK(seen == std::vector<Module*>{&pair.left, &pair.right, &pair});
}

TEST_CASE(
    "to converts parameters, gradients and buffers in place, ties and other handles included") {
  Pair pair;
  pair.right.scale = pair.left.scale;
  const Tensor held = pair.left.scale;
  pair(ones({2})).sum().backward();
  CHECK(&pair.to(Float64) == &pair);
  CHECK(held.dtype() == Float64);
  CHECK(held.grad().dtype() == Float64);
  CHECK(testing::difference(held.grad(), full({2}, 2, Float64)) == "");
  CHECK(pair.left.offset.dtype() == Float64);
  CHECK(pair.right.scale.impl() == held.impl());
  CHECK(pair.bias.is_leaf());
  pair(ones({2}, Float64)).sum().backward();
  CHECK(testing::difference(held.grad(), full({2}, 4, Float64)) == "");
}

TEST_CASE("to leaves frozen parameters frozen and whole-number buffers alone") {
  struct Counter : Layer<Counter> {
    Counter() : weight(ones({1})), count(zeros({1}, Int64)) {
      add("weight", weight);
      register_buffer("count", count);
    }
    Tensor forward(const Tensor& x) { return x; }
    Parameter weight;
    Tensor count;
  } counter;
  counter.requires_grad_(false).to(Float64);
  CHECK(counter.count.dtype() == Int64);
  CHECK(counter.weight.dtype() == Float64);
  CHECK_FALSE(counter.weight.requires_grad());
}

TEST_CASE("to converts nothing where one buffer cannot be converted") {
  Pair pair;
  pair(ones({2})).sum().backward();
  pair.right.offset = pair.bias * 2;
  CHECK_THROWS_WITH_AS(
      pair.to(Float64),
      "to: \"right.offset\" is the result of mul and has a history that belongs to "
      "its value; use detach() first",
      GraphError);
  for (const auto& entry : pair.state_dict()) CHECK(entry.second.dtype() == Float32);
  for (const Tensor& parameter : pair.parameters()) CHECK(parameter.grad().dtype() == Float32);
}

TEST_CASE("a module is of floats only") {
  Leaf leaf;
  CHECK_THROWS_WITH_AS(leaf.to(Int64), "to: a module computes in Float32 or Float64, got Int64",
                       DTypeError);
}

TEST_CASE("zero_grad forgets every gradient") {
  Pair pair;
  pair(ones({2})).sum().backward();
  for (const Tensor& p : pair.parameters()) CHECK(p.grad().defined());
  pair.zero_grad();
  for (const Tensor& p : pair.parameters()) CHECK_FALSE(p.grad().defined());
}

TEST_CASE("requires_grad_ freezes all parameters and has them learn again") {
  Pair pair;
  CHECK(&pair.requires_grad_(false) == &pair);
  CHECK_FALSE(pair(ones({2})).requires_grad());
  pair.requires_grad_();
  CHECK(pair(ones({2})).requires_grad());
}

TEST_CASE("a module knows the name of its type without namespaces") {
  CHECK(Linear(1, 1).type_name() == "Linear");
  CHECK(ModuleList<Linear>().type_name() == "ModuleList<Linear>");
}

TEST_CASE("adopting walks what a module holds once, however deep it is or often shared") {
  struct Nest : Layer<Nest> {
    using Layer::add;
    void forward() {}
  };
  std::deque<Nest> nests(24);  // each holds the next twice: 2^24 paths
  for (std::size_t i = nests.size() - 1; i-- > 0;)
    for (const char* const name : {"a", "b"}) nests[i].add(name, nests[i + 1]);
  CHECK_THROWS_WITH_AS(nests.back().add("first", nests.front()),
                       "add: \"first\" contains the Nest that it is to be part of; a module can't "
                       "be its own child",
                       Error);
}
