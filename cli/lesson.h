// Lesson: what a model is taught, and how one finds out what it has learnt.
#pragma once

#include <cstdint>
#include <optional>

#include "../data/tasks.h"
#include "../io/json.h"
#include "../train/evaluate.h"
#include "settings.h"
#include "tokenizer.h"

namespace tapehead::cli {

/// How well a model does.
struct Verdict {
  std::string text;   // lines for people
  std::string tally;  // right answers of all, "99/100"; "" where there are none
  std::vector<std::pair<std::string, io::Json>> fields;  // for programs
};

struct Lesson {
  std::string about;  // lines
  Index vocabulary, context;
  Tokenizer tokenizer;
  std::function<data::Batch(core::Generator&, Index size)> draw;
  std::function<train::TokenScore(train::SequenceModel&)> held_out;
  std::function<Verdict(train::SequenceModel&)> judge;
  /// Says what the model does with an example, and what its heads look at there.
  std::function<void(train::SequenceModel&, std::uint64_t seed)> show;
  std::optional<data::BytePairTokenizer> byte_pairs = {};  // that a run keeps in its folder
};

/// Of resolved settings. Errors as those that read their files.
Lesson lesson_of(const Settings& settings);

Lesson task_lesson(const data::Task& task);
Lesson text_lesson(const Settings& settings);
Lesson names_lesson(const std::string& file);

/// The verdict on a text or names: on how many tokens, each a `unit`, are foretold. `part` is what
/// the words for people begin with, "held-out " or "".
Verdict judge_tokens(const train::TokenScore& score, Index vocabulary, const std::string& part,
                     const std::string& unit);
/// The verdict on these examples, which `which` says of: "all 729", "1,000 unseen".
Verdict judge_task(train::SequenceModel& model, const data::Task& task,
                   const std::vector<data::Example>& examples, const std::string& accuracy,
                   const std::string& which);
/// On all of a text that the tokenizer takes apart. Error for one that is too short.
Verdict judge_text(train::SequenceModel& model, const Tokenizer& tokenizer,
                   const std::string& file);

/// "98.4 %"
std::string percent(double part);

/// Says which token the model thinks likeliest after all of `tokens` but the last, and whether that
/// is the last.
void show_foretold(train::SequenceModel& model, const std::vector<Index>& tokens,
                   const std::function<std::string(Index)>& label);

/// A heat map a layer: what each head looks at while the model reads `tokens`.
void show_attention(train::SequenceModel& model, const std::vector<Index>& tokens,
                    const std::function<std::string(Index)>& label);

}  // namespace tapehead::cli
