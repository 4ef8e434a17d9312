#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/linear.h>
#include <tapehead/nn/module_list.h>

using namespace tapehead;
using namespace tapehead::nn;

namespace {

struct Stack : Layer<Stack> {
  Stack() { add("layers", layers); }
  Tensor forward(const Tensor& x) {
    Tensor y = x;
    for (Linear& layer : layers) y = layer(y);
    return y;
  }
  ModuleList<Linear> layers;
};

}  // namespace

TEST_CASE("a module list makes its modules in place and names them by number") {
  Stack stack;
  Linear& first = stack.layers.emplace_back(2, 3);
  for (int i = 0; i < 100; ++i) stack.layers.emplace_back(3, 3);
  CHECK(&first == &stack.layers[0]);
  CHECK(stack.layers.size() == 101);
  CHECK(stack.named_parameters()[3].first == "layers.1.bias");
  CHECK(stack(ones({4, 2})).shape() == Shape{4, 3});
}

TEST_CASE("errors in a list's module name the list, whenever it was registered") {
  Stack stack;
  stack.layers.emplace_back(2, 3);
  stack.layers.emplace_back(2, 3);
  std::string message;
  try {
    stack(ones({1, 2}));
  } catch (const Error& error) {
    message = error.what();
  }
  CHECK(message.find(" (in layers.1)") != std::string::npos);
}

TEST_CASE("train reaches modules that a list got later") {
  Stack stack;
  stack.layers.emplace_back(2, 2);
  stack.eval();
  CHECK_FALSE(stack.layers[0].is_training());
}

TEST_CASE("a module that a list cannot name is not appended") {
  struct Taken : ModuleList<Linear> {
    Taken() { register_buffer("1", table); }
    Tensor table = ones({1});
  } layers;
  layers.emplace_back(2, 2);
  CHECK_THROWS_WITH_AS(layers.emplace_back(2, 3),
                       "add: Taken has two members named \"1\"; rename one of them", Error);
  CHECK(layers.size() == 1);
  CHECK(layers.parameters().size() == 2);
}

TEST_CASE("a module list refuses an index past its end") {
  Stack stack;
  CHECK_THROWS_WITH_AS(stack.layers[0], "ModuleList: index 0 is out of range for 0 modules", Error);
}
