#include "shade.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>

#include "../core/text.h"
#include "../data/utf8.h"

namespace tapehead::viz {
namespace {

constexpr double least_shaded = 0.05;  // shares above it are not blank
constexpr std::array<const char*, 5> blocks{" ", "░", "▒", "▓", "█"};
constexpr std::array<const char*, 8> letters{" ", ".", ":", "-", "=", "+", "#", "@"};
constexpr std::array<int, 14> heat{16,  52,  88,  124, 160, 196, 202,
                                   208, 214, 220, 226, 228, 230, 231};

std::size_t steps(const Terminal& terminal) {
  return terminal.color ? heat.size() : terminal.unicode ? blocks.size() : letters.size();
}

// Of colours, black is one among others; a blank looks as if there were nothing.
std::size_t level_of(double share, const Terminal& terminal) {
  const double blank = terminal.color ? 0 : least_shaded;
  if (!terminal.color && !(share > blank)) return 0;
  const std::size_t first = terminal.color ? 0 : 1, count = steps(terminal) - first;
  const double step =
      (std::clamp(share, 0.0, 1.0) - blank) / (1 - blank) * static_cast<double>(count);
  return first + std::min(static_cast<std::size_t>(step), count - 1);
}

std::string patch(std::size_t level, int width, const Terminal& terminal) {
  if (terminal.color)
    return "\033[48;5;" + std::to_string(heat[level]) + "m" + data::fitted("", width);
  std::string result;
  for (int i = 0; i < width; ++i) result += terminal.unicode ? blocks[level] : letters[level];
  return result;
}

}  // namespace

std::string shade(double share, int width, const Terminal& terminal) {
  if (std::isnan(share)) return data::fitted("?", width);
  return patch(level_of(share, terminal), width, terminal);
}

std::string end_of_shades(const Terminal& terminal) { return terminal.color ? "\033[0m" : ""; }

std::string shade_legend(double greatest, const Terminal& terminal) {
  std::string bar;
  for (std::size_t level = 0; level < steps(terminal); ++level) bar += patch(level, 2, terminal);
  const std::string blank =
      core::to_text("  (blank: ", std::setprecision(2), least_shaded * greatest, " or less)");
  return core::to_text("0 ", bar, end_of_shades(terminal), " ", std::setprecision(2), greatest,
                       terminal.color ? "" : blank);
}

}  // namespace tapehead::viz
