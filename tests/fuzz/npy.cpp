#include <tapehead/io/npy.h>

#include "fuzz.h"

using namespace tapehead;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return testing::fuzz(data, size, io::read_npy, [](const auto& file) { testing::touch(file); });
}
