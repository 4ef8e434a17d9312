// In which order an array lies in memory.
#pragma once

#include "../ndarray.h"

namespace tapehead::core {

/// The dimensions from the outermost in memory to the innermost: the order in which PyTorch's
/// iterator runs through an array, and in which its empty_like lays out another.
Dims memory_order(const NDArray& x);

}  // namespace tapehead::core
