// Text: a file as a sequence of characters, and the windows that a model is trained on.
//
//   const Text text = Text::read("hamlet.txt");
//   const Windows windows(text.tokens(), 64);
//   const Batch batch = windows.draw(random, 32);   // (32, 64), and the same shifted by one
//
// A character is a code point where the whole text is UTF-8, else a byte. Files are read as they
// are: no line end is translated, a byte order mark is a character like any other, and
// decode(tokens) gives back the file byte for byte.
#pragma once

#include "../core/random.h"
#include "batch.h"
#include "vocabulary.h"

namespace tapehead::data {

/// What a model of a text reads: the characters that occur in it, or bytes, all 256 of them, so
/// that it can go on with any other text.
enum class Symbols { characters, bytes };

class Text {
 public:
  /// `name` is what messages call it. Error if empty.
  explicit Text(const std::string& content, std::string name = "text",
                Symbols symbols = Symbols::characters);
  /// IoError for a path that is missing, a directory, a device, unreadable or larger than 64 MiB;
  /// pipes are read to their end.
  static Text read(const std::string& path, Symbols symbols = Symbols::characters);

  const std::string& name() const { return name_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const std::vector<Index>& tokens() const { return tokens_; }
  Index size() const { return static_cast<Index>(tokens_.size()); }
  /// Whether characters are code points; if not, they are bytes.
  bool is_utf8() const { return is_utf8_; }

 private:
  std::string name_;
  bool is_utf8_;
  Vocabulary vocabulary_;
  std::vector<Index> tokens_;
};

/// Every stretch of `context` tokens, each with the token that follows at every place of it.
class Windows {
 public:
  /// Error unless there is at least one: context + 1 tokens. `name` is what messages call them.
  Windows(std::vector<Index> tokens, Index context, const std::string& name = "text");

  Index context() const { return context_; }
  Index count() const { return static_cast<Index>(tokens_.size()) - context_; }
  /// Inputs and targets (offsets, context) from offsets in [0, count()); ShapeError for others.
  Batch at(const std::vector<Index>& offsets) const;
  /// At `size` offsets, each as likely as any other. ShapeError for a size below 1.
  Batch draw(core::Generator& generator, Index size) const;
  /// Up to `most` windows that do not overlap, spread evenly over all tokens.
  std::vector<Index> spread(Index most) const;

 private:
  std::vector<Index> tokens_;
  Index context_;
};

/// The first nine tenths, rounded down, to train on and the rest to judge by. Text too short for
/// the rest to hold two windows is not split: `held_out` is then all of it and `split` is false.
struct TextParts {
  Windows train, held_out;
  bool split;
};
TextParts split_text(const Text& text, Index context);
/// The same of any tokens.
TextParts split_tokens(const std::vector<Index>& tokens, Index context, const std::string& name);

}  // namespace tapehead::data
