#include <doctest/doctest.h>
#include <tapehead/data/utf8.h>

using namespace tapehead::data;
using Pieces = std::vector<std::string_view>;

TEST_CASE("UTF-8 is taken apart by code point, anything else by byte") {
  CHECK(characters("n\u00e9\n\u4e2d\U0001F600") ==
        Pieces{"n", "\u00e9", "\n", "\u4e2d", "\U0001F600"});
  CHECK(characters("n\xe9\n") == Pieces{"n", "\xe9", "\n"});
  CHECK(characters("\u00e9", /*bytes=*/true) == Pieces{"\xc3", "\xa9"});
  CHECK(characters("").empty());
}

TEST_CASE("truncated, overlong, surrogate and too large sequences are not UTF-8") {
  CHECK(is_utf8("\U0010FFFF\u0080\u07ff\u0800\uffff"));
  for (const char* wrong :
       {"\x80", "a\xc3", "\xc3(", "\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff"})
    CHECK_FALSE(is_utf8(wrong));
}

TEST_CASE("wide characters take two columns, combining marks none") {
  CHECK(display_width("ab\u00e9") == 3);
  CHECK(display_width("\u4e2d\U0001F600") == 4);
  CHECK(display_width("e\u0301") == 1);
}

TEST_CASE("text is fitted to a width at the end of a character") {
  CHECK(fitted("abc", 5) == "abc  ");
  CHECK(fitted("abc", 2) == "ab");
  CHECK(fitted("a\u4e2db", 2) == "a ");
  CHECK(fitted("a\u4e2db", 3) == "a\u4e2d");
  CHECK(fitted("abc", 0).empty());
}

TEST_CASE("what cannot be seen is named") {
  CHECK(printable(" \n\t\r\x1b", true) == "\u2423\u21b5\u21e5\\r\\x1b");
  CHECK(printable(" \n\t\r\x1b", false) == "_\\n\\t\\r\\x1b");
  CHECK(printable("\u00e9\U0001F600", true) == "\u00e9\U0001F600");
  CHECK(printable("\u00e9\U0001F600", false) == "\\u00e9\\U0001f600");
  CHECK(printable("\xe9", true) == "\\xe9");
  CHECK(printable("\u009b", true) == "\\x9b");  // a control character to some terminals
  for (const char* turning : {"\u061c", "\u200f", "\u202e", "\u2066"})
    CHECK(printable(turning, true).substr(0, 2) == "\\u");
  CHECK(printable("a\u2028b\u202ec", true) == "a\\u2028b\\u202ec");
  CHECK(printable("\u2027\u202f", true) == "\u2027\u202f");
}

TEST_CASE("what is plain is left as it is") {
  CHECK(printable("a b\n\t\x1b\u00e9", true, " \n") == "a b\n\u21e5\\x1b\u00e9");
  CHECK(printable("a b\n\t\x1b\u00e9", false, " \n") == "a b\n\\t\\x1b\\u00e9");
}
