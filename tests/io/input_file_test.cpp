#include <doctest/doctest.h>
#include <tapehead/io/detail/input_file.h>

#include <array>
#include <filesystem>

#include "../support/folder.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using io::InputFile;

TEST_CASE("a file is read at any place, and a number as it lies there") {
  const Folder folder;
  const InputFile file("read", folder.write("x", "abc" + testing::packed(std::int32_t{-5})));
  CHECK(file.size() == 7);
  CHECK(file.number<std::int32_t>(3) == -5);
  std::string text(2, ' ');
  const io::ByteSource next = file.from(0);
  next(std::as_writable_bytes(std::span(text)));
  CHECK(text == "ab");
  next(std::as_writable_bytes(std::span(text).first(1)));
  CHECK(text == "cb");
}

TEST_CASE("a file that ends before all is read, even while it is read, is refused") {
  const Folder folder;
  const std::string path = folder.write("x", "abcdefgh");
  const InputFile file("read", path);
  const auto refused = [&](std::uint64_t offset, std::uint64_t end) {
    CHECK_THROWS_WITH_AS(file.number<std::uint64_t>(offset),
                         ("read: " + path + ": it ends at byte " + std::to_string(end) +
                          ", within what should be read")
                             .c_str(),
                         IoError);
  };
  refused(1, 8);
  refused(9, 9);
  refused(~std::uint64_t{0}, ~std::uint64_t{0});
  std::filesystem::resize_file(path, 5);
  refused(0, 5);
}

TEST_CASE("a pipe without a writer is refused at once") {
  const Folder folder;
  REQUIRE(std::system(("mkfifo " + folder.file("pipe")).c_str()) == 0);
  CHECK_THROWS_WITH_AS(InputFile("read", folder.file("pipe")),
                       ("read: " + folder.file("pipe") +
                        ": that is no regular file, so it cannot be read at any place; copy it "
                        "into one")
                           .c_str(),
                       IoError);
}

TEST_CASE("names come into messages in ASCII, in quotes and cut") {
  CHECK(io::in_quotes("") == "\"\"");
  CHECK(io::in_quotes("a\"b\\c") == R"("a\"b\\c")");
  CHECK(io::in_quotes("\x1b[2J\n\x7f\xc3\xa9") == R"("\x1b[2J\x0a\x7f\xc3\xa9")");
  CHECK(io::in_quotes(std::string(60, 'n')) == '"' + std::string(60, 'n') + '"');
  CHECK(io::in_quotes(std::string(61, 'n')) == '"' + std::string(60, 'n') + "\"...");
}
