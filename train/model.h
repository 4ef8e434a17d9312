// SequenceModel: tokens in, for each position the logits of an answer out. The model of all tasks.
//
//   SequenceModel model({.vocabulary = 10, .context = 8});
//   const Tensor logits = model(tokens);   // Int64 (B, T) -> (B, T, 10)
//
// B sequences of T <= context tokens, V different ones, H heads.
#pragma once

#include "../nn/embedding.h"
#include "../nn/encoder_block.h"
#include "../nn/layer_norm.h"
#include "../nn/linear.h"
#include "../nn/module_list.h"
#include "../nn/positions.h"

namespace tapehead::train {

struct ModelOptions {
  Index vocabulary, context;
  Index d_model = 32, heads = 4, layers = 1, d_ff = 64;
  double dropout = 0;
  bool causal = false;  // no position looks at a later one
};

class SequenceModel : public nn::Layer<SequenceModel> {
 public:
  /// Error for sizes that make no model: below 1 (0 layers are allowed), or a d_model that heads
  /// don't divide.
  explicit SequenceModel(const ModelOptions& chosen);

  /// Int64 (B, T) -> (B, T, V). ShapeError for T > context or a token outside [0, V).
  Tensor forward(const Tensor& tokens);

  const ModelOptions options;
  nn::Embedding embedding;
  nn::SinusoidalPositions positions;
  nn::ModuleList<nn::EncoderBlock> blocks;  // pre-norm
  nn::LayerNorm norm;
  nn::Linear head;
};

/// What each head of each layer looks at while the model, evaluating, reads `tokens` (B, T): one
/// tensor (B, H, T, T) a layer. Whether the layers keep weights is left as it was.
std::vector<Tensor> attention_weights(SequenceModel& model, const Tensor& tokens);

/// While it lives, `module` evaluates: no dropout, and nothing is recorded. Then each of its
/// modules is again in the mode that it was in.
class Evaluating {
 public:
  explicit Evaluating(nn::Module& module);
  ~Evaluating();
  Evaluating(const Evaluating&) = delete;
  Evaluating& operator=(const Evaluating&) = delete;

 private:
  std::vector<std::pair<nn::Module*, bool>> modes_;
  NoGradGuard no_grad_;
};

}  // namespace tapehead::train
