#include <doctest/doctest.h>
#include <tapehead/io/detail/json_text.h>

using namespace tapehead;

TEST_CASE("text is UTF-8 or not") {
  CHECK(io::is_utf8(""));
  CHECK(io::is_utf8("é中😀"));
  for (const char* text : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"})
    CHECK_FALSE(io::is_utf8(text));
}
