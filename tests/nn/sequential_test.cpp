#include <doctest/doctest.h>
#include <tapehead/nn/activations.h>
#include <tapehead/nn/linear.h>
#include <tapehead/nn/sequential.h>

#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::nn;

TEST_CASE("a sequential feeds each module with what the one before made") {
  Sequential net;
  Linear& first = net.emplace_back<Linear>(4, 6);
  net.emplace_back<ReLU>();
  Linear& last = net.emplace_back<Linear>(6, 3, /*bias=*/false);
  CHECK(net.size() == 3);
  const Tensor x = testing::noise({2, 4}, 1, Float32);
  CHECK(testing::difference(net(x), last(relu(first(x)))) == "");
  std::vector<std::string> names;
  for (const auto& [name, tensor] : net.named_parameters()) names.push_back(name);
  CHECK(names == std::vector<std::string>{"0.weight", "0.bias", "2.weight"});
}

TEST_CASE("an empty sequential gives back what it gets") {
  const Tensor x = ones({2});
  CHECK(Sequential()(x).impl() == x.impl());
}

TEST_CASE("a module that a sequential cannot name is not appended") {
  struct Taken : Sequential {
    Taken() { register_buffer("1", table); }
    Tensor table = ones({1});
  } net;
  net.emplace_back<Linear>(2, 2);
  CHECK_THROWS_WITH_AS(net.emplace_back<Linear>(2, 3),
                       "add: Taken has two members named \"1\"; rename one of them", Error);
  CHECK(net.size() == 1);
  CHECK(net(ones({1, 2})).shape() == Shape{1, 2});
  CHECK(net.parameters().size() == 2);
}

TEST_CASE("a sequential may hold a sequential") {
  Sequential net;
  Sequential& inner = net.emplace_back<Sequential>();
  inner.emplace_back<Linear>(2, 2);
  CHECK(net(ones({1, 2})).shape() == Shape{1, 2});
  CHECK(net.named_parameters()[0].first == "0.0.weight");
}
