// Readers that also tell what dtypes a file has for what they widen.
#pragma once

#include <string>

#include "../safetensors.h"
#include "element.h"

namespace tapehead::io {

inline void note_stored(StoredDTypes& stored, const std::string& name, Element element) {
  if (const std::string own = widened_name(element); !own.empty()) stored[name] = own;
}

/// read_npy(); its tensor is called `name`.
Tensor read_npy(const std::string& path, const std::string& name, StoredDTypes& stored);
/// read_npz().
NamedTensors read_npz(const std::string& path, StoredDTypes& stored);

}  // namespace tapehead::io
