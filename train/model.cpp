#include "model.h"

#include <array>

#include "../autograd/create.h"
#include "../core/text.h"

namespace tapehead::train {
namespace {

template <class T, std::size_t N>
using Names = std::array<std::pair<T, const char*>, N>;
constexpr Names<Arch, 5> arches{{{Arch::encoder, "encoder"},
                                 {Arch::decoder, "decoder"},
                                 {Arch::encdec, "encdec"},
                                 {Arch::gpt, "gpt"},
                                 {Arch::llama, "llama"}}};
constexpr Names<nn::Positions, 4> all_positions{{{nn::Positions::Sinusoidal, "sinusoidal"},
                                                 {nn::Positions::Learned, "learned"},
                                                 {nn::Positions::Rotary, "rotary"},
                                                 {nn::Positions::ALiBi, "alibi"}}};

template <class T, std::size_t N>
const char* name_in(const Names<T, N>& all, T value) {
  for (const auto& [each, name] : all)
    if (each == value) return name;
  return "";
}

template <class T, std::size_t N>
std::vector<std::string> names_in(const Names<T, N>& all) {
  std::vector<std::string> result;
  for (const auto& [each, name] : all) result.emplace_back(name);
  return result;
}

ModelOptions checked(ModelOptions options) {
  if (options.layers < 0) fail("SequenceModel: layers must be at least 0, got ", options.layers);
  if (options.kv_heads == 0) options.kv_heads = options.heads;
  if (options.arch == Arch::gpt) options.d_ff = 4 * options.d_model;
  return options;
}

ModelOptions options_of(const nn::GPTOptions& o) {
  return {.vocabulary = o.vocabulary,
          .context = o.context,
          .d_model = o.d_model,
          .heads = o.heads,
          .layers = o.layers,
          .dropout = o.dropout,
          .arch = Arch::gpt,
          .tied = o.tied};
}

ModelOptions options_of(const nn::LlamaOptions& o) {
  return {.vocabulary = o.vocabulary,
          .context = o.context,
          .d_model = o.d_model,
          .heads = o.heads,
          .layers = o.layers,
          .d_ff = o.d_ff,
          .dropout = o.dropout,
          .arch = Arch::llama,
          .kv_heads = o.kv_heads,
          .tied = o.tied,
          .eps = o.eps,
          .base = o.base};
}

}  // namespace

const char* name(Arch arch) { return name_in(arches, arch); }

Arch arch_of(std::string_view name) {
  for (const auto& [arch, each] : arches)
    if (name == each) return arch;
  fail("arch_of: expected encoder, decoder, encdec, gpt or llama, got \"", name, "\"");
}

const std::vector<std::string>& arch_names() {
  static const std::vector<std::string> names = names_in(arches);
  return names;
}

const char* name(nn::Positions positions) { return name_in(all_positions, positions); }

nn::Positions positions_of(std::string_view name) {
  for (const auto& [positions, each] : all_positions)
    if (name == each) return positions;
  fail("positions_of: expected sinusoidal, learned, rotary or alibi, got \"", name, "\"");
}

const std::vector<std::string>& position_names() {
  static const std::vector<std::string> names = names_in(all_positions);
  return names;
}

SequenceModel::Inside SequenceModel::made(const ModelOptions& o) {
  switch (o.arch) {
    case Arch::encoder:
      return std::make_unique<nn::EncoderOnly>(nn::EncoderOnlyOptions{
          o.vocabulary, o.context, o.d_model, o.heads, o.layers, o.d_ff, o.dropout});
    case Arch::decoder:
      return std::make_unique<nn::DecoderOnly>(nn::DecoderOnlyOptions{
          o.vocabulary, o.context, o.d_model, o.heads, o.layers, o.d_ff, o.dropout, o.positions});
    case Arch::encdec:
      return std::make_unique<nn::Transformer>(nn::TransformerOptions{
          o.vocabulary, o.vocabulary, o.context, o.d_model, o.heads, o.layers, o.d_ff, o.dropout});
    case Arch::gpt:
      return std::make_unique<nn::GPT>(
          nn::GPTOptions{o.vocabulary, o.context, o.d_model, o.heads, o.layers, o.dropout, o.tied});
    case Arch::llama:
      break;
  }
  nn::LlamaOptions llama;
  llama.vocabulary = o.vocabulary, llama.context = o.context, llama.d_model = o.d_model;
  llama.heads = o.heads, llama.kv_heads = o.kv_heads, llama.layers = o.layers;
  llama.d_ff = o.d_ff, llama.dropout = o.dropout, llama.tied = o.tied;
  llama.eps = o.eps, llama.base = o.base;
  return std::make_unique<nn::Llama>(llama);
}

SequenceModel::SequenceModel(const ModelOptions& chosen)
    : options(checked(chosen)), inside_(made(options)) {
  add_inside();
}
SequenceModel::SequenceModel(std::unique_ptr<nn::GPT> gpt)
    : options(checked(options_of(gpt->options))), inside_(std::move(gpt)) {
  add_inside();
}
SequenceModel::SequenceModel(std::unique_ptr<nn::Llama> llama)
    : options(checked(options_of(llama->options))), inside_(std::move(llama)) {
  add_inside();
}

void SequenceModel::add_inside() {
  std::visit([&](const auto& model) { add_as_self(*model); }, inside_);
}

bool SequenceModel::causal() const {
  return options.arch != Arch::encoder && options.arch != Arch::encdec;
}

Tensor SequenceModel::forward(const Tensor& tokens, nn::KVCache* cache) {
  if (cache && !causal())
    fail("SequenceModel: expected a causal model for a cache, got an ", name(options.arch),
         "; call it without");
  if (auto* const model = as<nn::EncoderOnly>()) return (*model)(tokens);
  if (auto* const model = as<nn::DecoderOnly>()) return (*model)(tokens, cache);
  if (auto* const model = as<nn::GPT>()) return (*model)(tokens, cache);
  if (auto* const model = as<nn::Llama>()) return (*model)(tokens, cache);
  fail("SequenceModel: an encdec reads a source and a target, got ", tokens.shape(),
       " tokens alone; call logits(batch)");
}

Tensor SequenceModel::logits(const data::Batch& batch) {
  auto* const transformer = as<nn::Transformer>();
  if (!transformer) return (*this)(batch.inputs);
  return (*transformer)(batch.inputs, decoder_input(batch.targets, transformer->start()));
}

Tensor decoder_input(const Tensor& targets, Index start) {
  const Index B = targets.size(0), T = targets.size(1);
  const Tensor late = cat({full({B, 1}, start), targets.narrow(1, 0, T - 1)}, 1);  // (B, T)
  return masked_fill(late, late == data::no_target, start);
}

namespace {

// Calls f with the attention module of each layer that reads the inputs.
template <class F>
void each_attention(SequenceModel& model, const F& f) {
  if (auto* const inside = model.as<nn::EncoderOnly>())
    for (nn::EncoderBlock& block : inside->blocks) f(block.attn);
  if (auto* const inside = model.as<nn::DecoderOnly>())
    for (nn::CausalBlock& block : inside->blocks) f(block.attn);
  if (auto* const inside = model.as<nn::Transformer>())
    for (nn::TransformerEncoderLayer& layer : inside->encoder) f(layer.self_attn);
  if (auto* const inside = model.as<nn::GPT>())
    for (nn::GPTBlock& block : inside->transformer.h) f(block.attn);
  if (auto* const inside = model.as<nn::Llama>())
    for (nn::LlamaBlock& block : inside->layers) f(block.attention);
}

// While it lives, every layer keeps its weights.
class KeepingWeights {
 public:
  explicit KeepingWeights(SequenceModel& model) : model_(model) {
    each_attention(model, [&](auto& attn) { kept_.push_back(attn.keeps_weights()); });
    each_attention(model, [](auto& attn) { attn.keep_weights(true); });
  }
  ~KeepingWeights() {
    auto kept = kept_.begin();
    each_attention(model_, [&](auto& attn) { attn.keep_weights(*kept++); });
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
  if (auto* const transformer = model.as<nn::Transformer>())
    transformer->encode(tokens);
  else
    model(tokens);
  std::vector<Tensor> weights;
  each_attention(model, [&](auto& attn) { weights.push_back(attn.attention_weights()); });
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
