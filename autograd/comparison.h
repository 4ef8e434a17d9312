// Comparison: holds what backward says against what was measured, entry by entry.
#pragma once

#include <array>

#include "gradcheck.h"

namespace tapehead {

class Comparison {
 public:
  explicit Comparison(const GradcheckOptions& options) : options_(options) {}

  /// One entry. `said`: by backward without create_graph, and with. `name()` is called to tell what
  /// was compared.
  template <class Name>
  void add(const std::array<double, 2>& said, double measured, Name name) {
    ++result_.checked;
    bool agrees = true;
    for (const bool create_graph : {false, true}) {
      const double excess = excess_of(said[create_graph], measured);
      if (excess <= 1) continue;
      agrees = false;
      if (excess > worst_excess_)
        worst_excess_ = excess, worst_ = tell(name(), create_graph, said[create_graph], measured);
    }
    disagreeing_ += !agrees;
  }
  GradcheckResult finish(Index skipped = 0);

 private:
  // The error in units of what is allowed; also notes it.
  double excess_of(double said, double measured);
  static std::string tell(const std::string& name, bool create_graph, double said, double measured);

  GradcheckOptions options_;
  GradcheckResult result_;
  double worst_excess_ = 1;
  std::string worst_;
  Index disagreeing_ = 0;
};

}  // namespace tapehead
