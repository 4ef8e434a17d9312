#include "model.h"

#include "../nn/init.h"

namespace tapehead::train {

namespace {

ModelOptions checked(const ModelOptions& options) {
  if (options.layers < 0) fail("SequenceModel: layers must be at least 0, got ", options.layers);
  return options;
}

}  // namespace

SequenceModel::SequenceModel(const ModelOptions& chosen)
    : options(checked(chosen)),
      embedding(chosen.vocabulary, chosen.d_model),
      positions(chosen.context, chosen.d_model),
      norm(chosen.d_model),
      head(chosen.d_model, chosen.vocabulary) {
  for (Index layer = 0; layer < options.layers; ++layer)
    blocks.emplace_back(options.d_model, options.heads, options.d_ff, options.dropout);
  add("embedding", embedding);
  add("positions", positions);
  add("blocks", blocks);
  add("norm", norm);
  add("head", head);
  // Small logits at first, so that the loss begins at about ln V for any V.
  nn::init::normal_(head.weight, 0, 0.02);
  nn::init::zeros_(head.bias);
}

Tensor SequenceModel::forward(const Tensor& tokens) {
  const Tensor mask = options.causal ? nn::causal_mask(tokens.size(1)) : Tensor();  // (T, T)
  Tensor x = positions(embedding(tokens));                    // (B, T, d_model)
  for (nn::EncoderBlock& block : blocks) x = block(x, mask);  // (B, T, d_model)
  return head(norm(x));                                       // (B, T, V)
}

namespace {

// While it lives, every layer keeps its weights.
class KeepingWeights {
 public:
  explicit KeepingWeights(SequenceModel& model) : model_(model) {
    for (const nn::EncoderBlock& block : model.blocks) kept_.push_back(block.attn.keeps_weights());
    for (nn::EncoderBlock& block : model.blocks) block.attn.keep_weights(true);
  }
  ~KeepingWeights() {
    auto kept = kept_.begin();
    for (nn::EncoderBlock& block : model_.blocks) block.attn.keep_weights(*kept++);
  }
  KeepingWeights(const KeepingWeights&) = delete;
  KeepingWeights& operator=(const KeepingWeights&) = delete;

 private:
  SequenceModel& model_;
  std::vector<bool> kept_;
};

}  // namespace

std::vector<Tensor> attention_weights(SequenceModel& model, const Tensor& tokens) {
  const Evaluating evaluating(model);
  const KeepingWeights keeping(model);
  model(tokens);
  std::vector<Tensor> weights;
  for (const nn::EncoderBlock& block : model.blocks)
    weights.push_back(block.attn.attention_weights());
  return weights;
}

Evaluating::Evaluating(nn::Module& module) {
  for (const auto& [name, each] : module.named_modules())
    modes_.emplace_back(each, each->is_training());
  module.eval();
}

// Parents come first, so that what they tell their children is corrected.
Evaluating::~Evaluating() {
  for (const auto& [module, training] : modes_) module->train(training);
}

}  // namespace tapehead::train
