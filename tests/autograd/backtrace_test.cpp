#include <doctest/doctest.h>
#include <tapehead/autograd/observers/backtrace.h>

#include <algorithm>
#include <string>
#include <vector>

#if defined(__linux__) && defined(__GLIBC__)
#include <search.h>
#endif

namespace {

// Static and never exported: only the program's own symbol table knows it.
[[gnu::noinline]] std::vector<std::string> deep_inside(int skip) {
  std::vector<std::string> lines = tapehead::backtrace_lines(skip);
  lines.emplace_back("end");  // so that the call above is no tail call
  return lines;
}
[[gnu::noinline]] std::vector<std::string> around(int skip) {
  std::vector<std::string> lines = deep_inside(skip);
  lines.pop_back();
  return lines;
}

bool mentions(const std::string& line, const char* name) {
  return line.find(name) != std::string::npos;
}

}  // namespace

#if defined(__linux__) && defined(__GLIBC__)
TEST_CASE("a backtrace names callers, static ones too, innermost first, up to main") {
  const auto lines = around(0);
  REQUIRE(lines.size() > 2);
  CHECK(mentions(lines.front(), "around(int)"));
  CHECK(lines.back() == "main");
  const auto skipped = around(1);
  CHECK(skipped.size() == lines.size() - 1);
  CHECK_FALSE(mentions(skipped.front(), "around(int)"));
}

TEST_CASE("functions of shared libraries are named by the loader's symbols") {
  static std::vector<std::string> lines;
  static const int value = 1;
  std::size_t count = 1;
  ::lfind(&value, &value, &count, sizeof(int), [](const void*, const void*) {
    lines = deep_inside(0);
    return 0;
  });
  CHECK(std::any_of(lines.begin(), lines.end(),
                    [](const std::string& line) { return mentions(line, "lfind"); }));
}
#else
TEST_CASE("there are no backtraces on other platforms") { CHECK(around(0).empty()); }
#endif
