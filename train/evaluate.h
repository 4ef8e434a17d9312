// Evaluation: how often a model is right about what it has not seen.
#pragma once

#include "../data/text.h"
#include "model.h"

namespace tapehead::train {

struct Score {
  double tokens;     // the part of all answers that are right
  double sequences;  // the part of all sequences whose answers are all right
};

/// Holds `answers` against `targets`, both (B, T); where a target is data::no_target, any answer
/// will do.
Score score(const Tensor& answers, const Tensor& targets);

/// The model's answers (B, T), its most likely ones, to `batch`. If it is causal, and an input is
/// the target of the position before it, it reads its own answer there, so that it cannot profit
/// from a right one that it should not have seen. An encdec reads all inputs, and of the answers
/// only its own.
Tensor answer(SequenceModel& model, const data::Batch& batch);

/// score() of its own answers.
Score evaluate(SequenceModel& model, const data::Batch& batch);

/// What a model makes of each token that is asked for, given the right ones before it.
struct TokenScore {
  double loss;      // the mean cross entropy, in nats
  double accuracy;  // the part whose most likely token is right
};
TokenScore score_tokens(SequenceModel& model, const std::vector<data::Batch>& batches);
/// Over up to `most` windows spread over a text.
TokenScore score_tokens(SequenceModel& model, const data::Windows& windows, Index most);

}  // namespace tapehead::train
