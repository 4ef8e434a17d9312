#include <doctest/doctest.h>
#include <tapehead/nn/embedding.h>
#include <tapehead/nn/encoder_block.h>
#include <tapehead/nn/module_list.h>
#include <tapehead/nn/rms_norm.h>
#include <tapehead/nn/sequential.h>

#include <regex>
#include <sstream>

#include "goldens.h"

using namespace tapehead;
using namespace tapehead::nn;

namespace {

std::string without_counts(const std::string& text) {
  return std::regex_replace(text, std::regex("  # [0-9]+ parameters?"), "");
}

struct Net : Layer<Net> {
  Net() {
    for (int i = 0; i < 2; ++i) layers.emplace_back(3, 1);
    add("layers", layers);
    add("norm", norm);
  }
  Tensor forward(const Tensor& x) { return norm(x); }

  ModuleList<Linear> layers;
  RMSNorm norm{4};
};

// All that it is, is a Net.
struct Shell : Layer<Shell> {
  Shell() { add_as_self(net); }
  Tensor forward(const Tensor& x) { return net(x); }

  Net net;
};

}  // namespace

TEST_CASE("a module prints what PyTorch prints, and how many parameters it has") {
  Sequential net, inner;
  net.emplace_back<Linear>(4, 3);
  net.emplace_back<ReLU>();
  net.emplace_back<GELU>("tanh");
  net.emplace_back<Linear>(3, 4, false);
  auto& nested = net.emplace_back<Sequential>();
  nested.emplace_back<LayerNorm>(4);
  nested.emplace_back<Dropout>(0.0);
  nested.emplace_back<Dropout>(0.1);
  net.emplace_back<Embedding>(5, 2);
  net.emplace_back<LayerNorm>(Shape{2, 3}, 1e-6, false);
  CHECK(without_counts(to_string(net)) ==
        testing::goldens("layers").at("printed").get<std::string>());
  CHECK(to_string(net).substr(0, 34) == "Sequential(  # 45 parameters\n  (0)");
}

TEST_CASE("each line counts its own parameters") {
  const Net net;
  const std::string want =
      "Net(  # 12 parameters\n"
      "  (layers): ModuleList(  # 8 parameters\n"
      "    (0): Linear(in_features=3, out_features=1, bias=True)  # 4 parameters\n"
      "    (1): Linear(in_features=3, out_features=1, bias=True)  # 4 parameters\n"
      "  )\n"
      "  (norm): RMSNorm((4,), eps=None, elementwise_affine=True)  # 4 parameters\n"
      ")";
  CHECK(to_string(net) == want);
  std::ostringstream out;
  out << net;
  CHECK(out.str() == want);
}

TEST_CASE("a module that is all of another has its names and prints as it does") {
  Shell shell;
  CHECK(to_string(shell) == to_string(shell.net));
  CHECK(shell.state_dict().size() == 5);
  CHECK(shell.state_dict()[0].first == "layers.0.weight");
  shell.eval();
  CHECK_FALSE(shell.net.layers[1].is_training());
  CHECK(shell(testing::noise({2, 4}, 1, Float32)).shape() == Shape{2, 4});
}
