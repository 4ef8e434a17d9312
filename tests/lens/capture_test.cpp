#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/lens/capture.h>
#include <tapehead/nn/encoder_block.h>
#include <tapehead/nn/linear.h>
#include <tapehead/nn/module_list.h>

#include <thread>

#include "../support/compare.h"

using namespace tapehead;
using lens::Capture;
using lens::History;
using testing::difference;

namespace {

using Paths = std::vector<std::string>;

struct Model : nn::Layer<Model> {
  Model() : head(8, 2) {
    for (int i = 0; i < 2; ++i) blocks.emplace_back(8, 2, 16, 0.0);
    add("blocks", blocks), add("head", head);
  }
  Tensor forward(const Tensor& x) {
    Tensor y = x;
    for (nn::EncoderBlock& block : blocks) y = block(y);
    return head(y);
  }
  nn::ModuleList<nn::EncoderBlock> blocks;
  nn::Linear head;
};

struct Silent : nn::Layer<Silent> {
  void forward(const Tensor&) {}
};

}  // namespace

TEST_CASE("every module's output is captured under its path") {
  Model model;
  const Tensor x = randn({1, 3, 8});
  Capture capture;
  const Tensor y = model(x);
  CHECK(difference(capture[""], y.detach()) == "");
  const Tensor normed = capture["blocks.1.norm1"], query = capture["blocks.1.attn.W_q"],
               key = capture["blocks.1.attn.W_k"];
  CHECK(difference(query, linear(normed, model.blocks[1].attn.W_q.weight.detach(),
                                 model.blocks[1].attn.W_q.bias.detach())) == "");
  CHECK(difference(query, key) != "");
  CHECK(capture.paths().size() == 1 + 1 + 2 * (1 + 2 + 1 + 2 + 4 + 1 + 3) - 2 + 2);
  CHECK(capture.paths().front() == "blocks.0.norm1");
  CHECK(capture.paths().back() == "");
}

TEST_CASE("only the modules that were asked for are captured") {
  Model model;
  Capture capture({"head", "blocks.0.attn"});
  model(randn({1, 3, 8}));
  CHECK(capture.paths() == Paths{"blocks.0.attn", "head"});
}

TEST_CASE("several calls of one module are kept in their order, until cleared") {
  nn::Linear linear(2, 2);
  const Tensor a = randn({1, 2}), b = randn({3, 2});
  Capture capture;
  const Tensor first = linear(a), second = linear(b);
  CHECK(capture.calls("").size() == 2);
  CHECK(difference(capture.calls("")[0][0], first.detach()) == "");
  CHECK(difference(capture.calls("")[1][0], second.detach()) == "");
  CHECK(difference(capture[""], second.detach()) == "");
  capture.clear();
  CHECK(capture.paths().empty());
}

TEST_CASE("a detached capture has no history and is not changed in place with the output") {
  nn::Linear linear(2, 2);
  Capture capture;
  Tensor y = linear(randn({1, 2}));
  const Tensor before = y.detach().clone();
  y.mul_(3);
  CHECK_FALSE(capture[""].requires_grad());
  CHECK(difference(capture[""], before) == "");
}

TEST_CASE("a capture with history can be asked for gradients") {
  nn::Linear linear(2, 2);
  Capture capture({}, History::Kept);
  const Tensor loss = sum(linear(randn({1, 2})) * 3);
  Tensor output = capture[""];
  output.retain_grad();
  loss.backward();
  CHECK(difference(output.grad(), full({1, 2}, 3.0)) == "");
  capture.clear();
}

TEST_CASE("what is not there is an error that says what is") {
  Silent silent;
  Capture capture;
  CHECK_THROWS_WITH_AS(capture["head"],
                       "Capture: no module at \"head\" was called and captured; none was", Error);
  silent(ones({1}));
  CHECK_THROWS_WITH_AS(capture["head"],
                       "Capture: no module at \"head\" was called and captured; \"\" were", Error);
  CHECK_THROWS_WITH_AS(capture[""],
                       "Capture: the latest call of \"\" returned no tensor, nor a vector, array, "
                       "pair or tuple of any",
                       Error);
}

TEST_CASE("a capture hears its own thread alone, and leaves no tensor behind") {
  const auto tensors = live_tensors();
  {
    nn::Linear linear(2, 2);
    Capture capture;
    std::thread([&] { linear(ones({1, 2})); }).join();
    CHECK(capture.paths().empty());
    linear(ones({1, 2}));
    CHECK(capture.paths() == Paths{""});
  }
  CHECK(live_tensors() == tensors);
}
