#include <doctest/doctest.h>
#include <tapehead/nn/init.h>
#include <tapehead/train/evaluate.h>
#include <tapehead/train/generate.h>

#include <algorithm>
#include <cmath>

#include "../support/cases.h"

using namespace tapehead;
using namespace tapehead::train;
using testing::difference;
using testing::this_case;
using Tokens = std::vector<Index>;

namespace {

// Calls f with a small Float64 model of each kind that writes, whose context is 6 tokens.
template <class F>
void each_writer(const F& f) {
  const auto run = [&](const char* name, auto& model) {
    CAPTURE(name);
    model.to(Float64);
    f(model);
  };
  for (const nn::Positions positions : {nn::Positions::Sinusoidal, nn::Positions::Learned,
                                        nn::Positions::Rotary, nn::Positions::ALiBi}) {
    manual_seed(5);
    nn::DecoderOnly model({.vocabulary = 9,
                           .context = 6,
                           .d_model = 12,
                           .heads = 3,
                           .layers = 2,
                           .d_ff = 16,
                           .positions = positions});
    nn::init::normal_(model.head.weight);
    run("DecoderOnly", model);
  }
  manual_seed(6);
  nn::GPT gpt({.vocabulary = 9, .context = 6, .d_model = 12, .heads = 3, .layers = 2});
  nn::init::normal_(gpt.lm_head.weight);
  run("GPT", gpt);
  nn::Llama llama({.vocabulary = 9,
                   .context = 6,
                   .d_model = 12,
                   .heads = 3,
                   .kv_heads = 1,
                   .layers = 2,
                   .d_ff = 16});
  nn::init::normal_(llama.output.weight);
  run("Llama", llama);
  SequenceModel model(
      {.vocabulary = 9, .context = 6, .d_model = 12, .layers = 2, .arch = Arch::decoder});
  nn::init::normal_(model.as<nn::DecoderOnly>()->head.weight);
  run("SequenceModel", model);
}

// The likeliest next tokens, from the whole of what the model can read, without a cache.
template <class Model>
Tokens by_full_forward(Model& model, Tokens text, Index count) {
  const NoGradGuard no_grad;
  for (Index i = 0; i < count; ++i) {
    const auto T = std::min<std::ptrdiff_t>(std::ssize(text), model.options.context);
    const Tensor logits = model(tensor(Tokens(text.end() - T, text.end()), {1, T}));
    text.push_back(argmax(logits.select(0, 0).select(0, T - 1)).template item<Index>());
  }
  return text;
}

// A module that gives the same logits at each position, whatever it reads.
struct Constant : nn::Layer<Constant> {
  struct Options {
    Index context = 4;
  };
  explicit Constant(const Tensor& given) : logits(given) {}
  Tensor forward(const Tensor& tokens, nn::KVCache* cache) {
    cache->advance(tokens.size(1));
    read.push_back(tokens);
    return logits.expand({tokens.size(0), tokens.size(1), logits.size(0)});
  }

  const Options options;
  Tensor logits;
  std::vector<Tensor> read;
};

}  // namespace

TEST_CASE("with a cache every model writes what its full forward says, also past its context") {
  each_writer([](auto& model) {
    for (const Tokens& prompt :
         {Tokens{3}, Tokens{1, 2, 3}, Tokens{8, 7, 6, 5, 4, 3}, Tokens{1, 2, 3, 4, 5, 6, 7, 8}}) {
      const Tokens want = by_full_forward(model, prompt, 14);
      CHECK(generate(model, prompt, {.tokens = 14, .temperature = 0}) == want);
    }
  });
}

TEST_CASE("a batch of prompts of different lengths is written as each of them alone") {
  each_writer([](auto& model) {
    const std::vector<Tokens> prompts{{3}, {1, 2, 3, 4, 5}, {8, 7, 6}, {1, 2, 3, 4, 5, 6, 7, 8}};
    for (const double temperature : {0.0, 1.0}) {
      GenerateOptions options{.tokens = 12, .temperature = temperature, .seed = 40};
      const std::vector<Tokens> texts = generate_batch(model, prompts, options);
      for (std::size_t i = 0; i < prompts.size(); ++i) {
        options.seed = 40 + i;
        CHECK(texts[i] == generate(model, prompts[i], options));
      }
    }
  });
}

TEST_CASE("an encoder-decoder writes what train::answer says, from where it is asked") {
  manual_seed(3);
  SequenceModel model({.vocabulary = 9,
                       .context = 6,
                       .d_model = 12,
                       .heads = 3,
                       .layers = 2,
                       .d_ff = 16,
                       .dropout = 0.3,
                       .arch = Arch::encdec});
  nn::Transformer& transformer = *model.as<nn::Transformer>();
  nn::init::normal_(transformer.head.weight);
  const std::vector<Tokens> sources{{1, 2, 3, 4, 5, 6}, {8, 0, 8, 0, 7, 7}, {5, 5, 5, 5, 5, 5}};
  for (const Index first : {0, 2, 5}) {
    CAPTURE(first);
    for (const Tokens& source : sources) {
      Tensor targets = zeros({1, 6}, Int64);
      targets.narrow(1, 0, first).fill_(data::no_target);
      const Tensor wanted = answer(model, {tensor(source, {1, 6}), targets}).select(0, 0);
      const Tokens got = generate(transformer, source, {.temperature = 0}, {}, first);
      CHECK(equal(tensor(got, {6 - first}), wanted.narrow(0, first, 6 - first)));
    }
  }
  CHECK(transformer.is_training());
  const Tokens all = generate(transformer, sources[0], {.temperature = 0});
  CHECK(generate(transformer, sources[0], {.tokens = 2, .temperature = 0}) ==
        Tokens(all.begin(), all.begin() + 2));
  Tokens seen;
  const auto stop = [&](Index token) { return seen.push_back(token), seen.size() < 3; };
  CHECK(generate(transformer, sources[0], {.temperature = 0}, stop).size() == 3);
  CHECK(seen == Tokens(all.begin(), all.begin() + 3));
  const GenerateOptions drawn{.temperature = 2, .seed = 4};
  CHECK(generate(transformer, sources[0], drawn) == generate(transformer, sources[0], drawn));
  CHECK(generate(transformer, sources[0], drawn) != all);
}

TEST_CASE("an encoder-decoder refuses what it cannot answer") {
  nn::Transformer model({.source_vocabulary = 9,
                         .target_vocabulary = 9,
                         .context = 6,
                         .d_model = 12,
                         .heads = 3,
                         .layers = 1,
                         .d_ff = 16});
  CHECK_THROWS_WITH_AS(generate(model, {}),
                       "generate: expected a source, got no token; give one to answer", Error);
  CHECK_THROWS_WITH_AS(generate(model, {1}, {}, {}, 6),
                       "generate: the first position must be from 0 to 5, got 6", Error);
  CHECK_THROWS_WITH_AS(generate(model, {1}, {.tokens = -1}),
                       "generate: expected tokens, temperature and top_k of at least 0 and a top_p "
                       "above 0 and up to 1, got -1, 1, 0 and 1",
                       Error);
  CHECK_THROWS_AS(generate(model, Tokens(7, 1)), ShapeError);
}

TEST_CASE("what left padding hides changes nothing in any model") {
  each_writer([](auto& model) {
    const NoGradGuard no_grad;
    const Tensor alone = model(tensor({{4, 5, 6}}));
    for (const Index filler : {0, 8}) {
      nn::KVCache cache({0, 2});
      const Tensor both = model(tensor({{1, 2, 3, 4, 5}, {filler, filler, 4, 5, 6}}), &cache);
      CHECK(difference(both.narrow(0, 1, 1).narrow(1, 2, 3), alone, {.atol = 1e-13}) == "");
    }
  });
}

TEST_CASE("generation drops nothing, records nothing and restores every module's mode") {
  manual_seed(1);
  SequenceModel model({.vocabulary = 9,
                       .context = 6,
                       .d_model = 8,
                       .heads = 2,
                       .layers = 2,
                       .dropout = 0.9,
                       .arch = Arch::decoder});
  nn::DecoderOnly& inside = *model.as<nn::DecoderOnly>();
  inside.blocks[1].eval();
  const Tokens first = generate(model, {1}, {.tokens = 30, .temperature = 0});
  CHECK(generate(model, {1}, {.tokens = 30, .temperature = 0}, [&](Index) {
          CHECK_FALSE(inside.blocks[0].dropout1.is_training());
          CHECK_FALSE(taping());
          return true;
        }) == first);
  CHECK(model.is_training());
  CHECK(inside.blocks[0].dropout1.is_training());
  CHECK_FALSE(inside.blocks[1].dropout1.is_training());
}

TEST_CASE("generation begins with the prompt, and is the same for the same seed") {
  manual_seed(0);
  SequenceModel model({.vocabulary = 9, .context = 6, .arch = Arch::decoder});
  const Tokens text = generate(model, {1, 2}, {.tokens = 40, .seed = 1});
  CHECK(text.size() == 42);
  CHECK(Tokens(text.begin(), text.begin() + 2) == Tokens{1, 2});
  CHECK(generate(model, {1, 2}, {.tokens = 40, .seed = 1}) == text);
  CHECK(generate(model, {1, 2}, {.tokens = 40, .seed = 2}) != text);
}

TEST_CASE("each token is shown as it is written, and the one that is refused is the last") {
  Constant model(tensor({0.0, 1.0, 0.5}));
  Tokens shown;
  const Tokens text = generate(model, {0}, {.tokens = 9, .temperature = 0}, [&](Index token) {
    shown.push_back(token);
    return shown.size() < 3;
  });
  CHECK(shown == Tokens{1, 1, 1});
  CHECK(text == Tokens{0, 1, 1, 1});
  std::vector<std::size_t> sequences;
  const std::vector<Tokens> both =
      generate_batch(model, std::vector<Tokens>{{0}, {2}}, {.tokens = 3, .temperature = 0},
                     [&](std::size_t sequence, Index) {
                       sequences.push_back(sequence);
                       return sequence == 1;
                     });
  CHECK(both == std::vector<Tokens>{{0, 1}, {2, 1, 1, 1}});
  CHECK(sequences == std::vector<std::size_t>{0, 1, 1, 1});
}

TEST_CASE("one token is read at a time until the context is full, then all that it holds") {
  Constant model(tensor({0.0, 1.0}));
  generate(model, {0, 0}, {.tokens = 5, .temperature = 0});
  std::vector<Shape> shapes;
  for (const Tensor& read : model.read) shapes.push_back(read.shape());
  CHECK(shapes == std::vector<Shape>{{1, 2}, {1, 1}, {1, 1}, {1, 4}, {1, 4}});
}

TEST_CASE("tokens are drawn with the probabilities of the softmax") {
  Constant model(tensor({std::log(0.1), std::log(0.6), -1e9, std::log(0.3)}, Float64));
  const Tokens text = generate(model, {0}, {.tokens = 2000});
  const auto part = [&](Index token) {
    return static_cast<double>(std::count(text.begin() + 1, text.end(), token)) / 2000;
  };
  CHECK(part(0) == doctest::Approx(0.1).epsilon(0.25));
  CHECK(part(1) == doctest::Approx(0.6).epsilon(0.06));
  CHECK(part(2) == 0);
}

TEST_CASE("top_p keeps the fewest tokens that reach it, at least one") {
  const Tensor logits = log(tensor({0.1, 0.5, 0.15, 0.25}, Float64));
  const auto p = [&](double top_p, Index top_k = 0) {
    return next_probabilities(logits, {.top_k = top_k, .top_p = top_p});
  };
  const testing::Tolerance t{.atol = 1e-15};
  CHECK(difference(p(1), tensor({0.1, 0.5, 0.15, 0.25}, Float64), t) == "");
  CHECK(difference(p(0.6), tensor({0.0, 2.0 / 3, 0.0, 1.0 / 3}, Float64), t) == "");
  CHECK(difference(p(0.3), tensor({0.0, 1.0, 0.0, 0.0}, Float64), t) == "");
  CHECK(difference(p(1e-9), tensor({0.0, 1.0, 0.0, 0.0}, Float64), t) == "");
  // Of the first three, which then add up to 0.9, those that reach 80 % of it.
  CHECK(difference(p(0.8, 3), tensor({0.0, 2.0 / 3, 0.0, 1.0 / 3}, Float64), t) == "");
}

TEST_CASE("generation refuses what it cannot do, in words") {
  Constant model(tensor({0.0, 1.0}));
  const auto words = [](const GenerateOptions& options) -> std::string {
    try {
      next_probabilities(tensor({0.0, 1.0}), options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string expected =
      "generate: expected tokens, temperature and top_k of at least 0 and a top_p above 0 and up "
      "to 1, got ";
  CHECK(words({.temperature = -1}) == expected + "100, -1, 0 and 1");
  CHECK(words({.temperature = NAN}) == expected + "100, nan, 0 and 1");
  CHECK(words({.top_k = -1}) == expected + "100, 1, -1 and 1");
  CHECK(words({.top_p = 0}) == expected + "100, 1, 0 and 0");
  CHECK(words({.top_p = 1.5}) == expected + "100, 1, 0 and 1.5");
  CHECK(words({.top_p = NAN}) == expected + "100, 1, 0 and nan");
  CHECK_THROWS_WITH_AS(generate(model, {0}, {.tokens = -1}), (expected + "-1, 1, 0 and 1").c_str(),
                       Error);
  CHECK_THROWS_WITH_AS(generate(model, Tokens{}),
                       "generate: expected a prompt, got no token; begin with one", Error);
  for (const Tensor& logits : {zeros({2, 3}), zeros({}), zeros({0})})
    CHECK_THROWS_WITH_AS(next_probabilities(logits, {}),
                         core::to_text("next_probabilities: expected logits (V) of 1 token or "
                                       "more, got ",
                                       logits.shape(), "; take those of one position with select")
                             .c_str(),
                         ShapeError);
  CHECK_THROWS_WITH_AS(next_probabilities(tensor({0.0, NAN}), {}),
                       "generate: logits must be numbers, got nan; look for it with NanGuard",
                       Error);
  SequenceModel encoder({.vocabulary = 4, .context = 6});
  CHECK_THROWS_WITH_AS(generate(encoder, {1}),
                       "generate: expected a model that reads from left to right, got an encoder; "
                       "choose decoder, gpt or llama",
                       Error);
}

TEST_CASE("GEN-01: Temperature 0 is argmax; tiny temperatures do not overflow") {
  const auto c = this_case();
  const Tensor logits = c.input("logits");
  CHECK(c.difference(next_probabilities(logits, {}), c.output("probs_T1")) == "");
  CHECK(c.difference(next_probabilities(logits, {.temperature = 0.5}), c.output("probs_T0.5")) ==
        "");
  CHECK(c.difference(next_probabilities(logits, {.temperature = INFINITY}),
                     c.output("probs_Tinf")) == "");
  Constant model(logits);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CHECK(generate(model, {0}, {.tokens = 3, .temperature = 0, .seed = seed}) ==
          Tokens{0, 1, 1, 1});
    for (const double tiny : {1e-8, 1e-300})
      for (const Index token : generate(model, {1}, {.tokens = 20, .temperature = tiny}))
        CHECK((token == 1 || token == 3));
  }
  CHECK_THROWS_AS(generate(model, {0}, {.temperature = -1}), Error);
  CHECK_THROWS_AS(generate(model, {0}, {.temperature = NAN}), Error);
}

TEST_CASE("GEN-02: top-k larger than the vocabulary, equal to it, one, zero, negative") {
  const auto c = this_case();
  const Tensor logits = c.input("logits");
  const std::vector<std::pair<Index, const char*>> want{
      {2, "probs_k2"}, {1, "probs_k1"}, {4, "probs_k4"}, {50, "probs_k50"}, {0, "probs_k4"}};
  for (const auto& each : want)  // 0: off
    CHECK_MESSAGE(c.difference(next_probabilities(logits, {.top_k = each.first}),
                               c.output(each.second)) == "",
                  each.second);
  CHECK_THROWS_AS(next_probabilities(logits, {.top_k = -1}), Error);
}

TEST_CASE("GEN-03: Prompt longer than the context") {
  this_case();
  manual_seed(3);
  SequenceModel model({.vocabulary = 7, .context = 4, .arch = Arch::decoder});
  const GenerateOptions options{.tokens = 3, .temperature = 0};
  const Tokens whole = generate(model, {0, 1, 2, 3, 4, 5, 6}, options);
  const Tokens end = generate(model, {3, 4, 5, 6}, options);
  CHECK(Tokens(whole.begin(), whole.begin() + 7) == Tokens{0, 1, 2, 3, 4, 5, 6});
  CHECK(Tokens(whole.begin() + 3, whole.end()) == end);
  Constant reader(tensor({0.0, 1.0}));
  generate(reader, {0, 1, 2, 3, 4, 5, 6}, {.tokens = 1});
  CHECK(equal(reader.read[0], tensor({{3, 4, 5, 6}})));
}

TEST_CASE("GEN-04: Empty prompt, zero new tokens, one-symbol vocabulary") {
  this_case();
  manual_seed(4);
  SequenceModel model({.vocabulary = 3, .context = 4, .arch = Arch::decoder});
  CHECK(generate(model, {0, 1}, {.tokens = 0}) == Tokens{0, 1});
  CHECK_THROWS_AS(generate(model, Tokens{}, {.tokens = 5}), Error);
  CHECK_THROWS_AS(generate(model, {0, 1}, {.tokens = -1}), Error);
  SequenceModel one({.vocabulary = 1, .context = 4, .arch = Arch::decoder});
  CHECK(generate(one, {0}, {.tokens = 9}) == Tokens(10, 0));
}
