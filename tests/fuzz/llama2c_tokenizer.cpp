#include <tapehead/data/llama_tokenizer.h>
#include <tapehead/io/llama2c.h>

#include "fuzz.h"

using namespace tapehead;

namespace {

// What was read is put to use, where it makes a tokenizer: text that is taken apart comes back.
void use(const io::Llama2cTokenizer& file) {
  try {
    const data::LlamaTokenizer tokenizer(file.pieces, file.scores);
    static_cast<void>(tokenizer.decode(tokenizer.encode(file.pieces.back())));
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return testing::fuzz(data, size, io::read_llama2c_tokenizer, use);
}
