#include <doctest/doctest.h>
#include <tapehead/core/random.h>
#include <tapehead/data/byte_pair_tokenizer.h>

#include <array>
#include <map>

using namespace tapehead;
using data::BytePairTokenizer;
using data::Index;
using Merge = BytePairTokenizer::Merge;
using Tokens = std::vector<Index>;

namespace {

Tokens bytes_of(const std::string& text) {
  Tokens tokens;
  for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
  return tokens;
}

// From left to right, by looking at every place.
Tokens joined(const Tokens& tokens, const Merge& pair, Index token) {
  Tokens result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool here = i + 1 < tokens.size() && Merge(tokens[i], tokens[i + 1]) == pair;
    result.push_back(here ? token : tokens[i]);
    i += here;
  }
  return result;
}

// Counts all pairs anew for each merge.
std::vector<Merge> slowly_trained(const std::string& text, Index size) {
  std::vector<Merge> merges;
  Tokens tokens = bytes_of(text);
  for (Index token = 256; token < size; ++token) {
    std::map<Merge, int> counts;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) ++counts[{tokens[i], tokens[i + 1]}];
    Merge best;
    int most = 1;
    for (const auto& [pair, count] : counts)
      if (count > most) best = pair, most = count;
    if (most == 1) break;
    merges.push_back(best);
    tokens = joined(tokens, best, token);
  }
  return merges;
}

Tokens slowly_encoded(const BytePairTokenizer& tokenizer, const std::string& text) {
  Tokens tokens = bytes_of(text);
  Index token = 256;
  for (const Merge& merge : tokenizer.merges()) tokens = joined(tokens, merge, token++);
  return tokens;
}

std::string random_text(core::Generator& random, std::size_t length, unsigned symbols) {
  std::string text;
  while (text.size() < length) text += static_cast<char>(random.random() % symbols);
  return text;
}

}  // namespace

TEST_CASE("the most frequent pair is joined first, then the most frequent of what is left") {
  const auto tokenizer = BytePairTokenizer::train("aaabdaaabac", 259);  // Wikipedia's example
  CHECK(tokenizer.merges() == std::vector<Merge>{{'a', 'a'}, {'a', 'b'}, {256, 257}});
  CHECK(tokenizer.encode("aaabdaaabac") == Tokens{258, 'd', 258, 'a', 'c'});
  CHECK(tokenizer[258] == "aaab");
  CHECK(tokenizer.size() == 259);
}

TEST_CASE("of equally frequent pairs the one with the smaller tokens is joined") {
  CHECK(BytePairTokenizer::train("xyxyabab", 257).merges() == std::vector<Merge>{{'a', 'b'}});
  CHECK(BytePairTokenizer::train("acac abab", 257).merges() == std::vector<Merge>{{'a', 'b'}});
}

TEST_CASE("training ends where no pair is there twice") {
  CHECK(BytePairTokenizer::train("abcdef", 1000).size() == 256);
  CHECK(BytePairTokenizer::train("", 1000).size() == 256);
  CHECK(BytePairTokenizer::train("a", 1000).size() == 256);
  CHECK(BytePairTokenizer::train("abab", 1000).merges() == std::vector<Merge>{{'a', 'b'}});
}

TEST_CASE("training and encoding agree with counting everything anew") {
  core::Generator random(0);
  for (const unsigned symbols : {1U, 2U, 3U, 7U, 256U}) {
    for (const std::size_t length : std::array<std::size_t, 6>{2, 3, 4, 17, 100, 700}) {
      const std::string text = random_text(random, length, symbols);
      CAPTURE(symbols);
      CAPTURE(length);
      const auto tokenizer = BytePairTokenizer::train(text, 256 + 60);
      CHECK(tokenizer.merges() == slowly_trained(text, 256 + 60));
      for (const std::string& other : {text, random_text(random, 300, symbols)}) {
        const Tokens tokens = tokenizer.encode(other);
        CHECK(tokens == slowly_encoded(tokenizer, other));
        CHECK(tokenizer.decode(tokens) == other);
      }
    }
  }
}

TEST_CASE("any bytes come back, whatever the text of the training") {
  const auto tokenizer = BytePairTokenizer::train("the cat, the hat and the rat: the end.", 280);
  CHECK(tokenizer.encode("the the").size() < 7);
  for (const std::string& text :
       {std::string(), std::string("\0\xff\xfe\0", 4), std::string("\xef\xbb\xbfth\r\nthe"),
        std::string("d\u00e9j\u00e0 \u4e2d \U0001f600"), std::string(5000, 'e')})
    CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
}

TEST_CASE("pieces are at most 65,536 bytes long") {
  const std::string text(400000, 'a');
  const auto tokenizer = BytePairTokenizer::train(text, 300);
  CHECK(tokenizer.size() == 256 + 16);  // 2, 4, ... 65,536
  CHECK(tokenizer[271].size() == 65536);
  CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
  std::vector<Merge> merges = tokenizer.merges();
  merges.push_back({0, 271});
  CHECK_THROWS_WITH_AS(BytePairTokenizer{merges},
                       "byte pairs: a token may stand for 65536 bytes, got 65537 for token 272; "
                       "leave it out",
                       Error);
}

TEST_CASE("merges that make no tokenizer are refused") {
  const char* const order =
      "byte pairs: token 256 must join two tokens before it, got 256 and 0; list the merges in the "
      "order of their training";
  CHECK_THROWS_WITH_AS(BytePairTokenizer({{256, 0}}), order, Error);
  CHECK_THROWS_WITH_AS(BytePairTokenizer({{0, -1}}),
                       "byte pairs: token 256 must join two tokens before it, got 0 and -1; list "
                       "the merges in the order of their training",
                       Error);
  CHECK_THROWS_WITH_AS(BytePairTokenizer({{1, 2}, {3, 4}, {1, 2}}),
                       "byte pairs: each pair must be joined once, got 1 and 2 for tokens 256 and "
                       "258; leave one out",
                       Error);
  CHECK_THROWS_WITH_AS(BytePairTokenizer::train("abab", 255),
                       "byte pairs: a tokenizer has at least the 256 bytes, got a size of 255; "
                       "choose 256 or more",
                       Error);
  CHECK_THROWS_WITH_AS(BytePairTokenizer().decode({256}),
                       "byte pairs: tokens are 0 to 255, got 256; was it made with another "
                       "tokenizer?",
                       Error);
}
