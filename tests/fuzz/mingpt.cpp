#include <tapehead/io/mingpt.h>

#include "fuzz.h"

using namespace tapehead;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return testing::fuzz(data, size, io::read_mingpt,
                       [](const auto& file) { testing::touch(file.tensors); });
}
