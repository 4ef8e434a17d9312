#include "llama_tokenizer.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "utf8.h"

namespace tapehead::data {
namespace {

constexpr Index none = -1;

std::string byte_piece(int byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto at = static_cast<std::size_t>(byte);
  return std::string("<0x") + digits[at / 16] + digits[at % 16] + '>';
}

// Two neighbours that could be joined. Sizes tell whether they are still what they were.
struct Pair {
  float score;
  std::size_t left, right;
  std::size_t left_bytes, right_bytes;
  Index token;

  // The top of a queue is the highest score, and of equal ones the leftmost.
  bool operator<(const Pair& other) const {
    return score != other.score ? score < other.score : left > other.left;
  }
};

// A token in a chain of neighbours; without bytes once it is part of the one to its left.
struct Link {
  Index token;
  std::size_t before, after;
  std::size_t bytes;
};

}  // namespace

LlamaTokenizer::LlamaTokenizer(std::vector<std::string> pieces, std::vector<float> scores)
    : pieces_(std::move(pieces)), scores_(std::move(scores)) {
  if (pieces_.size() != scores_.size() || size() <= eos)
    fail("llama_tokenizer: expected more than ", eos, " pieces with a score each, got ",
         pieces_.size(), " pieces and ", scores_.size(), " scores");
  for (Index token = 0; token < size(); ++token) {
    if (std::isnan(scores_[static_cast<std::size_t>(token)]))
      fail("llama_tokenizer: scores must be numbers, got nan for token ", token);
    tokens_.emplace(pieces_[static_cast<std::size_t>(token)], token);
  }
  for (int byte = 0; byte < 256; ++byte)
    bytes_[static_cast<std::size_t>(byte)] = find(byte_piece(byte));
}

Index LlamaTokenizer::find(std::string_view piece) const {
  const auto found = tokens_.find(piece);
  return found == tokens_.end() ? none : found->second;
}

const std::string& LlamaTokenizer::operator[](Index token) const {
  if (token < 0 || token >= size())
    fail<ShapeError>("llama_tokenizer: token ", token, " is none of the ", size(), " tokens");
  return pieces_[static_cast<std::size_t>(token)];
}

std::vector<Index> LlamaTokenizer::characters(std::string_view text) const {
  std::vector<Index> result;
  for (std::size_t at = 0; at < text.size();) {
    const auto count = static_cast<std::size_t>(std::max(1, code_point(text, at).bytes));
    const std::string_view character = text.substr(at, count);
    at += count;
    const Index whole = find(character);
    if (whole != none) {
      result.push_back(whole);
      continue;
    }
    for (const char c : character) {
      const auto byte = static_cast<unsigned char>(c);
      if (bytes_[byte] == none)
        fail("llama_tokenizer: no token stands for byte ", int{byte}, " of \"",
             printable(character, false), "\"; use a vocabulary that has ", byte_piece(byte));
      result.push_back(bytes_[byte]);
    }
  }
  return result;
}

// Each join makes at most two new pairs, so this takes O(n log n) steps; the queue may hold pairs
// whose parts have been joined otherwise meanwhile.
std::vector<Index> LlamaTokenizer::merged(const std::vector<Index>& tokens) const {
  constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::vector<Link> chain;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    chain.push_back({tokens[i], i == 0 ? nowhere : i - 1, i + 1 == tokens.size() ? nowhere : i + 1,
                     std::max<std::size_t>(1, (*this)[tokens[i]].size())});
  std::priority_queue<Pair> pairs;
  const auto consider = [&](std::size_t left, std::size_t right) {
    if (left == nowhere || right == nowhere) return;
    const Index token = find((*this)[chain[left].token] + (*this)[chain[right].token]);
    if (token == none) return;
    pairs.push({scores_[static_cast<std::size_t>(token)], left, right, chain[left].bytes,
                chain[right].bytes, token});
  };
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) consider(i, i + 1);
  for (; !pairs.empty();) {
    const Pair pair = pairs.top();
    pairs.pop();
    Link &left = chain[pair.left], &right = chain[pair.right];
    if (left.bytes != pair.left_bytes || right.bytes != pair.right_bytes) continue;
    left = {pair.token, left.before, right.after, left.bytes + right.bytes};
    right.bytes = 0;
    if (left.after != nowhere) chain[left.after].before = pair.left;
    consider(left.before, pair.left);
    consider(pair.left, left.after);
  }
  std::vector<Index> result;
  for (const Link& link : chain)
    if (link.bytes != 0) result.push_back(link.token);
  return result;
}

std::vector<Index> LlamaTokenizer::encode(std::string_view text, bool with_bos,
                                          bool with_eos) const {
  std::vector<Index> result;
  if (with_bos) result.push_back(bos);
  if (!text.empty()) {
    const std::vector<Index> tokens = merged(characters(std::string{' '}.append(text)));
    result.insert(result.end(), tokens.begin(), tokens.end());
  }
  if (with_eos) result.push_back(eos);
  return result;
}

std::string LlamaTokenizer::decode(Index previous, Index token) const {
  const std::string& piece = (*this)[token];
  if (token == bos || token == eos) return "";
  const auto byte = std::find(bytes_.begin(), bytes_.end(), token);
  if (byte != bytes_.end()) return {static_cast<char>(byte - bytes_.begin())};
  return previous == bos && piece.starts_with(' ') ? piece.substr(1) : piece;
}

std::string LlamaTokenizer::decode(const std::vector<Index>& tokens) const {
  std::string result;
  Index previous = none;
  for (const Index token : tokens) {
    result += decode(previous, token);
    previous = token;
  }
  return result;
}

}  // namespace tapehead::data
