#include <tapehead/data/llama_tokenizer.h>
#include <tapehead/io/llama2c.h>

#include "fuzz.h"

using namespace tapehead;

// What was read is put to use: text that is taken apart comes back whole.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return testing::fuzz(data, size, io::read_llama2c_tokenizer,
                       [](const io::Llama2cTokenizer& file) {
                         const data::LlamaTokenizer tokenizer(file.pieces, file.scores);
                         const std::string text = file.pieces.back();
                         static_cast<void>(tokenizer.decode(tokenizer.encode(text)));
                       });
}
