// Text from parts, the same wherever it is made: streams would follow the global locale, and write
// 1,5 for 1.5 or 1.000 for 1000.
//
//   to_text("expected ", 3, " heads, got ", shape)
#pragma once

#include <initializer_list>
#include <locale>
#include <sstream>
#include <string>

namespace tapehead::core {

/// A stream that writes numbers as C++ does.
struct TextStream : std::ostringstream {
  TextStream() { imbue(std::locale::classic()); }
};

/// A value and how it is written: what is compiled for each type of part, not for each text.
struct TextPart {
  const void* value;
  void (*write)(std::ostream& out, const void* value);
};
inline TextPart text_part(const char* text) {
  return {text, [](std::ostream& out, const void* p) { out << static_cast<const char*>(p); }};
}
template <class T>
TextPart text_part(const T& value) {
  return {&value, [](std::ostream& out, const void* p) { out << *static_cast<const T*>(p); }};
}

/// std::fixed and the like.
inline TextPart text_part(std::ios_base& (&manipulator)(std::ios_base&)) {
  return {reinterpret_cast<const void*>(&manipulator), [](std::ostream& out, const void* p) {
            reinterpret_cast<std::ios_base& (*)(std::ios_base&)>(const_cast<void*>(p))(out);
          }};
}

/// The parts, written one after another, with `separator` between them.
std::string joined(std::initializer_list<TextPart> parts, const char* separator = "");

template <class... Parts>
std::string to_text(const Parts&... parts) {
  return joined({text_part(parts)...});
}

}  // namespace tapehead::core
