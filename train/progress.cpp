#include "progress.h"

#include <algorithm>
#include <cmath>
#include <iomanip>

#include "../core/text.h"

namespace tapehead::train {
namespace {

std::string fixed(double number, int digits) {
  return core::to_text(std::fixed, std::setprecision(digits), number);
}

std::string two_digits(long long number) {
  return core::to_text(std::setfill('0'), std::setw(2), number);
}

}  // namespace

std::string rounded(double number) {
  if (number < 999.5) return fixed(number, 0);
  if (number < 9950) return fixed(number / 1e3, 1) + "k";
  if (number < 999500) return fixed(number / 1e3, 0) + "k";
  return fixed(number / 1e6, 1) + "M";
}

std::string duration(double seconds) {
  const auto s = static_cast<long long>(std::llround(std::clamp(seconds, 0.0, 1e12)));
  if (s < 60) return core::to_text(s, " s");
  if (s < 3600) return core::to_text(s / 60, " min ", two_digits(s % 60), " s");
  return core::to_text(s / 3600, " h ", two_digits(s % 3600 / 60), " min");
}

std::string to_string(const Progress& p) {
  const auto width = static_cast<int>(std::to_string(p.steps).size());
  return core::to_text("step ", std::setw(width), p.step, '/', p.steps, "  loss ", std::setw(6),
                       fixed(p.loss, 4), "  accuracy ", std::setw(5), fixed(100 * p.accuracy, 1),
                       " %  ", std::setw(4), rounded(p.tokens_per_second), " tokens/s  ",
                       duration(p.seconds_left), " left");
}

bool belongs_in_log(Index step, Index steps) {
  const Index distance = std::max<Index>(steps / 10, 1);
  return step == 1 || step == steps || step % distance == 0;
}

}  // namespace tapehead::train
