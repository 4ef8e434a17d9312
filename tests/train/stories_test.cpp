// A trained Llama tells the story that its reference program tells.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/data/llama_tokenizer.h>
#include <tapehead/io/llama2c.h>
#include <tapehead/io/pretrained.h>
#include <tapehead/train/generate.h>

#include "../support/real_files.h"
#include "../support/sha256.h"

using namespace tapehead;
using data::LlamaTokenizer;

TEST_CASE("SHA-256 of the empty text and of abc are the standard's") {
  CHECK(testing::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(testing::sha256("abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("stories260K, greedy, writes 200 tokens of the reference story, with and without cache") {
  const std::string path = testing::real_file("stories260K/stories260K.bin");
  const std::string pieces = testing::real_file("stories260K/tok512.bin");
  if (path.empty() || pieces.empty()) return;
  const auto model = io::load_llama(path);
  const io::Llama2cTokenizer read = io::read_llama2c_tokenizer(pieces);
  const LlamaTokenizer tokenizer(read.pieces, read.scores);
  const std::vector<Index> tokens =
      train::generate(*model, {LlamaTokenizer::bos}, {.tokens = 200, .temperature = 0});
  CHECK(tokens.size() == 201);
  const std::string story = tokenizer.decode(tokens);
  CHECK(story.substr(0, 16) == "Once upon a time");
  CHECK(testing::sha256(story.substr(0, 464)) ==
        "beeb5cb46785efee81a8545300b31e396b595e5ce6f3b77db201545501981d14");

  const NoGradGuard no_grad;
  std::vector<Index> whole{LlamaTokenizer::bos};
  while (whole.size() < tokens.size()) {
    const Tensor logits = (*model)(tensor(whole, {1, static_cast<Index>(whole.size())}));
    whole.push_back(argmax(logits.select(0, 0).select(0, -1)).item<Index>());
  }
  CHECK(whole == tokens);
}
