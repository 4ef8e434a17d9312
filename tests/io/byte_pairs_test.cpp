#include <doctest/doctest.h>
#include <tapehead/io/byte_pairs.h>

#include "../support/refusals.h"

using namespace tapehead;
using Merges = std::vector<std::pair<core::Index, core::Index>>;

namespace {

std::string with_merges(const std::string& merges) {
  return R"({"format": "tapehead byte pairs", "merges": )" + merges + "}";
}

}  // namespace

TEST_CASE("merges are read as they were saved") {
  const Folder folder;
  const std::string path = folder.file("tokenizer.json");
  for (const Merges& merges : {Merges{{116, 104}, {256, 101}, {0, 255}}, Merges{}}) {
    io::save_byte_pairs(path, merges);
    CHECK(io::read_byte_pairs(path) == merges);
  }
  io::save_byte_pairs(path, {{116, 104}, {256, 101}});
  CHECK(folder.read("tokenizer.json") ==
        "{\"format\": \"tapehead byte pairs\", \"merges\": [[116, 104], [256, 101]]}\n");
  CHECK(folder.names() == std::vector<std::string>{"tokenizer.json"});
}

TEST_CASE("the fields of a tokenizer may come in any order") {
  const Folder folder;
  const std::string path =
      folder.write("t", "{\"merges\":[[1,2]],\n\"format\":\"tapehead byte pairs\"}");
  CHECK(io::read_byte_pairs(path) == Merges{{1, 2}});
}

TEST_CASE("a file that is no list of merges is refused with its own words") {
  std::string many = "[";
  for (int i = 0; i < 262144; ++i) many += "[1,2],";
  testing::check_refusals(
      {{"", "it is empty"},
       {"[]", "byte 1: expected an object, got a list"},
       {"7", "byte 0: expected an object, got a number"},
       {"{}", "it must have both format and merges"},
       {R"({"merges": []})", "it must have both format and merges"},
       {R"({"format": "gpt2", "merges": []})",
        R"(its format is "gpt2", not "tapehead byte pairs")"},
       {R"({"format": 1, "merges": []})",
        "byte 13: expected \"tapehead byte pairs\", got a number"},
       {R"({"format": "tapehead byte pairs", "vocab": {}})",
        R"(it has a field "vocab"; it should have format and merges alone)"},
       {R"({"merges": [], "merges": []})", R"(it has the field "merges" twice)"},
       {with_merges("{}"), "byte 45: expected a list of merges, got an object"},
       {with_merges("\"ab\""), "byte 48: expected a list of merges, got a string"},
       {with_merges("[1, 2]"), "byte 47: expected a pair of tokens, got a number"},
       {with_merges("[[1, 2, 3]]"), "merge 0 must join 2 tokens, got 3"},
       {with_merges("[[1, 2], [3]]"), "merge 1 must join 2 tokens, got 1"},
       {with_merges("[[]]"), "merge 0 must join 2 tokens, got 0"},
       {with_merges("[[1, [2]]]"), "byte 50: expected a token, got a list"},
       {with_merges("[[1, 256]]"), "merge 0 joins token 256, which is not there before 256"},
       {with_merges("[[1, 2], [18446744073709551615, 1]]"),
        "merge 1 joins token 18446744073709551615, which is not there before 257"},
       {with_merges("[[1, -2]]"), "byte 52: expected a token, got a negative number"},
       {with_merges("[[1, 2.5]]"),
        "byte 53: expected a token, got a fraction, or more than 64 bits"},
       {with_merges("[[1, null]]"), "byte 53: expected a token, got null"},
       {with_merges(many + "[1,2]]"), "it has more than 262144 merges"}},
      "read_byte_pairs", io::read_byte_pairs);
}
