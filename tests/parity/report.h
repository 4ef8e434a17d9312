// What was compared, and how it went.
#pragma once

#include <array>
#include <map>
#include <ostream>

#include "lockstep.h"

namespace parity {

/// How often something ended how.
struct Tally {
  int kept = 0, refused = 0, kinks = 0, explained = 0, different = 0;
  void count(Outcome::Kind kind);
};

class Report {
 public:
  void count(const Step& step, const std::vector<Reading>& inputs, const Outcome& outcome);
  void count_graph(int depth) { ++graphs_, shallow_ += depth < least_depth; }
  void print(std::ostream& out, bool every_row) const;
  /// What is missing of the counts that a run of this many graphs must reach; empty if nothing.
  std::vector<std::string> shortcomings(int graphs) const;

  static constexpr int least_depth = 5, least_calls = 50, least_layouts = 10, full_run = 10000;
  /// Of differences; two more are evened out in theirs.cpp.
  static constexpr std::size_t most_explained = 8;

 private:
  std::map<const Row*, Tally> rows_;
  std::map<const Row*, std::array<int, layouts>> row_layouts_;
  std::array<int, layouts> layouts_{};
  std::array<int, 4> dtypes_{};
  std::map<std::string, int> explained_;
  int graphs_ = 0, shallow_ = 0;
};

}  // namespace parity
