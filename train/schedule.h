// WarmupCosine: a learning rate that rises for the first steps and then decays.
//
//   const WarmupCosine schedule{.peak = 1e-3, .warmup = 100, .steps = 2000};
//   optimizer.set_lr(schedule(step));
#pragma once

#include <cmath>
#include <numbers>

#include "../core/shape.h"

namespace tapehead::train {

struct WarmupCosine {
  double peak;
  core::Index warmup, steps;
  double floor = 0.1;  // where it ends, as a part of the peak

  /// The rate of step 0, 1, …: peak (step + 1) / (warmup + 1) while warming up, so never 0; then
  /// from `peak` along half a cosine down to floor * peak at `steps`, where it stays.
  double operator()(core::Index step) const {
    if (step < warmup)
      return peak * static_cast<double>(step + 1) / static_cast<double>(warmup + 1);
    if (step >= steps) return peak * floor;
    const double done = static_cast<double>(step - warmup) / static_cast<double>(steps - warmup);
    return peak * (floor + (1 - floor) * 0.5 * (1 + std::cos(std::numbers::pi * done)));
  }
};

}  // namespace tapehead::train
