#include <doctest/doctest.h>
#include <tapehead/data/llama_tokenizer.h>

#include <limits>

using namespace tapehead;
using data::LlamaTokenizer;
using Tokens = std::vector<core::Index>;

namespace {

// 0 to 2 are marks, then bytes a few, then pieces.
LlamaTokenizer small() {
  return {{"<unk>", "<s>", "</s>", "<0x0A>", "<0xC3>", "<0xA9>", " ", "a", "b", "c", "ab", "bc",
           "abc", " a", "aa", "ü"},
          {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, -1, -3, -5, -4, 0}};
}

}  // namespace

TEST_CASE("neighbours are joined by score, and of equal scores from the left") {
  const LlamaTokenizer t = small();
  CHECK(t.encode("b", false) == Tokens{6, 8});
  CHECK(t.encode("a", false) == Tokens{13});
  CHECK(t.encode("ab", false) == Tokens{6, 10});   // "ab" before " a"
  CHECK(t.encode("abc", false) == Tokens{6, 12});  // "bc", then "abc" of "a" and that
  CHECK(t.encode("babc", false) == Tokens{6, 8, 12});
  CHECK(t.encode("baaa", false) == Tokens{6, 8, 14, 7});
  CHECK(t.encode("baaaa", false) == Tokens{6, 8, 14, 14});
  CHECK(t.encode("ba", false) == Tokens{6, 8, 7});
}

TEST_CASE("characters without a piece become bytes, whole or broken") {
  const LlamaTokenizer t = small();
  CHECK(t.encode("é", false) == Tokens{6, 4, 5});
  CHECK(t.encode("\xc3", false) == Tokens{6, 4});
  CHECK(t.encode("\xa9\xc3", false) == Tokens{6, 5, 4});
  CHECK(t.encode("ü\n", false) == Tokens{6, 15, 3});
  CHECK_THROWS_WITH_AS(t.encode("x"),
                       "llama_tokenizer: no token stands for byte 120 of \"x\"; use a vocabulary "
                       "that has <0x78>",
                       Error);
}

TEST_CASE("a text begins with a mark, and ends with one where that is asked for") {
  const LlamaTokenizer t = small();
  CHECK(t.encode("b") == Tokens{1, 6, 8});
  CHECK(t.encode("b", true, true) == Tokens{1, 6, 8, 2});
  CHECK(t.encode("", true, true) == Tokens{1, 2});
  CHECK(t.encode("", false) == Tokens{});
}

TEST_CASE("decoding drops the space that encoding put in front, and turns bytes back") {
  const LlamaTokenizer t = small();
  for (const std::string text : {"abc", " abc", "", "aé\nb", "\xc3", "\xa9\xa9", "  a  b "}) {
    CHECK(t.decode(t.encode(text)) == text);
    CHECK(t.decode(t.encode(text, true, true)) == text);
  }
  CHECK(t.decode(t.encode("a", false)) == " a");
  CHECK(t.decode(Tokens{1, 13, 13}) == "a a");
  CHECK(t.decode(13, 6) == " ");
  CHECK(t.decode(1, 2) == "");
  CHECK(t[12] == "abc");
  CHECK(t.size() == 16);
}

TEST_CASE("of pieces that are equal the first counts") {
  const LlamaTokenizer t({"<unk>", "<s>", "</s>", " ", "a", "a"}, {0, 0, 0, 0, 0, 9});
  CHECK(t.encode("a", false) == Tokens{3, 4});
  CHECK(t.decode(Tokens{5}) == "a");
}

TEST_CASE("a tokenizer without marks, with unequal lists or a score of nan is refused") {
  CHECK_THROWS_WITH_AS(LlamaTokenizer({"a", "b"}, {0, 0}),
                       "llama_tokenizer: expected more than 2 pieces with a score each, got 2 "
                       "pieces and 2 scores",
                       Error);
  CHECK_THROWS_WITH_AS(LlamaTokenizer({"a", "b", "c"}, {0, 0}),
                       "llama_tokenizer: expected more than 2 pieces with a score each, got 3 "
                       "pieces and 2 scores",
                       Error);
  CHECK_THROWS_WITH_AS(
      LlamaTokenizer({"a", "b", "c"}, {0, 0, std::numeric_limits<float>::quiet_NaN()}),
      "llama_tokenizer: scores must be numbers, got nan for token 2", Error);
  CHECK_THROWS_WITH_AS(small()[16], "llama_tokenizer: token 16 is none of the 16 tokens",
                       ShapeError);
  CHECK_THROWS_WITH_AS(small().decode(Tokens{-1}),
                       "llama_tokenizer: token -1 is none of the 16 tokens", ShapeError);
}
