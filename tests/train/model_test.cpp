#include <doctest/doctest.h>
#include <tapehead/data/text.h>
#include <tapehead/train/model.h>

#include <cmath>

#include "../support/cases.h"

using namespace tapehead;
using namespace tapehead::train;
using testing::difference;
using testing::this_case;

TEST_CASE("TRAIN-01: The first loss of an untrained model is about ln V") {
  const auto c = this_case();
  const auto bounds = c.json.at("expect").at("bounds").at("first_loss_over_lnV");
  for (const auto& [V, ln_V] : c.json.at("expect").at("outputs").at("ln_V").items()) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      manual_seed(seed);
      const Index vocabulary = std::stoi(V);
      SequenceModel model({.vocabulary = vocabulary,
                           .context = 64,
                           .d_model = 64,
                           .heads = 4,
                           .layers = 2,
                           .d_ff = 256,
                           .arch = Arch::decoder});
      const Tensor tokens = randint(0, vocabulary, {8, 65});
      const Tensor logits = model(tokens.narrow(1, 0, 64)).flatten(0, 1);
      const Tensor loss = cross_entropy(logits, tokens.narrow(1, 1, 64).reshape({-1}));
      CHECK(loss.item() / ln_V.get<double>() > bounds[0].get<double>());
      CHECK(loss.item() / ln_V.get<double>() < bounds[1].get<double>());
    }
  }
}

namespace {

ModelOptions small(Arch arch) {
  return {.vocabulary = 5, .context = 4, .d_model = 8, .heads = 2, .layers = 3, .arch = arch};
}
constexpr std::array every_arch{Arch::encoder, Arch::decoder, Arch::encdec, Arch::gpt, Arch::llama};

}  // namespace

TEST_CASE("a model is what is inside it, by the same names") {
  SequenceModel gpt(small(Arch::gpt));
  CHECK(gpt.state_dict()[0].first == "transformer.wte.weight");
  CHECK(gpt.as<nn::GPT>()->num_parameters() == gpt.num_parameters());
  CHECK(gpt.as<nn::Llama>() == nullptr);
  CHECK(gpt.options.d_ff == 32);
  SequenceModel encoder(small(Arch::encoder));
  CHECK(encoder.state_dict()[0].first == "embedding.weight");
  const Tensor tokens = tensor({{1, 2, 3, 4}, {0, 0, 1, 1}});
  CHECK(difference(encoder(tokens), (*encoder.as<nn::EncoderOnly>())(tokens)) == "");
  CHECK(difference(gpt(tokens), (*gpt.as<nn::GPT>())(tokens)) == "");
  SequenceModel llama(small(Arch::llama));
  CHECK(llama.as<nn::Llama>()->options.kv_heads == 2);
}

TEST_CASE("a GPT or Llama that is there already becomes a model with its options") {
  SequenceModel gpt(std::make_unique<nn::GPT>(nn::GPTOptions{
      .vocabulary = 5, .context = 6, .d_model = 8, .heads = 2, .layers = 1, .tied = false}));
  CHECK(gpt.options.arch == Arch::gpt);
  CHECK(gpt.options.context == 6);
  CHECK_FALSE(gpt.options.tied);
  SequenceModel llama(std::make_unique<nn::Llama>(nn::LlamaOptions{.vocabulary = 5,
                                                                   .context = 6,
                                                                   .d_model = 8,
                                                                   .heads = 4,
                                                                   .kv_heads = 2,
                                                                   .layers = 1,
                                                                   .d_ff = 7}));
  SequenceModel same(llama.options);
  same.copy_from(llama);
  const Tensor tokens = tensor({{1, 2, 3}});
  CHECK(difference(same(tokens), llama(tokens)) == "");
}

TEST_CASE("an architecture has a name, and a name an architecture") {
  for (const Arch arch : every_arch) CHECK(arch_of(name(arch)) == arch);
  CHECK_THROWS_WITH_AS(arch_of("rnn"),
                       "arch_of: expected encoder, decoder, encdec, gpt or llama, got \"rnn\"",
                       Error);
}

TEST_CASE("positions have names") {
  for (const std::string& name : position_names()) CHECK(train::name(positions_of(name)) == name);
  CHECK(position_names().size() == 4);
  CHECK(arch_names().size() == 5);
  CHECK_THROWS_WITH_AS(
      positions_of("relative"),
      "positions_of: expected sinusoidal, learned, rotary or alibi, got \"relative\"", Error);
}

TEST_CASE("a llama's eps and base reach its layers") {
  const ModelOptions options{
      .vocabulary = 5, .context = 4, .d_model = 8, .heads = 2, .arch = Arch::llama, .eps = 0.5};
  manual_seed(0);
  SequenceModel usual(
      {.vocabulary = 5, .context = 4, .d_model = 8, .heads = 2, .arch = Arch::llama});
  manual_seed(0);
  SequenceModel other(options);
  CHECK(other.as<nn::Llama>()->options.eps == 0.5);
  const Tensor tokens = tensor({{1, 2, 3}});
  CHECK_FALSE(equal(usual(tokens), other(tokens)));
}

TEST_CASE("every architecture gives the logits of a batch, and learns from them") {
  for (const Arch arch : every_arch) {
    CAPTURE(name(arch));
    SequenceModel model(small(arch));
    const data::Batch batch{tensor({{1, 2, 3, 4}, {0, 0, 1, 1}}),
                            tensor({{2, 3, 4, 0}, {data::no_target, 1, 1, 1}})};
    const Tensor logits = model.logits(batch);
    CHECK(logits.shape() == Shape{2, 4, 5});
    cross_entropy(logits.flatten(0, 1), batch.targets.flatten()).backward();
    for (const auto& entry : model.named_parameters())
      CHECK_MESSAGE(entry.second.grad().defined(), entry.first);
    CHECK(model.causal() == (arch != Arch::encoder && arch != Arch::encdec));
  }
}

TEST_CASE("an encdec reads the answers one late, from its own start on") {
  const Tensor targets = tensor({{2, 3, 4}, {data::no_target, 1, 0}});
  CHECK(equal(decoder_input(targets, 9), tensor({{9, 2, 3}, {9, 9, 1}})));
  SequenceModel model(small(Arch::encdec));
  model.eval();
  const Tensor inputs = tensor({{1, 2, 3}, {4, 0, 0}});
  CHECK(difference(model.logits({inputs, targets}),
                   (*model.as<nn::Transformer>())(inputs, tensor({{5, 2, 3}, {5, 5, 1}}))) == "");
}

TEST_CASE("what a model cannot be called with is refused") {
  SequenceModel encdec(small(Arch::encdec)), encoder(small(Arch::encoder));
  CHECK_THROWS_WITH_AS(encdec(tensor({{1, 2}})),
                       "SequenceModel: an encdec reads a source and a target, got (1, 2) tokens "
                       "alone; call logits(batch)",
                       Error);
  nn::KVCache cache;
  CHECK_THROWS_WITH_AS(
      encoder(tensor({{1, 2}}), &cache),
      "SequenceModel: expected a causal model for a cache, got an encoder; call it without", Error);
}

TEST_CASE("eval() reaches every nested module of every architecture, and train() too") {
  for (const Arch arch : every_arch) {
    CAPTURE(name(arch));
    ModelOptions options = small(arch);
    options.dropout = 0.5;
    SequenceModel model(options);
    const data::Batch batch{tensor({{1, 2, 3, 4}}), tensor({{2, 3, 4, 0}})};
    CHECK(difference(model.logits(batch), model.logits(batch)) != "");
    for (const bool training : {false, true}) {
      model.train(training);
      std::size_t dropouts = 0;
      for (const auto& entry : model.named_modules()) {
        CHECK_MESSAGE(entry.second->is_training() == training, entry.first);
        dropouts += dynamic_cast<nn::Dropout*>(entry.second) ? 1 : 0;
      }
      CHECK(dropouts >= 3 * 3);
      CHECK((difference(model.logits(batch), model.logits(batch)) == "") != training);
    }
  }
}

TEST_CASE("a model gives a logit for each symbol at each position") {
  SequenceModel model({.vocabulary = 11, .context = 8});
  CHECK(model(zeros({3, 8}, Int64)).shape() == Shape{3, 8, 11});
  CHECK(model(zeros({1, 5}, Int64)).shape() == Shape{1, 5, 11});
  CHECK_THROWS_AS(model(zeros({1, 9}, Int64)), ShapeError);
}

TEST_CASE("a causal model does not know what comes later, another does") {
  const Tensor a = tensor({{1, 2, 3, 4}}), b = tensor({{1, 2, 0, 0}});
  for (const bool causal : {true, false}) {
    manual_seed(0);
    SequenceModel model({.vocabulary = 5,
                         .context = 4,
                         .layers = 2,
                         .arch = causal ? Arch::decoder : Arch::encoder});
    const Tensor before = model(a).narrow(1, 0, 2), after = model(b).narrow(1, 0, 2);
    CHECK((difference(before, after) == "") == causal);
    CHECK(difference(model(a).narrow(1, 2, 2), model(b).narrow(1, 2, 2)) != "");
  }
}

TEST_CASE("attention weights are one tensor a layer, and rows add up to 1") {
  SequenceModel model(
      {.vocabulary = 5, .context = 4, .heads = 2, .layers = 3, .arch = Arch::decoder});
  const std::vector<Tensor> weights =
      attention_weights(model, tensor({{1, 2, 3, 4}, {0, 0, 1, 1}}));
  CHECK(weights.size() == 3);
  for (const Tensor& w : weights) {
    CHECK(w.shape() == Shape{2, 2, 4, 4});
    CHECK(difference(w.sum({-1}), ones({2, 2, 4}), {.atol = 1e-6}) == "");
    CHECK(equal(w.triu(1), zeros_like(w)));
  }
}

TEST_CASE("every architecture shows what its layers look at, and is left as it was") {
  for (const Arch arch : every_arch) {
    SequenceModel model(small(arch));
    const std::vector<Tensor> weights = attention_weights(model, tensor({{1, 2, 3}}));
    REQUIRE(weights.size() == 3);
    for (const Tensor& w : weights) {
      CHECK(w.shape() == Shape{1, 2, 3, 3});
      CHECK(equal(w.triu(1), zeros_like(w)) == model.causal());
    }
    CHECK(model.is_training());
  }
}

TEST_CASE("asking for attention weights leaves the model as it was, also where it throws") {
  SequenceModel model({.vocabulary = 5, .context = 4, .heads = 2, .layers = 3});
  nn::ModuleList<nn::EncoderBlock>& blocks = model.as<nn::EncoderOnly>()->blocks;
  nn::MultiHeadAttention& asked = blocks[1].attn;
  asked.keep_weights(true);
  const auto as_it_was = [&] {
    return !blocks[0].attn.keeps_weights() && asked.keeps_weights() &&
           !blocks[2].attn.keeps_weights() && model.is_training();
  };
  CHECK(attention_weights(model, tensor({{1, 2}})).size() == 3);
  CHECK(as_it_was());
  CHECK(asked.attention_weights().shape() == Shape{1, 2, 2, 2});
  CHECK_THROWS_AS(attention_weights(model, zeros({1, 5}, Int64)), ShapeError);
  CHECK(as_it_was());
}

TEST_CASE("evaluation puts each module back into its own mode") {
  SequenceModel model({.vocabulary = 5, .context = 4, .layers = 2});
  nn::ModuleList<nn::EncoderBlock>& blocks = model.as<nn::EncoderOnly>()->blocks;
  blocks[0].eval();
  blocks[0].attn.train();
  {
    const Evaluating evaluating(model);
    for (const auto& [name, module] : model.named_modules()) CHECK_FALSE(module->is_training());
  }
  CHECK(model.is_training());
  CHECK_FALSE(blocks[0].is_training());
  CHECK(blocks[0].attn.W_q.is_training());
  CHECK_FALSE(blocks[0].ff.dropout.is_training());
  CHECK(blocks[1].ff.dropout.is_training());
}

TEST_CASE("a model without layers has no attention") {
  SequenceModel model({.vocabulary = 5, .context = 4, .layers = 0});
  CHECK(model(tensor({{1, 2}})).shape() == Shape{1, 2, 5});
  CHECK(attention_weights(model, tensor({{1, 2}})).empty());
}

TEST_CASE("a model of fewer than no layers is refused") {
  CHECK_THROWS_WITH_AS(SequenceModel({.vocabulary = 5, .context = 4, .layers = -1}),
                       "SequenceModel: layers must be at least 0, got -1", Error);
}

TEST_CASE("the same seed gives the same weights") {
  const auto weights = [](std::uint64_t seed) {
    manual_seed(seed);
    return SequenceModel({.vocabulary = 5, .context = 4}).as<nn::EncoderOnly>()->head.weight;
  };
  CHECK(equal(weights(1), weights(1)));
  CHECK_FALSE(equal(weights(1), weights(2)));
}
