// LlamaTokenizer: text to and from the pieces of a Llama, as sentencepiece's byte-pair models have
// it and as llama2.c runs them.
//
//   const LlamaTokenizer tokenizer(pieces, scores);     // of io::read_llama2c_tokenizer()
//   tokenizer.encode("Once upon a time");               // begins with bos
//   tokenizer.decode(tokens) == "Once upon a time"
//
// Encoding puts a space in front of the text, takes it apart into characters, those that are no
// piece into the pieces "<0x00>" to "<0xFF>" of their bytes, and then joins two neighbours at a
// time: those whose union is the piece with the highest score, of equal ones the leftmost.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../core/shape.h"

namespace tapehead::data {

using core::Index;

class LlamaTokenizer {
 public:
  /// The tokens that begin and end a text, by Llama's convention.
  static constexpr Index bos = 1, eos = 2;

  /// Token k is pieces[k]; of equal pieces the first counts. Error unless there are more than two,
  /// each with a score that is no NaN.
  LlamaTokenizer(std::vector<std::string> pieces, std::vector<float> scores);

  Index size() const { return static_cast<Index>(pieces_.size()); }
  /// The piece of a token, as it is written; Error for a number that stands for none.
  const std::string& operator[](Index token) const;

  /// The tokens of `text`, which may hold any bytes; none but the marks for an empty one. Error for
  /// a byte that is neither in a piece of its own nor among "<0x00>" to "<0xFF>".
  std::vector<Index> encode(std::string_view text, bool with_bos = true,
                            bool with_eos = false) const;
  /// What `token` adds to a text after `previous`: its piece, less the space in front where the
  /// text begins, or the byte that it stands for. Nothing for bos and eos.
  std::string decode(Index previous, Index token) const;
  /// The whole text. One that does not begin with bos keeps its first space.
  std::string decode(const std::vector<Index>& tokens) const;

 private:
  Index find(std::string_view piece) const;  // -1 where there is none
  std::vector<Index> characters(std::string_view text) const;
  std::vector<Index> merged(const std::vector<Index>& tokens) const;

  std::vector<std::string> pieces_;
  std::vector<float> scores_;
  std::unordered_map<std::string_view, Index> tokens_;  // into pieces_
  std::array<Index, 256> bytes_;                        // of each byte, or -1
};

}  // namespace tapehead::data
