#include "text.h"

namespace tapehead::core {

std::string joined(std::initializer_list<TextPart> parts, const char* separator) {
  TextStream out;
  bool first = true;
  for (const TextPart& part : parts) {
    // An empty one would take up the width that is meant for the next part.
    if (!first && *separator != 0) out << separator;
    part.write(out, part.value);
    first = false;
  }
  return out.str();
}

}  // namespace tapehead::core
