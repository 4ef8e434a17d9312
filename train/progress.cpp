#include "progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tapehead::train {
namespace {

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

}  // namespace

std::string rounded(double number) {
  if (number < 999.5) return format("%.0f", number);
  if (number < 9950) return format("%.1fk", number / 1e3);
  if (number < 999500) return format("%.0fk", number / 1e3);
  return format("%.1fM", number / 1e6);
}

std::string duration(double seconds) {
  const auto s = static_cast<long long>(std::llround(std::clamp(seconds, 0.0, 1e12)));
  if (s < 60) return format("%lld s", s);
  if (s < 3600) return format("%lld min %02lld s", s / 60, s % 60);
  return format("%lld h %02lld min", s / 3600, s % 3600 / 60);
}

std::string to_string(const Progress& p) {
  const std::string steps = std::to_string(p.steps);
  return format("step %*lld/%s  loss %6.4f  accuracy %5.1f %%  %4s tokens/s  %s left",
                static_cast<int>(steps.size()), static_cast<long long>(p.step), steps.c_str(),
                p.loss, 100 * p.accuracy, rounded(p.tokens_per_second).c_str(),
                duration(p.seconds_left).c_str());
}

bool belongs_in_log(Index step, Index steps) {
  const Index distance = std::max<Index>(steps / 10, 1);
  return step == 1 || step == steps || step % distance == 0;
}

}  // namespace tapehead::train
