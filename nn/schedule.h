// Schedules: the learning rate of step 0, 1, …
//
//   const optim::WarmupCosine schedule{.peak = 1e-3, .warmup = 100, .steps = 2000};
//   optimizer.set_lr(schedule(step));
//
// The rate of the first step is never 0, no number of steps or of warm-up divides by zero, and
// where the warm-up ends the rate is the peak. A `step` below 0 counts as 0.
#pragma once

#include "../core/shape.h"

namespace tapehead::optim {

using core::Index;

/// peak (step + 1) / (warmup + 1) while step < warmup; then from `peak` along half a cosine down to
/// floor * peak at `steps`, where it stays.
struct WarmupCosine {
  double peak;
  Index warmup, steps;
  double floor = 0.1;  // where it ends, as a part of the peak

  double operator()(Index step) const;
};

/// The same along a straight line.
struct WarmupLinear {
  double peak;
  Index warmup, steps;
  double floor = 0;

  double operator()(Index step) const;
};

/// factor d_model^(-1/2) min(n^(-1/2), n warmup^(-3/2)) with n = step + 1: "Attention Is All You
/// Need", section 5.3, whose steps count from 1.
struct Noam {
  Index d_model, warmup;
  double factor = 1;

  double operator()(Index step) const;
};

/// rate gamma^(step / every), the quotient rounded down: PyTorch's StepLR. An `every` below 1
/// counts as 1.
struct StepDecay {
  double rate;
  Index every;
  double gamma = 0.1;

  double operator()(Index step) const;
};

}  // namespace tapehead::optim
