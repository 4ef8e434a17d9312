#include <doctest/doctest.h>
#include <sys/stat.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/data/text.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <set>
#include <thread>

#include "../support/cases.h"
#include "../support/folder.h"

using namespace tapehead;
using namespace tapehead::data;
using testing::Case;
using testing::this_case;
using Tokens = std::vector<Index>;

namespace {

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

Tokens list(const Tensor& x) {
  const std::vector<double> values = testing::values(x);
  return Tokens(values.begin(), values.end());
}

}  // namespace

TEST_CASE("TRAIN-02: Targets are the inputs shifted by exactly one") {
  const Case c = this_case();
  const Tensor tokens = c.input("tokens");
  const Windows windows(list(tokens), 4);
  const auto& expect = c.json.at("expect").at("outputs");
  CHECK(windows.count() == expect.at("number_of_windows").get<Index>());
  const Batch ends = windows.at({0, windows.count() - 1});
  for (const auto& [row, name] : {std::pair<Index, const char*>(0, "first"), {1, "last"}}) {
    CHECK(list(ends.inputs.select(0, row)) == expect.at(name).at("x").get<Tokens>());
    CHECK(list(ends.targets.select(0, row)) == expect.at(name).at("y").get<Tokens>());
  }
  core::Generator random(0);
  std::set<Index> firsts;
  for (int i = 0; i < 100; ++i)
    firsts.insert(windows.draw(random, 1).inputs.select(0, 0).select(0, 0).item<Index>());
  CHECK(firsts == std::set<Index>{10, 11, 12, 13, 14, 15});
}

TEST_CASE(
    "TRAIN-03: CRLF text: bytes are kept as they are (or normalised by a documented option)") {
  const Case c = this_case();
  const auto& expect = c.json.at("expect");
  const Folder folder;
  const std::string bytes = from_hex(expect.at("file_hex").get<std::string>());
  const Text text = Text::read(folder.write("crlf.txt", bytes));
  CHECK(text.size() == expect.at("outputs").at("length").get<Index>());
  Tokens symbols;
  for (Index token = 0; token < text.vocabulary().size(); ++token)
    symbols.push_back(text.vocabulary()[token][0]);
  CHECK(symbols == expect.at("outputs").at("sorted_vocab_bytes").get<Tokens>());
  CHECK(text.tokens() == expect.at("outputs").at("encoded").get<Tokens>());
  CHECK(text.vocabulary().decode(text.tokens()) == bytes);
}

TEST_CASE("TRAIN-04: Empty file, one byte, exactly T, exactly T+1 bytes") {
  this_case();  // states what holds, without numbers
  const Folder folder;
  const auto file = [&](std::size_t bytes) {
    return folder.write(std::to_string(bytes) + ".txt", std::string(bytes, 'a'));
  };
  const auto windows = [](const std::string& path) {
    const Text text = Text::read(path);
    return Windows(text.tokens(), 8, text.name()).count();
  };
  const std::string empty = file(0), one = file(1), eight = file(8);
  CHECK_THROWS_WITH_AS(windows(empty),
                       ("text: " + empty + " is empty; choose a file with some text in it").c_str(),
                       Error);
  for (const auto& [path, length] : {std::pair(one, "1"), std::pair(eight, "8")})
    CHECK_THROWS_WITH_AS(windows(path),
                         ("text: a window of 8 needs at least 9 characters, got " + path +
                          " with " + length + "; use a longer text or a shorter context")
                             .c_str(),
                         Error);
  CHECK(windows(file(9)) == 1);
  CHECK(windows(file(10)) == 2);
}

TEST_CASE("a missing file, a directory, a device and an unreadable file are told apart") {
  const Folder folder;
  const std::string missing = folder.file("nothing"), directory = folder.path();
  CHECK_THROWS_WITH_AS(
      Text::read(missing),
      ("text: cannot read " + missing + ": No such file or directory; check the path").c_str(),
      IoError);
  CHECK_THROWS_WITH_AS(
      Text::read(directory),
      ("text: cannot read " + directory + ": it is a directory; name a file in it").c_str(),
      IoError);
  CHECK_THROWS_WITH_AS(Text::read("/dev/zero"),
                       "text: cannot read /dev/zero: it is neither a file nor a pipe; copy it to "
                       "one",
                       IoError);
  // Opened by anybody, read by nobody.
  CHECK_THROWS_WITH_AS(Text::read("/proc/self/mem"),
                       "text: cannot read /proc/self/mem: Input/output error; choose another file",
                       IoError);
}

TEST_CASE("a file larger than 64 MiB is refused") {
  const Folder folder;
  const std::string path = folder.write("large.txt", "a");
  std::filesystem::resize_file(path, (std::size_t{64} << 20) + 1);
  CHECK_THROWS_WITH_AS(
      Text::read(path),
      ("text: " + path + " is larger than 64 MiB; take a part of it with head -c").c_str(),
      IoError);
}

TEST_CASE("a pipe is read to its end") {
  const Folder folder;
  const std::string path = folder.file("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(path) << "ab" << std::flush << "ba"; });
  const Text text = Text::read(path);
  writer.join();
  CHECK(text.tokens() == Tokens{0, 1, 1, 0});
}

TEST_CASE("a character is a code point in UTF-8 and a byte in anything else") {
  const Text utf8("d\u00e9j\u00e0"), latin1("d\xe9j\xe0");
  CHECK(utf8.is_utf8());
  CHECK(utf8.size() == 4);
  CHECK_FALSE(latin1.is_utf8());
  CHECK(latin1.size() == 4);
  CHECK(latin1.vocabulary().decode(latin1.tokens()) == "d\xe9j\xe0");
}

TEST_CASE("a byte order mark is a character like any other, and what is not UTF-8 is bytes") {
  const Folder folder;
  for (const std::string& bytes :
       {std::string("\xef\xbb\xbfhi\r\n"), std::string("\xff\xfeh\0i\0", 6),
        std::string("\0\1\2\xff", 4), std::string("\xed\xa0\x80")}) {
    const Text text = Text::read(folder.write("t", bytes));
    CHECK(text.vocabulary().decode(text.tokens()) == bytes);
    CHECK(text.is_utf8() == (bytes[0] == '\xef'));
    CHECK(text.size() == (text.is_utf8() ? 5 : std::ssize(bytes)));
  }
}

TEST_CASE("a text of bytes has all 256 of them, whatever occurs in it") {
  const Text text("d\u00e9j\u00e0", "text", Symbols::bytes);
  CHECK_FALSE(text.is_utf8());
  CHECK(text.vocabulary().size() == 256);
  CHECK(text.tokens() == Tokens{'d', 0xc3, 0xa9, 'j', 0xc3, 0xa0});
  CHECK(text.vocabulary().decode(text.vocabulary().encode("\xff\u4e2d")) == "\xff\u4e2d");
  const Folder folder;
  CHECK(Text::read(folder.write("t", "ab"), Symbols::bytes).vocabulary().size() == 256);
}

TEST_CASE("windows refuse offsets past the last one, and no context") {
  const Windows windows({0, 1, 2, 3}, 2);
  CHECK_THROWS_WITH_AS(windows.at({2}),
                       "text: windows start at 0 to 1, got 2; draw offsets below count()",
                       ShapeError);
  CHECK_THROWS_AS(windows.at({-1}), ShapeError);
  CHECK_THROWS_WITH_AS(Windows({0, 1}, 0),
                       "text: a window must hold at least 1 character, got 0; choose a larger "
                       "context",
                       ShapeError);
  core::Generator random(0);
  for (const Index size : {0, -1})
    CHECK_THROWS_WITH_AS(
        windows.draw(random, size),
        ("text: a batch has at least 1 window, got " + std::to_string(size)).c_str(), ShapeError);
}

TEST_CASE("a context longer than any text is one that the text does not hold") {
  constexpr Index most = std::numeric_limits<Index>::max();
  const char* const message =
      "text: a window of 9223372036854775807 needs at least 9223372036854775808 characters, got "
      "text with 3; use a longer text or a shorter context";
  CHECK_THROWS_WITH_AS(Windows({0, 1, 2}, most), message, Error);
  CHECK_THROWS_WITH_AS(split_text(Text("abc"), most), message, Error);
}

TEST_CASE("spread windows do not overlap and reach from end to end") {
  Tokens tokens(101);
  std::iota(tokens.begin(), tokens.end(), 0);
  const Windows windows(tokens, 10);
  CHECK(windows.spread(100) == Tokens{0, 10, 20, 30, 40, 50, 60, 70, 80, 90});
  CHECK(windows.spread(3) == Tokens{0, 40, 90});
  CHECK(windows.spread(1) == Tokens{0});
  CHECK(Windows({0, 1, 2}, 2).spread(5) == Tokens{0});
}

TEST_CASE("tokens are divided as the characters of a text are") {
  const Text text(std::string(50, 'a') + std::string(50, 'b'));
  const TextParts one = split_text(text, 3), other = split_tokens(text.tokens(), 3, "text");
  CHECK(other.split == one.split);
  CHECK(other.train.count() == one.train.count());
  CHECK(other.held_out.count() == 7);
  CHECK_THROWS_WITH_AS(split_tokens({1, 2}, 3, "a.txt"),
                       "text: a window of 3 needs at least 4 characters, got a.txt with 2; use a "
                       "longer text or a shorter context",
                       Error);
}

TEST_CASE("the last tenth of a text is held out, unless it is too short") {
  const TextParts parts = split_text(Text(std::string(900, 'a') + std::string(100, 'b')), 16);
  CHECK(parts.split);
  CHECK(parts.train.count() == 900 - 16);
  CHECK(parts.held_out.count() == 100 - 16);
  CHECK(equal(parts.held_out.at({0}).inputs, full({1, 16}, 1, Int64)));
  CHECK(split_text(Text(std::string(1009, 'a')), 16).train.count() == 908 - 16);  // rounded down
  CHECK(split_text(Text(std::string(330, 'a')), 16).split);  // the rest is 33 = 2 x 16 + 1
  CHECK_FALSE(split_text(Text(std::string(320, 'a')), 16).split);
  const TextParts whole = split_text(Text(std::string(200, 'a')), 16);
  CHECK_FALSE(whole.split);
  CHECK(whole.train.count() == 200 - 16);
  CHECK(whole.held_out.count() == 200 - 16);
}
