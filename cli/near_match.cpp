#include "near_match.h"

#include <algorithm>
#include <cctype>

namespace tapehead::cli {
namespace {

bool same(char a, char b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return lower(a) == lower(b);
}

// The optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = same(a[i - 1], b[j - 1]) ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string near_match(std::string_view typed, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = typed.size() / 3 + 1;  // as far as this is no longer close
  for (const std::string& name : names) {
    const std::size_t far = distance(typed, name);
    if (far < least) least = far, best = name;
  }
  return best;
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& names) {
  const std::string match = near_match(typed, names);
  return match.empty() ? "" : "; did you mean " + match + "?";
}

}  // namespace tapehead::cli
