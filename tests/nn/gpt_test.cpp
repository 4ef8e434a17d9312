#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/gpt.h>

#include <cmath>

#include "../support/strict_gradcheck.h"
#include "goldens.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;

namespace {

constexpr GPTOptions small{.vocabulary = 7, .context = 5, .d_model = 8, .heads = 2, .layers = 2};

}  // namespace

TEST_CASE("a GPT has nanoGPT's names, first weights and results") {
  const testing::Json goldens = testing::goldens("models"), golden = goldens.at("GPT");
  manual_seed(0);
  GPT model(small);
  const StateDict state = model.state_dict();
  CHECK(state.size() == golden.at("state").size());
  for (const auto& entry : state)
    CHECK_MESSAGE(difference(entry.second, testing::to_tensor(golden.at("state").at(entry.first)),
                             {.rtol = 4 * 1.2e-7}) == "",
                  entry.first);
  model.load_state_dict(testing::state_of(golden.at("state")));
  model.to(Float64);
  const Tensor logits = model(testing::to_tensor(goldens.at("tokens")));
  CHECK(difference(logits, testing::to_tensor(golden.at("logits")), {.atol = 1e-15}) == "");
}

TEST_CASE("GPT-2 has 124,439,808 parameters, tied weights counted once") {
  Index count = 0;
  const GPTOptions gpt2;
  GPT one(
      {.vocabulary = 5, .context = 3, .d_model = gpt2.d_model, .heads = gpt2.heads, .layers = 1});
  for (const auto& [name, parameter] : one.named_parameters())
    count += name.find(".h.0.") == std::string::npos ? 0 : parameter.numel();
  CHECK(gpt2.layers * count + (gpt2.vocabulary + gpt2.context + 2) * gpt2.d_model == 124439808);
  CHECK(one.num_parameters() == count + (5 + 3 + 2) * gpt2.d_model);
}

TEST_CASE("tied weights are one tensor, and both uses teach it") {
  GPT tied(small);
  CHECK(tied.transformer.wte.weight.impl() == tied.lm_head.weight.impl());
  GPTOptions apart = small;
  apart.tied = false;
  GPT untied(apart);
  CHECK(untied.transformer.wte.weight.impl() != untied.lm_head.weight.impl());
  CHECK(untied.num_parameters() == tied.num_parameters() + 7 * 8);
  untied.load_state_dict(tied.state_dict());
  const Tensor tokens = tensor({{1, 2, 3}});
  for (GPT* const model : {&tied, &untied})
    cross_entropy((*model)(tokens).flatten(0, 1), tensor({2, 3, 4})).backward();
  const Tensor both = untied.transformer.wte.weight.grad() + untied.lm_head.weight.grad();
  CHECK(difference(tied.lm_head.weight.grad(), both, {.atol = 1e-7}) == "");
}

TEST_CASE("layers that add to the residual path start the smaller the more they are") {
  GPT model({.vocabulary = 7, .context = 5, .d_model = 64, .heads = 2, .layers = 8});
  const auto deviation = [](const Tensor& weight) { return weight.pow(2).mean().item(); };
  CHECK(std::sqrt(deviation(model.transformer.h[3].mlp.c_proj.weight)) ==
        doctest::Approx(0.02 / 4).epsilon(0.05));
  CHECK(std::sqrt(deviation(model.transformer.h[3].mlp.c_fc.weight)) ==
        doctest::Approx(0.02).epsilon(0.05));
  CHECK(equal(model.transformer.h[0].attn.c_attn.bias, zeros({3 * 64})));
}

TEST_CASE("GPT's output at a position does not depend on later tokens") {
  GPT model(small);
  const Tensor a = model(tensor({{1, 2, 3, 4}})), b = model(tensor({{1, 2, 0, 0}}));
  CHECK(difference(a.narrow(1, 0, 2), b.narrow(1, 0, 2)) == "");
  CHECK(difference(a.narrow(1, 2, 2), b.narrow(1, 2, 2)) != "");
}

TEST_CASE("GPT with a cache goes on where it was") {
  GPT model(small);
  model.to(Float64);
  const Tensor tokens = tensor({{1, 2, 3, 4, 5}, {0, 6, 6, 1, 2}});
  const Tensor whole = model(tokens);
  KVCache cache;
  for (const Index t : {0, 3, 4}) {
    const Index count = t == 0 ? 3 : 1;
    const Tensor part = model(tokens.narrow(1, t, count), &cache);
    CHECK(difference(part, whole.narrow(1, t, count), {.atol = 1e-14}) == "");
  }
  CHECK(cache.length() == 5);
  CHECK_THROWS_WITH_AS(model(tokens.narrow(1, 0, 1), &cache),
                       "GPT: expected up to 5 tokens, got 6 with those in the cache; give it the "
                       "last ones alone (in transformer)",
                       ShapeError);
}

TEST_CASE("a cache is as it was after a call that throws") {
  GPT model(small);
  model.to(Float64);
  const Tensor tokens = tensor({{1, 2, 3, 4}});
  KVCache cache;
  model(tokens.narrow(1, 0, 3), &cache);
  RemovableHandle trap = model.transformer.h[1].register_forward_pre_hook(
      [](Module&, const Tensors&) { fail("trap"); });
  CHECK_THROWS_WITH_AS(model(tensor({{6}}), &cache), "trap (in transformer.h.1)", Error);
  trap.remove();
  CHECK(cache.length() == 3);
  CHECK(difference(model(tokens.narrow(1, 3, 1), &cache), model(tokens).narrow(1, 3, 1),
                   {.atol = 1e-14}) == "");
}

TEST_CASE("a GPT of fewer than no layers is refused") {
  CHECK_THROWS_WITH_AS(GPT({.vocabulary = 5, .context = 4, .layers = -1}),
                       "GPT: layers must be at least 0, got -1", Error);
}

TEST_CASE("a GPT's gradients are right") {
  manual_seed(0);
  GPT model({.vocabulary = 3, .context = 3, .d_model = 4, .heads = 2, .layers = 1});
  model.to(Float64);
  for (const auto& [name, parameter] : model.named_parameters()) {  // larger than it starts with
    const NoGradGuard no_grad;
    Tensor(parameter).add_(testing::noise(parameter.shape(), 3));
  }
  const Tensor tokens = tensor({{1, 2, 0}});
  CHECK(testing::strict_gradcheck([&](const auto&) { return model(tokens); }, {},
                                  model.named_parameters()));
}
