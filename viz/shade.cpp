#include "shade.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>

#include "../core/text.h"
#include "../data/utf8.h"

namespace tapehead::viz {
namespace {

constexpr std::array<const char*, 5> blocks{" ", "░", "▒", "▓", "█"};
constexpr std::array<const char*, 8> letters{" ", ".", ":", "-", "=", "+", "#", "@"};
constexpr std::array<int, 14> heat{16,  52,  88,  124, 160, 196, 202,
                                   208, 214, 220, 226, 228, 230, 231};

std::size_t steps(const Terminal& terminal) {
  return terminal.color ? heat.size() : terminal.unicode ? blocks.size() : letters.size();
}

}  // namespace

std::string shade(double share, int width, const Terminal& terminal) {
  if (std::isnan(share)) return data::fitted("?", width);
  const double step = std::clamp(share, 0.0, 1.0) * static_cast<double>(steps(terminal));
  const std::size_t level = std::min(static_cast<std::size_t>(step), steps(terminal) - 1);
  if (terminal.color)
    return "\033[48;5;" + std::to_string(heat[level]) + "m" + data::fitted("", width);
  std::string result;
  for (int i = 0; i < width; ++i) result += terminal.unicode ? blocks[level] : letters[level];
  return result;
}

std::string end_of_shades(const Terminal& terminal) { return terminal.color ? "\033[0m" : ""; }

std::string shade_legend(double greatest, const Terminal& terminal) {
  const auto count = static_cast<double>(steps(terminal));
  std::string bar;
  for (double step = 0.5; step < count; ++step) bar += shade(step / count, 2, terminal);
  return core::to_text("0 ", bar, end_of_shades(terminal), " ", std::setprecision(2), greatest);
}

}  // namespace tapehead::viz
