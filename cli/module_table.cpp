#include "module_table.h"

#include "../autograd/create.h"
#include "../nn/attention.h"
#include "../nn/cross_entropy_loss.h"
#include "../nn/rotary.h"
#include "../nn/sequential.h"
#include "../train/model.h"

namespace tapehead::cli {
namespace {

using In = const std::vector<Tensor>&;

// `call(module, inputs)` for a Float64 module with the same random numbers each time.
template <class M, class Call>
GradcheckResult check(M& module, const std::vector<Shape>& shapes, const GradcheckOptions& options,
                      Call call) {
  module.to(Float64);
  std::vector<Tensor> inputs;
  for (const Shape& shape : shapes) inputs.push_back(randn(shape, Float64).requires_grad_());
  const auto f = [&](In x) { return Outputs(call(module, x)); };
  return gradcheck(seeded(f, 1), inputs, module.named_parameters(), options);
}

// A module of one input.
template <class M, class... Args>
Subject simple(const char* name, Shape shape, Args... args) {
  return {name, true, [=](const GradcheckOptions& options) {
            manual_seed(0);
            M module(args...);
            return check(module, {shape}, options, [](M& m, In x) { return m(x[0]); });
          }};
}

GradcheckResult embedding(const GradcheckOptions& options) {
  manual_seed(0);
  nn::Embedding module(5, 3);
  const Tensor index = tensor({{1, 4, 1}, {0, 1, 3}});
  return check(module, {}, options, [&](auto& m, In) { return m(index); });
}

GradcheckResult sequential(const GradcheckOptions& options) {
  manual_seed(0);
  nn::Sequential module;
  module.emplace_back<nn::Linear>(4, 5);
  module.emplace_back<nn::GELU>();
  module.emplace_back<nn::Linear>(5, 3);
  return check(module, {{2, 4}}, options, [](auto& m, In x) { return m(x[0]); });
}

GradcheckResult cross_entropy_loss(const GradcheckOptions& options) {
  nn::CrossEntropyLoss module({.ignore_index = 1, .label_smoothing = 0.1});
  const Tensor target = tensor({2, 1, 0, 3});
  return check(module, {{4, 4}}, options, [&](auto& m, In x) { return m(x[0], target); });
}

// Queries that attend to other keys, some of them hidden; dropout drops the same weights each time.
GradcheckResult multi_head_attention(const GradcheckOptions& options) {
  manual_seed(0);
  nn::MultiHeadAttention module(6, 2, 0.2);
  const Tensor mask = nn::padding_mask({4, 2}, 4);
  return check(module, {{2, 3, 6}, {2, 4, 6}, {2, 4, 6}, {3, 4}}, options, [&](auto& m, In x) {
    const Tensor y = m(x[0], x[1], x[2], mask, x[3]);
    return std::vector<Tensor>{y, m.attention_weights()};
  });
}

GradcheckResult readable_attention(const GradcheckOptions& options) {
  manual_seed(0);
  nn::Dropout module(0.2);
  return check(module, {{2, 3, 4}, {2, 3, 4}, {2, 3, 2}}, options, [](auto& m, In x) {
    const auto [output, weights] =
        nn::scaled_dot_product_attention(x[0], x[1], x[2], nn::causal_mask(3), &m);
    return std::vector<Tensor>{output, weights};
  });
}

GradcheckResult packed_attention(const GradcheckOptions& options) {
  manual_seed(0);
  nn::PackedMultiHeadAttention module(6, 2, 0.2);
  const Tensor mask = nn::padding_mask({4, 2}, 4);
  return check(module, {{2, 3, 6}, {2, 4, 6}, {2, 4, 6}}, options, [&](auto& m, In x) {
    const Tensor y = m(x[0], x[1], x[2], mask);
    return std::vector<Tensor>{y, m.attention_weights()};
  });
}

GradcheckResult cross_attention(const GradcheckOptions& options) {
  manual_seed(0);
  nn::CrossAttention module(6, 2, 3, 5, 0.2);
  return check(module, {{2, 3, 6}, {2, 4, 3}, {2, 4, 5}}, options,
               [](auto& m, In x) { return m(x[0], x[1], x[2]); });
}

GradcheckResult rotary(const GradcheckOptions& options) {
  nn::Dropout unused(0);
  const nn::RotaryAngles angles = nn::rotary_angles(arange(3), 4, Float64);
  return check(unused, {{2, 2, 3, 4}}, options,
               [&](auto&, In x) { return nn::apply_rotary(x[0], angles); });
}

// Turned, and token by token: the second call attends to what the first left in the cache.
GradcheckResult grouped_query_attention(const GradcheckOptions& options) {
  manual_seed(0);
  nn::GroupedQueryAttention module(8, 4, 2, {.dropout = 0.1});
  return check(module, {{2, 3, 8}}, options, [](auto& m, In x) {
    nn::KVCache cache;
    std::vector<Tensor> outputs;
    for (Index t = 0; t < 3; ++t) {
      nn::CausalContext context("GroupedQueryAttention", zeros({2, 1}, Int64), &cache, 3, 1);
      context.rotary = nn::rotary_angles(context.positions, 2, Float64);
      outputs.push_back(m(x[0].narrow(1, t, 1), context));
      context.commit();
    }
    return outputs;
  });
}

// Post-norm and pre-norm.
template <class Layer, class Call>
GradcheckResult both_norms(const GradcheckOptions& options, const std::vector<Shape>& shapes,
                           Call call) {
  manual_seed(0);
  const nn::TransformerLayerOptions small{.dim_feedforward = 5, .activation = nn::Activation::GELU};
  nn::TransformerLayerOptions pre_norm = small;
  pre_norm.norm_first = true;
  Layer post(4, 2, small), pre(4, 2, pre_norm);
  const GradcheckResult first = check(post, shapes, options, call);
  return first.passed ? check(pre, shapes, options, call) : first;
}

GradcheckResult encoder_layer(const GradcheckOptions& options) {
  return both_norms<nn::TransformerEncoderLayer>(options, {{2, 3, 4}}, [](auto& m, In x) {
    return m(x[0], nn::padding_mask({3, 2}, 3));
  });
}

GradcheckResult decoder_layer(const GradcheckOptions& options) {
  return both_norms<nn::TransformerDecoderLayer>(
      options, {{2, 3, 4}, {2, 2, 4}},
      [](auto& m, In x) { return m(x[0], x[1], nn::causal_mask(3)); });
}

GradcheckResult encoder_block(const GradcheckOptions& options) {
  manual_seed(0);
  nn::EncoderBlock module(4, 2, 6, 0.1, nn::Activation::GELU);
  return check(module, {{2, 3, 4}}, options,
               [](auto& m, In x) { return m(x[0], nn::causal_mask(3)); });
}

// Too many parameters for every entry of their Jacobians.
template <class Model, class Forward>
GradcheckResult sampled(Model& model, const GradcheckOptions& options, const Forward& forward) {
  model.to(Float64);
  const auto f = [&](In) { return Outputs(forward()); };
  return gradcheck_sampled(seeded(f), {}, model.named_parameters(), {options});
}

template <class Model, class Options>
Subject language_model(const char* name, const Options& small) {
  return {name, true, [small](const GradcheckOptions& options) {
            manual_seed(0);
            Model model(small);
            const Tensor tokens = randint(0, 7, {1, 6});
            return sampled(model, options, [&] { return model(tokens); });
          }};
}

GradcheckResult transformer(const GradcheckOptions& options) {
  manual_seed(0);
  nn::Transformer model({7, 5, 6, 8, 2, 1, 12});
  const Tensor source = randint(0, 7, {2, 6}), target = randint(0, 6, {2, 4});
  return sampled(model, options, [&] {
    return model(source, target, nn::padding_mask({6, 4}, 6));
  });
}

GradcheckResult sequence_model(const GradcheckOptions& options) {
  manual_seed(0);
  train::SequenceModel model({.vocabulary = 7,
                              .context = 6,
                              .d_model = 8,
                              .heads = 2,
                              .layers = 1,
                              .d_ff = 12,
                              .dropout = 0.1,
                              .arch = train::Arch::encdec});
  const data::Batch batch{randint(0, 7, {1, 6}), randint(0, 7, {1, 6})};
  return sampled(model, options, [&] { return model.logits(batch); });
}

}  // namespace

std::vector<Subject> module_subjects() {
  return {
      simple<nn::Linear>("Linear", {2, 3, 4}, 4, 5),
      {"Embedding", true, embedding},
      simple<nn::LayerNorm>("LayerNorm", {2, 3, 5}, 5),
      simple<nn::RMSNorm>("RMSNorm", {2, 3, 5}, 5),
      simple<nn::Dropout>("Dropout", {3, 4}, 0.4),
      simple<nn::ReLU>("ReLU", {3, 4}),
      simple<nn::GELU>("GELU", {3, 4}),
      simple<nn::SinusoidalPositions>("SinusoidalPositions", {2, 3, 5}, 4, 5),
      simple<nn::LearnedPositions>("LearnedPositions", {2, 3, 5}, 4, 5),
      {"Sequential", true, sequential},
      simple<nn::FeedForward>("FeedForward", {2, 3, 4}, 4, 6),
      simple<nn::SwiGLU>("SwiGLU", {2, 3, 4}, 4, 6),
      {"scaled_dot_product_attention", true, readable_attention},
      {"MultiHeadAttention", true, multi_head_attention},
      {"PackedMultiHeadAttention", true, packed_attention},
      {"CrossAttention", true, cross_attention},
      {"apply_rotary", true, rotary},
      {"GroupedQueryAttention", true, grouped_query_attention},
      simple<nn::CausalSelfAttention>("CausalSelfAttention", {2, 3, 4}, 4, 2, 0.1),
      {"EncoderBlock", true, encoder_block},
      simple<nn::CausalBlock>("CausalBlock", {2, 3, 4}, 4, 2, 6),
      simple<nn::GPTMLP>("GPTMLP", {2, 3, 4}, 4, 0.1),
      simple<nn::GPTBlock>("GPTBlock", {2, 3, 4}, 4, 2, 0.1),
      simple<nn::LlamaBlock>("LlamaBlock", {2, 3, 4}, nn::LlamaOptions{5, 4, 4, 2, 1, 1, 6, 0.1}),
      {"TransformerEncoderLayer", true, encoder_layer},
      {"TransformerDecoderLayer", true, decoder_layer},
      {"CrossEntropyLoss", true, cross_entropy_loss},
      language_model<nn::EncoderOnly>("EncoderOnly",
                                      nn::EncoderOnlyOptions{7, 6, 8, 2, 2, 12, 0.1}),
      language_model<nn::DecoderOnly>(
          "DecoderOnly", nn::DecoderOnlyOptions{7, 6, 8, 2, 2, 12, 0.1, nn::Positions::Rotary}),
      {"Transformer", true, transformer},
      language_model<nn::GPTBody>("GPTBody", nn::GPTOptions{7, 6, 8, 2, 1, 0.1}),
      language_model<nn::GPT>("GPT", nn::GPTOptions{7, 6, 8, 2, 2, 0.1}),
      language_model<nn::Llama>("Llama", nn::LlamaOptions{7, 6, 8, 4, 2, 2, 12, 0.1}),
      {"SequenceModel", true, sequence_model}};
}

}  // namespace tapehead::cli
