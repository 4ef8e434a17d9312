#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/alibi.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/causal_attention.h>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::noise;

TEST_CASE("with as many key heads as query heads it is multi-head attention, causal") {
  manual_seed(1);
  GroupedQueryAttention grouped(8, 2, 2);
  manual_seed(1);
  MultiHeadAttention plain(8, 2, 0.0);  // the same names, the same first weights
  const Tensor x = noise({2, 5, 8}, 1, Float32);
  CHECK(difference(grouped(x), plain(x, x, x, causal_mask(5))) == "");
  CHECK(difference(grouped.attention_weights(), plain.attention_weights()) == "");
}

TEST_CASE("grouped queries are multi-head attention whose key heads are copies") {
  for (const Index kv_heads : {1, 2}) {
    GroupedQueryAttention grouped(12, 4, kv_heads);
    MultiHeadAttention plain(12, 4, 0.0);
    grouped.to(Float64), plain.to(Float64);
    CHECK(grouped.W_k.weight.shape() == Shape{3 * kv_heads, 12});
    StateDict state;
    for (const auto& [name, value] : grouped.state_dict()) {
      const bool shared = name[2] == 'k' || name[2] == 'v';  // W_k and W_v: (3 kv_heads, …)
      if (!shared) {
        state.emplace_back(name, value);
        continue;
      }
      Shape whole = value.shape();
      whole[0] = 12;
      Shape heads{kv_heads, 3};
      if (value.dim() == 2) heads = {kv_heads, 3, 12};
      state.emplace_back(name,
                         value.reshape(heads).repeat_interleave(4 / kv_heads, 0).reshape(whole));
    }
    plain.load_state_dict(state);
    const Tensor x = noise({2, 5, 12});
    CHECK(difference(grouped(x), plain(x, x, x, causal_mask(5)), {.atol = 1e-14}) == "");
  }
}

TEST_CASE("GPT's attention is packed attention under a causal mask") {
  CausalSelfAttention attn(8, 2);
  MultiHeadAttention plain(8, 2, 0.0);
  const std::vector<Tensor> W = attn.c_attn.weight.chunk(3), b = attn.c_attn.bias.chunk(3);
  plain.load_state_dict({{"W_q.weight", W[0]},
                         {"W_q.bias", b[0]},
                         {"W_k.weight", W[1]},
                         {"W_k.bias", b[1]},
                         {"W_v.weight", W[2]},
                         {"W_v.bias", b[2]},
                         {"W_o.weight", attn.c_proj.weight},
                         {"W_o.bias", attn.c_proj.bias}});
  const Tensor x = noise({2, 5, 8}, 1, Float32);
  CHECK(difference(attn(x), plain(x, x, x, causal_mask(5)), {.atol = 1e-6}) == "");
  CHECK(attn.attention_weights().shape() == Shape{2, 2, 5, 5});
  attn.keep_weights(false);
  CHECK_FALSE(attn.keeps_weights());
}

TEST_CASE("positions turn queries and keys, and a bias lowers the scores of what is far") {
  GroupedQueryAttention attn(8, 2, 1);
  attn.to(Float64);
  const Tensor x = noise({2, 5, 8});
  CausalContext turned, biased;
  turned.rotary = rotary_angles(arange(5), 4, Float64);
  biased.bias = alibi_bias(2, 5, 5, Float64);
  const Tensor Q = apply_rotary(split_heads(attn.W_q(x), 2), turned.rotary);
  const Tensor K = repeat_heads(apply_rotary(split_heads(attn.W_k(x), 1), turned.rotary), 2);
  const Tensor V = repeat_heads(split_heads(attn.W_v(x), 1), 2);
  const auto by_hand = scaled_dot_product_attention(Q, K, V, causal_mask(5)).output;
  CHECK(difference(attn(x, turned), attn.W_o(merge_heads(by_hand)), {.atol = 1e-14}) == "");
  const auto with_bias = scaled_dot_product_attention(split_heads(attn.W_q(x), 2),
                                                      repeat_heads(split_heads(attn.W_k(x), 1), 2),
                                                      V, causal_mask(5), nullptr, biased.bias)
                             .output;
  CHECK(difference(attn(x, biased), attn.W_o(merge_heads(with_bias)), {.atol = 1e-14}) == "");
}

TEST_CASE("attention token by token, with a cache, is attention to all at once") {
  GroupedQueryAttention grouped(8, 4, 2);
  CausalSelfAttention packed(8, 2);
  grouped.to(Float64), packed.to(Float64);
  const Tensor x = noise({2, 6, 8});
  const auto in_turn = [&](auto& attn) {
    KVCache cache;
    std::vector<Tensor> parts;
    Index from = 0;
    for (const Index count : {3, 1, 2}) {
      CausalContext context;
      context.cache = &cache;
      context.T = count;
      parts.push_back(attn(x.narrow(1, from, count), context));
      context.commit();
      from += count;
    }
    CHECK(cache.length() == 6);
    return cat(parts, 1);
  };
  CHECK(difference(in_turn(grouped), grouped(x), {.atol = 1e-14}) == "");
  CHECK(difference(in_turn(packed), packed(x), {.atol = 1e-14}) == "");
}

TEST_CASE("heads that do not divide are refused, with both numbers") {
  CHECK_THROWS_WITH_AS(GroupedQueryAttention(8, 4, 3),
                       "GroupedQueryAttention: num_heads 4 must be divisible by num_kv_heads 3, "
                       "since each of those serves equally many",
                       Error);
  CHECK_THROWS_WITH_AS(GroupedQueryAttention(8, 4, 0),
                       "GroupedQueryAttention: num_heads 4 must be divisible by num_kv_heads 0, "
                       "since each of those serves equally many",
                       Error);
  CHECK_THROWS_WITH_AS(CausalSelfAttention(8, 3),
                       "CausalSelfAttention: d_model 8 must be divisible by num_heads 3, since "
                       "each head takes an equal part",
                       Error);
  GroupedQueryAttention attn(8, 2, 1);
  CHECK_THROWS_WITH_AS(attn(zeros({2, 8})),
                       "GroupedQueryAttention: x must be (B, T, d_model) with d_model 8, got "
                       "(2, 8); add a batch dimension with .unsqueeze(0)",
                       ShapeError);
}

TEST_CASE("the gradients of causal attention are right, also through a cache") {
  manual_seed(2);
  GroupedQueryAttention grouped(6, 3, 1, {.bias = false});
  CausalSelfAttention packed(4, 2);
  grouped.to(Float64), packed.to(Float64);
  const auto turned = [&](const auto& x) {
    KVCache cache;
    CausalContext first, second;
    first.cache = second.cache = &cache;
    first.T = 2;
    first.rotary = rotary_angles(arange(2), 2, Float64);
    second.rotary = rotary_angles(arange(2, 3), 2, Float64);
    const Tensor y = grouped(x[0].narrow(1, 0, 2), first);
    first.commit();
    return std::vector<Tensor>{y, grouped(x[0].narrow(1, 2, 1), second)};
  };
  CHECK(testing::strict_gradcheck(turned, {noise({2, 3, 6}).requires_grad_()},
                                  grouped.named_parameters()));
  CHECK(testing::strict_gradcheck([&](const auto& x) { return packed(x[0]); },
                                  {noise({2, 3, 4}).requires_grad_()}, packed.named_parameters()));
}

TEST_CASE("a name that was left out is asked for") {
  CHECK_THROWS_WITH_AS(GroupedQueryAttention(8, 2, 1, {.names = {"q"}}),
                       "GroupedQueryAttention: expected names for W_q, W_k, W_v and W_o, got none "
                       "for W_k; give all four, such as .names = {\"wq\", \"wk\", \"wv\", \"wo\"}",
                       Error);
}
