// Progress, shown: one line written over on a terminal, about ten lines in a pipe.
#pragma once

#include <chrono>
#include <csignal>
#include <optional>
#include <string>

#include "../train/progress.h"

namespace tapehead::cli {

class ProgressPrinter {
 public:
  void show(const train::Progress& progress);
  /// Its next line has this loss, too.
  void held_out(double loss, core::Index step) { held_out_ = {loss, step}; }
  /// Ends the line that is being written over.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  void overwrite(const train::Progress& progress, int width);

  /// What a line has of it: "" where nothing is new.
  std::string held_out_text(core::Index step) const;

  struct HeldOut {
    double loss;
    core::Index step;
  };
  std::optional<HeldOut> held_out_;
  Clock::time_point last_ = Clock::time_point::min();
  bool line_open_ = false;
};

/// While it lives, Ctrl-C is noted; a second one ends the process at once. Then what was to happen
/// at Ctrl-C before is so again. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool pressed() const;

 private:
  struct sigaction before_ {};
};

}  // namespace tapehead::cli
