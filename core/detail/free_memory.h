// How much memory there is to take.
#pragma once

#include <cstdint>
#include <string>

namespace tapehead::core {

/// Bytes that can still be had: what the machine has free, or what the control groups (v1 and v2)
/// that this process is in leave of their limits, if that is less. Caches that can be dropped count
/// as free. 4 GiB where nothing can be found out. The files of the system are looked for under
/// `root`.
std::uint64_t free_memory(const std::string& root = "");

}  // namespace tapehead::core
