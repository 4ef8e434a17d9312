#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/attention.h>

#include <atomic>
#include <cmath>

#include "../support/strict_gradcheck.h"
#include "../support/threads.h"
#include "goldens.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::noise;

namespace {

// A generator that begins anew, for functions that are called twice.
Tensor twice_the_same(const std::function<Tensor()>& f) {
  manual_seed(3);
  return f();
}

}  // namespace

TEST_CASE("each head has a d_k of d_model over num_heads, and the weights one matrix a head") {
  MultiHeadAttention attn(512, 8);
  CHECK(attn.d_model == 512);
  CHECK(attn.num_heads == 8);
  CHECK(attn.d_k == 64);
  CHECK(attn.dropout.p == 0.1);
  const Tensor x = noise({2, 5, 512}, 1, Float32);
  CHECK(attn(x, x, x).shape() == Shape{2, 5, 512});
  CHECK(attn.attention_weights().shape() == Shape{2, 8, 5, 5});
  CHECK(attn.num_parameters() == 4 * (512 * 512 + 512));
}

TEST_CASE("multi-head attention starts with the weights that PyTorch's does, bit for bit") {
  const testing::Json golden = testing::goldens("init").at("layers").at("MultiHeadAttention(6, 3)");
  manual_seed(golden.at("seed").get<std::uint64_t>());
  CHECK(testing::state_difference(MultiHeadAttention(6, 3).state_dict(), golden.at("state")) == "");
}

TEST_CASE("the weights of attention drop out where PyTorch's do") {
  const testing::Json golden = testing::goldens("dropout").at("attention");
  manual_seed(0);
  MultiHeadAttention attn(8, 2, 0.3);
  const Tensor x = testing::to_tensor(golden.at("x"));
  for (const bool fused : {true, false}) {
    manual_seed(11);
    Tensor weights, output;
    if (fused) {
      output = attn(x, x, x, causal_mask(5));
      weights = attn.attention_weights();
      CHECK(difference(output, testing::to_tensor(golden.at("output")), {.atol = 1e-6}) == "");
    } else {
      const auto heads = [&](Linear& W) { return W(x).view({2, 5, 2, 4}).transpose(1, 2); };
      weights = scaled_dot_product_attention(heads(attn.W_q), heads(attn.W_k), heads(attn.W_v),
                                             causal_mask(5), &attn.dropout)
                    .weights;
    }
    CHECK(difference(weights, testing::to_tensor(golden.at("weights")), {.atol = 1e-6}) == "");
    CHECK(equal(weights == 0, testing::to_tensor(golden.at("weights")) == 0));
  }
}

TEST_CASE(
    "multi-head attention is h attentions on slices of the weights, concatenated, through W_o") {
  const Index B = 2, Tq = 3, Tk = 4, d_model = 6, H = 3, d_k = 2;
  MultiHeadAttention attn(d_model, H, 0.0);
  attn.to(Float64);
  const Tensor query = noise({B, Tq, d_model}, 1), key = noise({B, Tk, d_model}, 2),
               value = noise({B, Tk, d_model}, 3);
  const Tensor mask = padding_mask({4, 2}, Tk);
  const Tensor output = attn(query, key, value, mask);

  std::vector<Tensor> heads;
  for (Index h = 0; h < H; ++h) {
    const auto project = [&](const Linear& W, const Tensor& x) {
      return matmul(x, W.weight.narrow(0, h * d_k, d_k).t()) + W.bias.narrow(0, h * d_k, d_k);
    };
    const Tensor q = project(attn.W_q, query), k = project(attn.W_k, key),
                 v = project(attn.W_v, value);
    std::vector<Tensor> sequences;
    for (Index b = 0; b < B; ++b) {
      Tensor scores = matmul(q.select(0, b), k.select(0, b).t()) / std::sqrt(2.0);
      scores = scores.masked_fill(mask.select(0, b).select(0, 0) == false, -1e9);
      const Tensor weights = scores.softmax(-1);
      CHECK(difference(attn.attention_weights().select(0, b).select(0, h), weights,
                       {.atol = 1e-14}) == "");
      sequences.push_back(matmul(weights, v.select(0, b)));
    }
    heads.push_back(stack(sequences));
  }
  const Tensor want = matmul(cat(heads, -1), attn.W_o.weight.t()) + attn.W_o.bias;
  CHECK(difference(output, want, {.atol = 1e-14}) == "");
}

TEST_CASE("fused attention and the readable composition agree, forward and backward") {
  const Index B = 2, H = 3, Tq = 4, Tk = 5, d = 6;
  const Tensor empty_rows =
      tensor({{1, 0, 1, 0, 1}, {0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}, {0, 1, 0, 0, 0}});
  struct Setting {
    const char* name;
    Tensor mask, bias;
    double p;
  };
  const std::vector<Setting> settings{{"plain", {}, {}, 0},
                                      {"mask with an empty row", empty_rows, {}, 0},
                                      {"padding", padding_mask({5, 0}, Tk), {}, 0},
                                      {"bias", {}, noise({1, H, Tq, Tk}, 9), 0},
                                      {"dropout", {}, {}, 0.4},
                                      {"all of it", empty_rows, noise({B, 1, Tq, Tk}, 8), 0.4}};
  for (const DType dtype : {Float64, Float32}) {
    for (const Setting& setting : settings) {
      CAPTURE(setting.name);
      const double atol = dtype == Float64 ? 1e-13 : 1e-5;
      Dropout dropout(setting.p);
      Tensor bias = setting.bias.defined() ? to(setting.bias, dtype) : Tensor();
      if (bias.defined()) bias = bias.detach().requires_grad_();
      const auto leaf = [&](Index T, std::uint32_t seed) {
        return noise({B, H, T, d}, seed, dtype).requires_grad_();
      };
      const Tensor q = leaf(Tq, 1), k = leaf(Tk, 2), v = leaf(Tk, 3);
      const Shape shape{B, H, Tq, Tk};
      const Attention plain = [&] {
        manual_seed(5);
        return scaled_dot_product_attention(q, k, v, setting.mask, &dropout, bias);
      }();
      manual_seed(5);
      const auto [output, weights] = fused_attention(
          q, k, v, setting.mask.defined() ? checked_mask(setting.mask, shape) : Tensor(), bias,
          setting.p > 0 ? dropout_mask(shape, setting.p, dtype) : Tensor(), 1 / std::sqrt(6.0),
          /*want_weights=*/true);
      CHECK(difference(output, plain.output, {.atol = atol}) == "");
      CHECK(difference(weights, plain.weights, {.atol = atol}) == "");

      std::vector<Tensor> inputs{q, k, v};
      if (bias.defined()) inputs.push_back(bias);
      const Tensor g = noise(output.shape(), 6, dtype), gw = noise(shape, 7, dtype);
      const auto gradients = [&](const Tensor& y, const Tensor& w) {
        return autograd::grad({y, w}, inputs, {g, gw});
      };
      const auto got = gradients(output, weights), want = gradients(plain.output, plain.weights);
      for (std::size_t i = 0; i < inputs.size(); ++i)
        CHECK(difference(got[i], want[i], {.atol = atol}) == "");
    }
  }
}

TEST_CASE("a query that may see no key attends to all alike, with finite gradients") {
  MultiHeadAttention attn(4, 2, 0.0);
  Tensor x = noise({1, 3, 4}, 1, Float32).requires_grad_();
  attn(x, x, x, zeros({3, 3})).sum().backward();
  CHECK(difference(attn.attention_weights().detach(), full({1, 2, 3, 3}, 1.0f / 3)) == "");
  CHECK(equal(x.grad(), x.grad()));  // no NaN
  CHECK(equal(attn.W_q.weight.grad().abs(), zeros({4, 4})));
}

TEST_CASE("a bias is added to the scores before the mask") {
  MultiHeadAttention attn(4, 1, 0.0);
  const Tensor x = noise({1, 2, 4}, 1, Float32);
  attn(x, x, x, tensor({{1, 1}, {1, 0}}), tensor({{0.0, 100.0}, {0.0, 100.0}}));
  CHECK(difference(attn.attention_weights().view({2, 2}), tensor({{0., 1.}, {1., 0.}}),
                   {.atol = 1e-6}) == "");
}

TEST_CASE("hidden scores become -1e9 and no less: what scores lower still loses to them") {
  const Tensor lower = tensor({{-2e9, 0.0}}, Float64), mask = tensor({{1, 0}}),
               x = noise({1, 1, 2, 2});
  const Tensor query = x.narrow(2, 0, 1);
  const Tensor want = tensor({{0., 1.}}, Float64).view({1, 1, 1, 2});
  CHECK(difference(scaled_dot_product_attention(query, x, x, mask, nullptr, lower).weights, want) ==
        "");
  CHECK(difference(fused_attention(query, x, x, mask == 1, lower, {}, 1, true).weights, want) ==
        "");
}

TEST_CASE(
    "attention weights are those of the last call, differentiable, unless they are not kept") {
  MultiHeadAttention attn(4, 2, 0.0);
  CHECK_THROWS_WITH_AS(attn.attention_weights(),
                       "attention_weights: the last call kept none; call the module first", Error);
  Tensor x = noise({1, 3, 4}, 1, Float32).requires_grad_();
  const Tensor kept = attn(x, x, x);
  (attn.attention_weights() * noise({1, 2, 3, 3}, 1, Float32)).sum().backward();
  CHECK(x.grad().defined());
  attn.keep_weights(false);
  CHECK_FALSE(attn.keeps_weights());
  CHECK_THROWS_WITH_AS(
      attn.attention_weights(),
      "attention_weights: the last call kept none; ask for them with keep_weights(true)",
      Error);  // those of the call before are gone
  CHECK(difference(attn(x, x, x), kept) == "");
  CHECK_THROWS_WITH_AS(
      attn.attention_weights(),
      "attention_weights: the last call kept none; ask for them with keep_weights(true)", Error);
  attn.keep_weights(true);
  attn(x, x, x);
  CHECK(attn.attention_weights().shape() == Shape{1, 2, 3, 3});
}

TEST_CASE("threads may share an attention that evaluates and keeps its weights") {
  MultiHeadAttention attn(8, 2);
  attn.eval();
  const Tensor x = noise({1, 4, 8}, 1, Float32);
  const Tensor want = attn(x, x, x).detach(), weights = attn.attention_weights().detach();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(testing::counted_thread([&] {
      const NoGradGuard no_grad;
      for (int call = 0; call < 1000; ++call) {
        wrong += !equal(attn(x, x, x), want);
        wrong += !equal(attn.attention_weights(), weights);
      }
    }));
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("attention's gradients are right: self, cross, causal, padded, biased, dropped out") {
  const Tensor x = noise({2, 3, 4}, 1).requires_grad_(), y = noise({2, 2, 4}, 2).requires_grad_(),
               bias = noise({1, 2, 3, 3}, 3).requires_grad_();
  MultiHeadAttention attn(4, 2, 0.3);
  attn.to(Float64).eval();
  const NamedTensors parameters = attn.named_parameters();
  CHECK(testing::strict_gradcheck([&](const auto& in) { return attn(in[0], in[0], in[0]); }, {x},
                                  parameters));
  CHECK(testing::strict_gradcheck(
      [&](const auto& in) {
        return attn(in[0], in[1], in[1], padding_mask({2, 0}, 2));
      },
      {x, y}, parameters));
  CHECK(testing::strict_gradcheck(
      [&](const auto& in) { return attn(in[0], in[0], in[0], causal_mask(3), in[1]); }, {x, bias},
      parameters));
  CHECK(testing::strict_gradcheck(
      [&](const auto& in) {
        attn(in[0], in[0], in[0], causal_mask(3));
        return attn.attention_weights();
      },
      {x}, parameters));
  attn.train();
  CHECK(testing::strict_gradcheck(
      [&](const auto& in) { return twice_the_same([&] { return attn(in[0], in[0], in[0]); }); },
      {x}, parameters));
}

TEST_CASE("LAYR-06: d_model not divisible by heads; zero or negative sizes") {
  testing::this_case();  // lists these six
  const auto message = [](Index d_model, Index heads) -> std::string {
    try {
      MultiHeadAttention(d_model, heads);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string divide = "since each head takes an equal part",
                    least =
                        "MultiHeadAttention: expected d_model and num_heads of at least 1, got ";
  CHECK(message(8, 3) ==
        "MultiHeadAttention: d_model 8 must be divisible by num_heads 3, " + divide);
  CHECK(message(4, 8) ==
        "MultiHeadAttention: d_model 4 must be divisible by num_heads 8, " + divide);
  CHECK(message(8, 0) == least + "8 and 0");
  CHECK(message(0, 1) == least + "0 and 1");
  CHECK(message(8, -2) == least + "8 and -2");
  CHECK_THROWS_WITH_AS(Linear(3, -1),
                       "Linear: expected in_features and out_features of at least 1, got 3 and -1",
                       Error);
}

TEST_CASE("attention refuses inputs of other shapes and says which and what to do") {
  MultiHeadAttention attn(4, 2);
  const Tensor x = ones({2, 3, 4});
  CHECK_THROWS_WITH_AS(
      attn(ones({3, 4}), x, x),
      "MultiHeadAttention: query must be (B, T, d_model) with d_model 4, got (3, 4); "
      "add a batch dimension with .unsqueeze(0)",
      ShapeError);
  CHECK_THROWS_WITH_AS(
      attn(x, ones({2, 3, 5}), x),
      "MultiHeadAttention: key must be (B, T, d_model) with d_model 4, got (2, 3, 5)", ShapeError);
  CHECK_THROWS_WITH_AS(
      attn(x, x, ones({2, 5, 4})),
      "MultiHeadAttention: query, key and value must have one batch size, and key and value one "
      "length, got (2, 3, 4), (2, 3, 4) and (2, 5, 4)",
      ShapeError);
  CHECK_THROWS_WITH_AS(
      attn(ones({1, 3, 4}), x, x),
      "MultiHeadAttention: query, key and value must have one batch size, and key and value one "
      "length, got (1, 3, 4), (2, 3, 4) and (2, 3, 4)",
      ShapeError);
}

TEST_CASE("an empty batch goes through attention") {
  MultiHeadAttention attn(4, 2);
  const Tensor x = ones({0, 3, 4});
  CHECK(attn(x, x, x).shape() == Shape{0, 3, 4});
}

TEST_CASE("attention of vectors is refused") {
  const Tensor x = ones({3}), y = ones({2, 3});
  CHECK_THROWS_WITH_AS(nn::scaled_dot_product_attention(x, y, y),
                       "attention: query, key and value must be (..., T, d), got (3), (2, 3) and "
                       "(2, 3)",
                       ShapeError);
}
