// Bytes from their hexadecimal digits, as reference cases have files.
#pragma once

#include <string>

namespace tapehead::testing {

inline std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

}  // namespace tapehead::testing
