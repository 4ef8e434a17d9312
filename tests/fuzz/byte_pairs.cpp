#include <tapehead/data/byte_pair_tokenizer.h>
#include <tapehead/io/byte_pairs.h>

#include <cstdlib>

#include "fuzz.h"

using namespace tapehead;

// What was read is put to use, unless the tokenizer refuses it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return testing::fuzz(data, size, io::read_byte_pairs, [](const auto& merges) {
    const data::BytePairTokenizer tokenizer(merges);
    const std::string text = tokenizer[tokenizer.size() - 1] + "the";
    if (tokenizer.decode(tokenizer.encode(text)) != text) std::abort();
  });
}
