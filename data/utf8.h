// Text as characters: UTF-8 taken apart, and how wide it stands on a terminal.
//
//   characters("né\n")      // "n", "é", "\n"
//   display_width("né中")   // 4
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapehead::data {

/// The code point that starts at `text[at]`, and how many bytes it takes: 1 to 4, or 0 where the
/// bytes are not UTF-8 (overlong forms, surrogates and numbers past U+10FFFF are not).
struct CodePoint {
  char32_t value;
  int bytes;
};
CodePoint code_point(std::string_view text, std::size_t at);

/// Whether all of it is UTF-8. Empty text is.
bool is_utf8(std::string_view text);

/// One piece a code point where `text` is UTF-8 and `bytes` is off, otherwise one piece a byte.
std::vector<std::string_view> characters(std::string_view text, bool bytes = false);

/// How many columns a terminal gives to UTF-8 text: 2 for East Asian wide characters and emoji, 0
/// for combining marks, 1 for all others.
int display_width(std::string_view text);

/// Exactly `width` columns of it: cut at the end of a character, or filled up with spaces.
std::string fitted(std::string_view text, int width);

/// As it can be shown in one line: line breaks, spaces and control characters are named, also those
/// that turn the direction of what follows. With `unicode` a space is ␣, a line break ↵, a tab ⇥;
/// without, "_", "\n", "\t", and what is not ASCII is \u00e9 or, where not UTF-8, \xe9. The
/// characters of `plain`, all of them ASCII, are left as they are.
std::string printable(std::string_view symbol, bool unicode, std::string_view plain = "");

}  // namespace tapehead::data
