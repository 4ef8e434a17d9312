// SequenceModel: tokens in, for each position the logits of an answer out. The model of all tasks,
// whichever architecture is inside.
//
//   SequenceModel model({.vocabulary = 10, .context = 8, .arch = Arch::decoder});
//   const Tensor logits = model.logits(batch);   // (B, T, 10)
//
// B sequences of T <= context tokens, V different ones, H heads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "../data/batch.h"
#include "../nn/decoder_only.h"
#include "../nn/encoder_only.h"
#include "../nn/gpt.h"
#include "../nn/llama.h"
#include "../nn/transformer.h"

namespace tapehead::train {

/// Each position sees all (encoder), or itself and those before (decoder, gpt, llama); or one half
/// reads the inputs and another writes the answer (encdec).
enum class Arch { encoder, decoder, encdec, gpt, llama };
/// "encoder", and so on.
const char* name(Arch arch);
/// Error, naming all, for none of them.
Arch arch_of(std::string_view name);
/// "encoder" to "llama".
const std::vector<std::string>& arch_names();
/// "sinusoidal", "learned", "rotary", "alibi".
const char* name(nn::Positions positions);
nn::Positions positions_of(std::string_view name);
const std::vector<std::string>& position_names();

struct ModelOptions {
  Index vocabulary, context;
  Index d_model = 32, heads = 4, layers = 1, d_ff = 64;  // a gpt's d_ff is 4 d_model
  double dropout = 0;
  Arch arch = Arch::encoder;
  nn::Positions positions = nn::Positions::Sinusoidal;  // of a decoder
  Index kv_heads = 0;                                   // of a llama; 0: as many as heads
  bool tied = true;                 // of a gpt and a llama: the head's weight is the embedding's
  double eps = 1e-5, base = 10000;  // of a llama: of its norms, of its rotary angles
};

class SequenceModel : public nn::Layer<SequenceModel> {
 public:
  /// Error for sizes that make no model: below 1 (0 layers are allowed), or a d_model that heads
  /// don't divide.
  explicit SequenceModel(const ModelOptions& chosen);
  /// One that is there already.
  explicit SequenceModel(std::unique_ptr<nn::GPT> gpt);
  explicit SequenceModel(std::unique_ptr<nn::Llama> llama);

  /// Int64 (B, T) -> (B, T, V). With a cache the tokens follow those in it, and are remembered.
  /// ShapeError for more than `context` tokens or one outside [0, V); Error for an encdec, and for
  /// a cache where the model is not causal.
  Tensor forward(const Tensor& tokens, nn::KVCache* cache = nullptr);
  /// What the loss is computed of, (B, T, V). An encdec's target begins with its start() and then
  /// has the answers as they are wanted, each one position late; those that nobody asks for are
  /// start() too.
  Tensor logits(const data::Batch& batch);
  /// Whether each position sees only itself and those before, so that the model can write on.
  bool causal() const;

  /// What is inside, or null if it is no T: nn::EncoderOnly, DecoderOnly, Transformer, GPT, Llama.
  /// Its parameters are the model's, by the same names.
  template <class T>
  T* as() {
    auto* const found = std::get_if<std::unique_ptr<T>>(&inside_);
    return found ? found->get() : nullptr;
  }

  const ModelOptions options;

 private:
  using Inside = std::variant<std::unique_ptr<nn::EncoderOnly>, std::unique_ptr<nn::DecoderOnly>,
                              std::unique_ptr<nn::Transformer>, std::unique_ptr<nn::GPT>,
                              std::unique_ptr<nn::Llama>>;
  static Inside made(const ModelOptions& options);
  void add_inside();

  Inside inside_;
};

/// The target that an encdec reads for these answers (B, T): `start`, then each answer but the
/// last, `start` where it is data::no_target.
Tensor decoder_input(const Tensor& targets, Index start);

/// What each head of each layer looks at while the model, evaluating, reads `tokens` (B, T): one
/// tensor (B, H, T, T) a layer; of an encdec, its encoder's. Whether the layers keep weights is
/// left as it was.
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
