// A tokenizer's file and what it does, which are of folders that do not know each other.
#include <doctest/doctest.h>
#include <tapehead/data/llama_tokenizer.h>
#include <tapehead/io/llama2c.h>

#include "../support/real_files.h"

using namespace tapehead;
using Tokens = std::vector<Index>;

TEST_CASE("stories260K's tokenizer takes text apart as llama2.c does, and puts it together") {
  const std::string path = testing::real_file("stories260K/tok512.bin");
  if (path.empty()) return;
  const io::Llama2cTokenizer file = io::read_llama2c_tokenizer(path);
  const data::LlamaTokenizer tokenizer(file.pieces, file.scores);
  const std::vector<std::pair<std::string, Tokens>> texts{
      {"Once upon a time, there was a little girl named Lily.",
       {1, 403, 407, 261, 378, 432, 383, 286, 261, 376, 298, 315, 421, 395, 317, 426}},
      {"  two  spaces", {1, 410, 410, 259, 424, 414, 410, 262, 427, 412, 331, 419}},
      {"naïve 日本\n", {1, 297, 412, 198, 178, 360, 410, 233, 154, 168, 233, 159, 175, 13}},
      {"aaaaaa", {1, 261, 412, 412, 412, 412, 412}},
      {"", {1}}};
  for (const auto& [text, tokens] : texts) {
    CHECK(tokenizer.encode(text) == tokens);
    CHECK(tokenizer.decode(tokens) == text);
  }
}
