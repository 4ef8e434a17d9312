// Comparison: holds what backward says against what was measured, entry by entry.
#pragma once

#include <array>

#include "../gradcheck.h"

namespace tapehead {

/// An entry of a Jacobian: by backward without create_graph and with, and as measured.
struct Entry {
  std::array<double, 2> said;
  double measured;
};
/// The same as it was judged: of two values that were said, the one further off.
struct Judged {
  double said, measured;
  bool agrees;
};

class Comparison {
 public:
  /// `targets`: names and shapes, of what the columns are about.
  Comparison(const GradcheckOptions& options, std::vector<GradcheckTarget> targets);

  bool agrees(const Entry& entry) const;
  /// |a - b| that is allowed where b is the true value.
  double allowed(double b) const { return options_.atol + options_.rtol * std::abs(b); }
  /// Notes an entry of target t. `name()` is called to tell what was compared.
  template <class Name>
  void add(std::size_t t, const Entry& entry, Name name) {
    const bool further = excess(entry, true) > excess(entry, false);
    if (note(t, entry, further)) result_.targets[t].worst = tell(name(), entry, further);
  }
  /// Notes that the entry added last stands for one at a kink. `what()` is called for the first.
  template <class What>
  void at_kink(std::size_t t, What what) {
    ++result_.targets[t].kinks;
    if (++result_.kinks == 1) result_.kink = what();
  }
  GradcheckResult finish(Index skipped = 0);

 private:
  double excess(const Entry& entry, bool create_graph) const;  // the error over what is allowed
  bool note(std::size_t t, const Entry& entry, bool further);  // whether it is the worst so far
  static std::string tell(const std::string& name, const Entry& entry, bool create_graph);

  GradcheckOptions options_;
  GradcheckResult result_;
  std::vector<std::vector<Judged>> judged_;  // by target, column by column
};

/// What the entries of a target look like, as a sentence: all twice what they should be, zero,
/// transposed, …; or that a derivative is wrong. `name` and `shape` are the target's.
std::string hint(const std::vector<Judged>& entries, const std::string& name, const Shape& shape);

}  // namespace tapehead
