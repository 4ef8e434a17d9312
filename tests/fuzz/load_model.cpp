#include <tapehead/train/load_model.h>

#include "fuzz.h"

using namespace tapehead;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return testing::fuzz(data, size, train::load_model,
                       [](const auto& loaded) { testing::touch(loaded.model->state_dict()); });
}
