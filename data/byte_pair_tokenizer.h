// BytePairTokenizer: text to and from tokens that were learnt from a text, so that what is frequent
// there is short (Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword
// Units"; over bytes as in GPT-2).
//
//   const BytePairTokenizer tokenizer = BytePairTokenizer::train(text, 512);
//   tokenizer.decode(tokenizer.encode("any bytes")) == "any bytes"
//   io::save_byte_pairs("tokenizer.json", tokenizer.merges());
//
// Tokens 0 to 255 are the bytes; each token after them is two tokens before it, joined. Text is not
// divided into words first: a token may hold a space, or the end of a line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/shape.h"

namespace tapehead::data {

using core::Index;

class BytePairTokenizer {
 public:
  using Merge = std::pair<Index, Index>;
  static constexpr Index bytes = 256;
  static constexpr Index longest_piece = 65536;  // bytes

  /// Token 256 + k is merges[k]: the two tokens that it joins. Error for tokens that are not there
  /// before it, for a pair that is there twice, and for a piece longer than longest_piece.
  explicit BytePairTokenizer(std::vector<Merge> merges = {});

  /// Joins, again and again, the two neighbours that are the most frequent in `text`; of equally
  /// frequent ones those whose first, then second token is the smaller. Ends at `size` tokens, or
  /// where no pair is there twice (or all such are longer than longest_piece). Error for a size
  /// below 256.
  static BytePairTokenizer train(std::string_view text, Index size);

  Index size() const { return bytes + static_cast<Index>(merges_.size()); }
  const std::vector<Merge>& merges() const { return merges_; }
  /// The bytes of a token; Error for a number that stands for none.
  std::string operator[](Index token) const;

  /// Joins what was joined first in training, from left to right, then what was joined next, and so
  /// on. Any bytes will do.
  std::vector<Index> encode(std::string_view text) const;
  std::string decode(const std::vector<Index>& tokens) const;

 private:
  void append(std::string& text, Index token) const;

  std::vector<Merge> merges_;
  std::vector<std::pair<Merge, Index>> by_pair_;  // sorted: two tokens, and what they are joined to
};

}  // namespace tapehead::data
