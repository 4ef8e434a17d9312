// Deadline: whether there is time for one thing more.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace tapehead {

/// Knows when all has to end, and how long one thing took at most. `now` tells the time in seconds.
class Deadline {
 public:
  explicit Deadline(double seconds, std::function<double()> now = steady)
      : now_(std::move(now)), end_(now_() + seconds) {}

  /// Whether another thing as long as the longest so far would end in time, and time to spare.
  bool allows_another() const { return now_() + 1.5 * longest_ < end_; }
  template <class Measure>
  void timed(Measure measure) {
    const double begin = now_();
    measure();
    longest_ = std::max(longest_, now_() - begin);
  }

 private:
  static double steady() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  }

  std::function<double()> now_;
  double end_, longest_ = 0;
};

}  // namespace tapehead
