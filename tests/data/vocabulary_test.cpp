#include <doctest/doctest.h>
#include <tapehead/data/vocabulary.h>

using namespace tapehead;
using data::Vocabulary;
using Tokens = std::vector<core::Index>;

TEST_CASE("tokens are numbered in the order of code points") {
  const Vocabulary v = Vocabulary::of("b\u00e9a\nb\u4e2d");
  CHECK(v.size() == 5);
  CHECK(v.encode("\nab\u00e9\u4e2d") == Tokens{0, 1, 2, 3, 4});
  CHECK(v.decode({2, 3, 1}) == "b\u00e9a");
  CHECK(v.contains("\n"));
  CHECK_FALSE(v.contains("c"));
}

TEST_CASE("a vocabulary of bytes encodes byte by byte, UTF-8 or not") {
  const Vocabulary v = Vocabulary::of("\xc3\xa9\xff");
  CHECK(v.size() == 3);
  CHECK(v.encode("\u00e9") == Tokens{1, 0});
}

TEST_CASE("an unknown character is refused by name") {
  const Vocabulary v = Vocabulary::of("ab");
  CHECK_THROWS_WITH_AS(v.encode("a\u00e9"),
                       "vocabulary: every character must be one of its 2 symbols, got '\\u00e9'; "
                       "leave it out, or add it to the vocabulary",
                       Error);
}

TEST_CASE("a token outside the vocabulary is refused") {
  const Vocabulary v = Vocabulary::of("ab");
  CHECK_THROWS_WITH_AS(
      v[2], "vocabulary: tokens are 0 to 1, got 2; was it made with another vocabulary?", Error);
  CHECK_THROWS_AS(v.decode({-1}), Error);
}

TEST_CASE("symbols must differ and not be empty") {
  CHECK_THROWS_WITH_AS(Vocabulary({"a", "b", "a"}),
                       "vocabulary: symbols must differ and not be empty, got \"a\" as number 2; "
                       "leave it out",
                       Error);
  CHECK_THROWS_AS(Vocabulary({"a", ""}), Error);
}
