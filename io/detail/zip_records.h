// What the records of a zip archive begin with, and how long they are without names.
#pragma once

#include <cstdint>

namespace tapehead::io {

inline constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50,
                               end_mark = 0x06054b50;
inline constexpr std::uint64_t local_bytes = 30, central_bytes = 46, end_bytes = 22;

}  // namespace tapehead::io
