// Text from parts, the same wherever it is made: streams would follow the global locale, and write
// 1,5 for 1.5 or 1.000 for 1000.
#pragma once

#include <locale>
#include <sstream>
#include <string>

namespace tapehead::core {

/// A stream that writes numbers as C++ does.
struct TextStream : std::ostringstream {
  TextStream() { imbue(std::locale::classic()); }
};

/// The parts, written one after another.
template <class... Parts>
std::string to_text(const Parts&... parts) {
  TextStream out;
  (static_cast<std::ostream&>(out) << ... << parts);
  return out.str();
}

}  // namespace tapehead::core
