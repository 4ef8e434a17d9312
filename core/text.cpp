#include "text.h"

namespace tapehead::core {

std::string joined(std::initializer_list<TextPart> parts, const char* separator) {
  TextStream out;
  const char* between = "";
  for (const TextPart& part : parts) {
    out << between;
    part.write(out, part.value);
    between = separator;
  }
  return out.str();
}

}  // namespace tapehead::core
