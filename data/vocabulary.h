// Vocabulary: symbols and the numbers that stand for them.
//
//   const Vocabulary v = Vocabulary::of("abba");   // "a" = 0, "b" = 1
//   v.decode(v.encode("ab")) == "ab"
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "../core/shape.h"

namespace tapehead::data {

using core::Index;

class Vocabulary {
 public:
  /// Symbol k of `symbols` is token k. Error if one occurs twice or is empty.
  explicit Vocabulary(std::vector<std::string> symbols);
  /// The different characters of `text` in the order of their code points (bytes, where it is not
  /// UTF-8): the same text gives the same numbers everywhere.
  static Vocabulary of(std::string_view text);

  /// All 256 bytes: token k is byte k.
  static Vocabulary bytes();

  Index size() const { return static_cast<Index>(symbols_.size()); }
  /// The symbol of a token; Error for a number that stands for none.
  const std::string& operator[](Index token) const;
  bool contains(std::string_view symbol) const { return tokens_.find(symbol) != tokens_.end(); }

  /// The token of one symbol; Error as for encode().
  Index token(std::string_view symbol) const;
  /// One token a character, or a byte where symbols are bytes that are not UTF-8. Error naming the
  /// first character that is not in the vocabulary.
  std::vector<Index> encode(std::string_view text) const;
  std::string decode(const std::vector<Index>& tokens) const;

 private:
  std::vector<std::string> symbols_;
  std::map<std::string, Index, std::less<>> tokens_;
  bool bytes_ = false;
};

}  // namespace tapehead::data
