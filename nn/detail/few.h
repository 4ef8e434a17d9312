// few: the first of a list in a message, which may be that of a whole model.
#pragma once

#include <string>
#include <vector>

#include "../../core/text.h"

namespace tapehead::nn::detail {

/// "a, b, c" where `between` is ", "; of more than 8, the first and "and 5 more".
inline std::string few(const std::vector<std::string>& names, const char* between) {
  constexpr std::size_t most = 8;
  std::string result;
  for (std::size_t i = 0; i < names.size() && i < most; ++i)
    result += (i == 0 ? "" : between) + names[i];
  if (names.size() > most) result += core::to_text(between, "and ", names.size() - most, " more");
  return result;
}

}  // namespace tapehead::nn::detail
