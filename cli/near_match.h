// "Did you mean …?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapehead::cli {

/// The one of `names` that `typed` is closest to, by letters changed, left out, added or swapped
/// with their neighbour (case doesn't count); empty if none is close.
std::string near_match(std::string_view typed, const std::vector<std::string>& names);

/// "; did you mean reverse?", or "" if none is close.
std::string suggestion(std::string_view typed, const std::vector<std::string>& names);

}  // namespace tapehead::cli
