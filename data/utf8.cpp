#include "utf8.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tapehead::data {
namespace {

struct Range {
  char32_t first, last;
};
// The blocks that matter, not all of Unicode's tables.
constexpr std::array wide{
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
    Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
    Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD},
};
constexpr std::array combining{
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x064B, 0x065F},
    Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F}, Range{0x20D0, 0x20FF},
    Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF},
};

template <std::size_t N>
bool among(const std::array<Range, N>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& r) { return r.first <= c && c <= r.last; });
}

std::string escaped(const char* format, unsigned value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string named(char32_t c, bool unicode) {
  switch (c) {
    case U' ':
      return unicode ? "␣" : "_";
    case U'\n':
      return unicode ? "↵" : "\\n";
    case U'\t':
      return unicode ? "⇥" : "\\t";
    case U'\r':
      return "\\r";
    default:
      return {};
  }
}

// Those of Unicode's that break a line or turn its direction are among them.
constexpr std::array control{
    Range{0x0000, 0x001F}, Range{0x007F, 0x009F}, Range{0x061C, 0x061C}, Range{0x200E, 0x200F},
    Range{0x2028, 0x202E}, Range{0x2066, 0x2069}, Range{0xFEFF, 0xFEFF},
};

std::string code(char32_t c) {
  return escaped(c < 0xA0 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
}

}  // namespace

CodePoint code_point(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1};
  const int bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + static_cast<std::size_t>(bytes) > text.size())
    return {0, 0};
  char32_t value = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < static_cast<std::size_t>(bytes); ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {0, 0};
    value = (value << 6) | (byte(at + i) & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < least[static_cast<std::size_t>(bytes)] || surrogate || value > 0x10FFFF)
    return {0, 0};
  return {value, bytes};
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const int bytes = code_point(text, at).bytes;
    if (bytes == 0) return false;
    at += static_cast<std::size_t>(bytes);
  }
  return true;
}

std::vector<std::string_view> characters(std::string_view text, bool bytes) {
  const bool utf8 = !bytes && is_utf8(text);
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < text.size(); at += pieces.back().size())
    pieces.push_back(
        text.substr(at, utf8 ? static_cast<std::size_t>(code_point(text, at).bytes) : 1));
  return pieces;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = code_point(text, at);
    width += among(combining, c.value) ? 0 : among(wide, c.value) ? 2 : 1;
    at += static_cast<std::size_t>(std::max(c.bytes, 1));
  }
  return width;
}

std::string fitted(std::string_view text, int width) {
  std::string result;
  int used = 0;
  for (const std::string_view character : characters(text)) {
    const int more = display_width(character);
    if (used + more > width) break;
    result += character;
    used += more;
  }
  return result.append(static_cast<std::size_t>(std::max(width - used, 0)), ' ');
}

std::string printable(std::string_view symbol, bool unicode, std::string_view plain) {
  std::string result;
  for (std::size_t at = 0; at < symbol.size();) {
    const auto [value, bytes] = code_point(symbol, at);
    const std::string name = named(value, unicode);
    if (bytes == 0) {
      result += escaped("\\x%02x", static_cast<unsigned char>(symbol[at]));
    } else if (plain.find(symbol[at]) != std::string_view::npos) {
      result += symbol[at];
    } else if (!name.empty()) {
      result += name;
    } else if (among(control, value) || (value >= 0x80 && !unicode)) {
      result += code(value);
    } else {
      result += symbol.substr(at, static_cast<std::size_t>(bytes));
    }
    at += static_cast<std::size_t>(std::max(bytes, 1));
  }
  return result;
}

}  // namespace tapehead::data
