#include "module_table.h"

#include "../autograd/create.h"
#include "../nn/cross_entropy_loss.h"
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

GradcheckResult encoder_block(const GradcheckOptions& options) {
  manual_seed(0);
  nn::EncoderBlock module(4, 2, 6, 0.1, nn::Activation::GELU);
  return check(module, {{2, 3, 4}}, options,
               [](auto& m, In x) { return m(x[0], nn::causal_mask(3)); });
}

// Too many parameters for every entry of its Jacobian.
GradcheckResult sequence_model(const GradcheckOptions& options) {
  manual_seed(0);
  train::SequenceModel model({.vocabulary = 7,
                              .context = 6,
                              .d_model = 8,
                              .heads = 2,
                              .layers = 2,
                              .d_ff = 12,
                              .dropout = 0.1,
                              .causal = true});
  model.to(Float64);
  const Tensor tokens = randint(0, 7, {1, 6});
  const auto f = [&](In) { return Outputs(model(tokens)); };
  return gradcheck_sampled(seeded(f), {}, model.named_parameters(), {options});
}

}  // namespace

std::vector<Subject> module_subjects() {
  return {simple<nn::Linear>("Linear", {2, 3, 4}, 4, 5),
          {"Embedding", true, embedding},
          simple<nn::LayerNorm>("LayerNorm", {2, 3, 5}, 5),
          simple<nn::Dropout>("Dropout", {3, 4}, 0.4),
          simple<nn::ReLU>("ReLU", {3, 4}),
          simple<nn::GELU>("GELU", {3, 4}),
          simple<nn::SinusoidalPositions>("SinusoidalPositions", {2, 3, 5}, 4, 5),
          simple<nn::LearnedPositions>("LearnedPositions", {2, 3, 5}, 4, 5),
          {"Sequential", true, sequential},
          simple<nn::FeedForward>("FeedForward", {2, 3, 4}, 4, 6),
          {"scaled_dot_product_attention", true, readable_attention},
          {"MultiHeadAttention", true, multi_head_attention},
          {"EncoderBlock", true, encoder_block},
          {"CrossEntropyLoss", true, cross_entropy_loss},
          {"SequenceModel", true, sequence_model}};
}

}  // namespace tapehead::cli
