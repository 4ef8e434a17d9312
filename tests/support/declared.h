// What the headers of the library declare, for tests that demand a row for each.
//
//   declared("autograd/ops.h", "\n\\w+ (\\w+)\\(")   // {"abs", "add", …}
#pragma once

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace tapehead::testing {

/// The names that `declaration` finds in a header: its first group.
inline std::set<std::string> declared(const std::string& header, const char* declaration) {
  std::ifstream file(TAPEHEAD_TESTS_DIR "/../" + header);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::regex pattern(declaration);
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    names.insert((*it)[1]);
  return names;
}

}  // namespace tapehead::testing
