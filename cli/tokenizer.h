// Tokenizer: text to and from what a model reads and writes, whichever kind it is of.
//
//   const Tokenizer tokenizer = tokenizer_of(loaded, "tok512.bin");
//   tokenizer.decode(previous, token);   // what `token` adds to the text
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../data/byte_pair_tokenizer.h"
#include "../data/vocabulary.h"
#include "../train/load_model.h"

namespace tapehead::cli {

using core::Index;

struct Tokenizer {
  std::function<std::vector<Index>(const std::string& text)> encode;
  std::function<std::string(Index previous, Index token)> decode;
  /// What a text begins with before anything is said; not shown.
  std::vector<Index> start;
  bool always_starts = false;  // also before a prompt
  /// Tokens that end a text.
  std::vector<Index> ends = {};
  /// As metadata of weights, by which tokenizer_of() finds it again. Empty where a file has it.
  io::Metadata words = {};
};

/// One token a symbol, the longest symbol that fits first. `mark` begins and ends texts.
Tokenizer symbols(const data::Vocabulary& vocabulary, std::optional<Index> mark = {});
Tokenizer byte_pairs(const data::BytePairTokenizer& tokenizer);

/// That of `file`, a llama2.c tokenizer or byte pairs, unless it is empty; else that which lies in
/// the run folder, or is told by the weights. Where there is none, texts are numbers with spaces
/// between them. IoError for a file that is neither; Error where it is not of the model's size.
Tokenizer tokenizer_of(const train::LoadedModel& loaded, const std::string& file);

/// The symbols that such metadata tell of, in order; nothing where they tell of none.
std::optional<data::Vocabulary> symbols_in(const io::Metadata& words);

/// The byte pairs of a run, in its folder.
std::string byte_pairs_in(const std::string& folder);

}  // namespace tapehead::cli
