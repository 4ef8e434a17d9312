// Storage: reference-counted bytes, and how often they were written.
#pragma once

#include "memory.h"

namespace tapehead::core {

/// Header and bytes are one pooled block. Views share it, and with it the version, so a write
/// through any of them is seen by all.
struct Storage {
  RefCount refs;
  std::uint32_t version = 0;
  const char* writer = "a raw write";  // the last to change it in place
  std::byte* data = nullptr;           // 64-byte aligned
  std::uint64_t bytes = 0;
  std::atomic<std::uint32_t> tensors{0};  // how many tensors (not plain arrays) show it
};

/// Throws MemoryError beyond the limit.
Storage* make_storage(std::uint64_t bytes);
void destroy(Storage* storage) noexcept;

}  // namespace tapehead::core
