// One training run: what both kinds of data have in common, and what each shows at its end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "../data/names.h"
#include "../data/tasks.h"
#include "../data/text.h"
#include "../train/recipe.h"

namespace tapehead::cli {

/// Trains on a toy task, then shows its held-out accuracy, a worked example and what each head
/// looked at there. Weights go to `out` unless it is empty, before anything is shown that could
/// fail or be interrupted.
void train_task(const data::Task& task, const train::Recipe& recipe, std::uint64_t seed,
                const std::string& out);

/// Trains on a text, then shows its held-out loss, what each head looks at in a line of it, and
/// what the model now writes.
void train_text(const data::Text& text, Index context, const train::Recipe& recipe,
                std::uint64_t seed, const std::string& out);

/// Trains on names, then shows its loss on those held out and names that the model now writes.
void train_names(const data::Names& names, const train::Recipe& recipe, std::uint64_t seed,
                 const std::string& out);

/// Says what will be trained, checks the gradients of that architecture and trains, showing
/// progress. Error if a gradient is wrong, the loss is no longer finite, or Ctrl-C was pressed.
void check_and_fit(train::SequenceModel& model, const std::function<data::Batch()>& next_batch,
                   const train::Recipe& recipe, std::uint64_t seed);

/// Writes all weights to `out`, and says so; nothing if it is empty.
void save(const train::SequenceModel& model, const std::string& out, const std::string& task);

/// A heat map a layer: what each head looks at while the model reads `tokens`, labelled by symbol.
void show_attention(train::SequenceModel& model, const std::vector<Index>& tokens,
                    const data::Vocabulary& vocabulary);

/// The generator that batches are drawn from. Not the stream that weights are drawn from, though
/// its seed is given by the same number.
core::Generator batch_generator(std::uint64_t seed);

}  // namespace tapehead::cli
