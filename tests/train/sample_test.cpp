#include <doctest/doctest.h>
#include <tapehead/train/sample.h>

#include <algorithm>
#include <cmath>

using namespace tapehead;
using namespace tapehead::train;
using Tokens = std::vector<Index>;

namespace {

struct Model : SequenceModel {
  Model()
      : SequenceModel({.vocabulary = 4, .context = 6, .d_model = 8, .heads = 2, .causal = true}) {}
  // The same logits at each position, whatever was read.
  void always(const std::vector<double>& logits) {
    const NoGradGuard no_grad;
    head.weight.zero_();
    head.bias.copy_(tensor(logits, {4}));
  }
};

}  // namespace

TEST_CASE("sampling goes on from a prompt, the same for the same generator") {
  manual_seed(0);
  Model model;
  core::Generator a(1), b(1), c(2);
  const Tokens first = sample(model, {1, 2}, 40, a);
  CHECK(first.size() == 40);
  CHECK(sample(model, {1, 2}, 40, b) == first);
  CHECK(sample(model, {1, 2}, 40, c) != first);
}

TEST_CASE("each token follows from as many of those before it as the model reads") {
  manual_seed(1);
  Model model;
  core::Generator random(0);
  Tokens text{1, 2};
  for (int i = 0; i < 10; ++i) {
    const auto T = std::min<std::ptrdiff_t>(std::ssize(text), 6);
    const Tensor logits = model(tensor(Tokens(text.end() - T, text.end()), {1, T}));
    text.push_back(argmax(logits.select(0, 0).select(0, T - 1)).item<Index>());
  }
  CHECK(sample(model, {1, 2}, 10, random, 0) == Tokens(text.begin() + 2, text.end()));
}

TEST_CASE("sampling drops nothing and leaves the model training") {
  manual_seed(1);
  SequenceModel model(
      {.vocabulary = 9, .context = 6, .d_model = 8, .heads = 2, .dropout = 0.9, .causal = true});
  core::Generator random(0);
  const Tokens first = sample(model, {1}, 30, random, 0);
  CHECK(sample(model, {1}, 30, random, 0) == first);
  CHECK(model.is_training());
}

TEST_CASE("tokens are drawn with the probabilities of the softmax") {
  Model model;
  model.always({std::log(0.1), std::log(0.6), -1e9, std::log(0.3)});
  core::Generator random(0);
  const Tokens text = sample(model, {0}, 2000, random);
  const auto part = [&](Index token) {
    return static_cast<double>(std::count(text.begin(), text.end(), token)) / 2000;
  };
  CHECK(part(0) == doctest::Approx(0.1).epsilon(0.25));
  CHECK(part(1) == doctest::Approx(0.6).epsilon(0.06));
  CHECK(part(2) == 0);
}

TEST_CASE("a lower temperature prefers likely tokens, and 0 takes the likeliest") {
  Model model;
  model.always({0, 1, 0, 0});
  core::Generator random(0);
  CHECK(sample(model, {0}, 20, random, 0) == Tokens(20, 1));
  const Tokens cold = sample(model, {0}, 500, random, 0.25);
  CHECK(std::count(cold.begin(), cold.end(), 1) > 450);
}

TEST_CASE("logits in the thousands do not overflow") {
  Model model;
  model.always({0, 0, 5000, 0});
  core::Generator random(0);
  CHECK(sample(model, {1}, 5, random, 0.01) == Tokens(5, 2));
  CHECK(sample(model, {1}, 5, random, 1e-306) == Tokens(5, 2));
}

TEST_CASE("sampling needs a causal model, a prompt and a temperature") {
  Model model;
  core::Generator random(0);
  CHECK_THROWS_WITH_AS(sample(model, {}, 5, random),
                       "sample: expected a causal model, a prompt and a temperature of at least 0, "
                       "got a causal model, 0 tokens and 1; start with one token, at temperature 1",
                       Error);
  CHECK_THROWS_AS(sample(model, {1}, 5, random, -1), Error);
  SequenceModel open({.vocabulary = 4, .context = 6});
  CHECK_THROWS_AS(sample(open, {1}, 5, random), Error);
}
