#include "evaluate.h"

#include <algorithm>

namespace tapehead::train {
namespace {

constexpr Index at_once = 64;  // windows

// The first position that somebody asks for in any sequence.
Index first_target(const Tensor& targets) {
  for (Index t = 0; t < targets.size(1); ++t)
    if (!equal(targets.select(1, t), full_like(targets.select(1, t), data::no_target))) return t;
  return targets.size(1);
}

// Reads on from its own answers, one position after another: where the next input is the right
// answer, it finds its own there.
Tensor answer_in_turn(SequenceModel& model, const data::Batch& batch) {
  const Index T = batch.inputs.size(1), first = first_target(batch.targets);
  Tensor answers = batch.targets.clone();
  nn::KVCache cache;
  Tensor read = batch.inputs.narrow(1, 0, std::min(first + 1, T));  // (B, first + 1), then (B, 1)
  for (Index t = first; t < T; ++t) {
    const Tensor logits = model(read, &cache);  // (B, …, V)
    const Tensor next = argmax(logits.select(1, logits.size(1) - 1), -1, /*keepdim=*/true);
    answers.narrow(1, t, 1).copy_(next);  // (B, 1)
    if (t + 1 == T) break;
    const Tensor input = batch.inputs.narrow(1, t + 1, 1);
    read = where(input == batch.targets.narrow(1, t, 1), next, input);
  }
  return answers;
}

// Reads all inputs, then its own answers, where it is asked for them.
Tensor written_answer(nn::Transformer& model, const data::Batch& batch) {
  const Tensor memory = model.encode(batch.inputs);         // (B, T, d_model)
  const Tensor unasked = batch.targets == data::no_target;  // (B, T)
  Tensor answers = batch.targets.clone();
  for (Index t = first_target(batch.targets); t < batch.targets.size(1); ++t) {
    const Tensor read = masked_fill(answers, unasked, data::no_target);
    const Tensor target = decoder_input(read, model.start());                // (B, T)
    const Tensor logits = model.decode(target.narrow(1, 0, t + 1), memory);  // (B, t + 1, V)
    answers.select(1, t).copy_(argmax(logits.select(1, t), -1));
  }
  return answers;
}

}  // namespace

Score score(const Tensor& answers, const Tensor& targets) {
  if (answers.shape() != targets.shape() || targets.dim() != 2)
    fail<ShapeError>("score: expected answers and targets (B, T), got ", answers.shape(), " and ",
                     targets.shape(), "; take the argmax of the logits");
  const Tensor asked = targets != data::no_target;                      // (B, T)
  const Tensor right = logical_and(answers == targets, asked);          // (B, T)
  const Tensor fine = logical_or(right, logical_not(asked)).to(Int64);  // (B, T)
  const Tensor whole = fine.sum({1}) == targets.size(1);                // (B)
  const auto part = [](const Tensor& of, Index all) {
    return of.sum().item() / static_cast<double>(std::max<Index>(all, 1));
  };
  return {part(right, asked.sum().item<Index>()), part(whole, targets.size(0))};
}

Tensor answer(SequenceModel& model, const data::Batch& batch) {
  const Evaluating evaluating(model);
  if (model.causal()) return answer_in_turn(model, batch);
  if (auto* const transformer = model.as<nn::Transformer>())
    return written_answer(*transformer, batch);
  return argmax(model(batch.inputs), -1);
}

Score evaluate(SequenceModel& model, const data::Batch& batch) {
  return score(answer(model, batch), batch.targets);
}

TokenScore score_tokens(SequenceModel& model, const std::vector<data::Batch>& batches) {
  const Evaluating evaluating(model);
  double loss = 0, right = 0, asked = 0;
  for (const data::Batch& batch : batches) {
    const Tensor logits = model.logits(batch).flatten(0, 1);  // (B T, V)
    const Tensor targets = batch.targets.flatten();           // (B T)
    loss += cross_entropy(logits, targets, {.reduction = Reduction::Sum}).item();
    right += (argmax(logits, -1) == targets).sum().item();
    asked += (targets != data::no_target).sum().item();
  }
  asked = std::max(asked, 1.0);
  return {loss / asked, right / asked};
}

TokenScore score_tokens(SequenceModel& model, const data::Windows& windows, Index most) {
  const std::vector<Index> offsets = windows.spread(most);
  std::vector<data::Batch> batches;
  for (auto from = offsets.begin(); from != offsets.end();) {
    const auto to = from + std::min<std::ptrdiff_t>(at_once, offsets.end() - from);
    batches.push_back(windows.at({from, to}));
    from = to;
  }
  return score_tokens(model, batches);
}

}  // namespace tapehead::train
