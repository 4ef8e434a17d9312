#include "schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tapehead::optim {
namespace {

// The part of the way from the end of the warm-up to the last step, in [0, 1].
double done(Index step, Index warmup, Index steps) {
  if (step >= steps) return 1;
  return static_cast<double>(step - warmup) / static_cast<double>(steps - warmup);
}

double rising(double peak, Index step, Index warmup) {
  return peak * static_cast<double>(step + 1) / static_cast<double>(warmup + 1);
}

}  // namespace

double WarmupCosine::operator()(Index step) const {
  step = std::max<Index>(step, 0);
  if (step < warmup) return rising(peak, step, warmup);
  const double wave = 0.5 * (1 + std::cos(std::numbers::pi * done(step, warmup, steps)));
  return peak * (floor + (1 - floor) * wave);
}

double WarmupLinear::operator()(Index step) const {
  step = std::max<Index>(step, 0);
  if (step < warmup) return rising(peak, step, warmup);
  return peak * (floor + (1 - floor) * (1 - done(step, warmup, steps)));
}

double Noam::operator()(Index step) const {
  const auto n = static_cast<double>(std::max<Index>(step, 0) + 1);
  double rate = std::pow(n, -0.5);
  if (warmup > 0) rate = std::min(rate, n * std::pow(static_cast<double>(warmup), -1.5));
  return factor * std::pow(static_cast<double>(d_model), -0.5) * rate;
}

double StepDecay::operator()(Index step) const {
  const Index times = std::max<Index>(step, 0) / std::max<Index>(every, 1);
  return rate * std::pow(gamma, static_cast<double>(times));
}

}  // namespace tapehead::optim
