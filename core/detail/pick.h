// Which kernel of a table an operation is: elementwise.cpp and inplace.cpp.
#pragma once

namespace tapehead::core {

inline constexpr auto plus = [](const auto& k) { return k.add; };
inline constexpr auto minus = [](const auto& k) { return k.sub; };
inline constexpr auto times = [](const auto& k) { return k.mul; };

}  // namespace tapehead::core
