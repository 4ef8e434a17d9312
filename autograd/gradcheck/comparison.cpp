#include "comparison.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>

namespace tapehead {
namespace {

double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

GradcheckTarget joined(GradcheckTarget a, const GradcheckTarget& b) {
  a.checked += b.checked;
  a.disagreeing += b.disagreeing;
  a.kinks += b.kinks;
  a.worst_absolute = worse(a.worst_absolute, b.worst_absolute);
  a.worst_relative = worse(a.worst_relative, b.worst_relative);
  if (b.worst_excess > a.worst_excess) a.worst = b.worst, a.worst_excess = b.worst_excess;
  return a;
}

}  // namespace

Comparison::Comparison(const GradcheckOptions& options, std::vector<GradcheckTarget> targets)
    : options_(options), judged_(targets.size()) {
  result_.targets = std::move(targets);
}

double Comparison::excess(const Entry& entry, bool create_graph) const {
  const double error = std::abs(entry.said[create_graph] - entry.measured);
  if (error == 0) return 0;
  const double ratio = error / allowed(entry.measured);
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

bool Comparison::agrees(const Entry& entry) const {
  return excess(entry, false) <= 1 && excess(entry, true) <= 1;
}

bool Comparison::note(std::size_t t, const Entry& entry, bool further) {
  GradcheckTarget& target = result_.targets[t];
  const double said = entry.said[further], error = std::abs(said - entry.measured);
  // What lies below the floor may differ by atol, however much that is of it.
  const double floor = options_.rtol > 0 ? options_.atol / options_.rtol : 0;
  const double scale = std::max({std::abs(said), std::abs(entry.measured), floor});
  const bool ok = agrees(entry);
  ++target.checked;
  target.disagreeing += !ok;
  target.worst_absolute = worse(error, target.worst_absolute);
  if (error != 0) target.worst_relative = worse(error / scale, target.worst_relative);
  judged_[t].push_back({said, entry.measured, ok});
  const double off = excess(entry, further);
  if (off <= target.worst_excess) return false;
  target.worst_excess = off;
  return true;
}

std::string Comparison::tell(const std::string& name, const Entry& entry, bool create_graph) {
  const double said = entry.said[create_graph];
  const bool both = entry.said[0] == entry.said[1];
  return core::to_text(std::setprecision(9), name, ": backward",
                       create_graph && !both ? " with create_graph" : "", " gives ", said,
                       ", central differences give ", entry.measured, ", ratio ",
                       said / entry.measured);
}

GradcheckResult Comparison::finish(Index skipped) {
  result_.skipped = skipped;
  Index disagreeing = 0;
  std::size_t worst = 0;
  for (std::size_t t = 0; t < result_.targets.size(); ++t) {
    const GradcheckTarget& target = result_.targets[t];
    result_.checked += target.checked;
    disagreeing += target.disagreeing;
    result_.worst_absolute = worse(target.worst_absolute, result_.worst_absolute);
    result_.worst_relative = worse(target.worst_relative, result_.worst_relative);
    if (target.worst_excess > result_.targets[worst].worst_excess) worst = t;
  }
  result_.passed = disagreeing == 0;
  if (!result_.passed) {
    const GradcheckTarget& target = result_.targets[worst];
    result_.message =
        core::to_text("gradcheck: ", target.worst, "; of ", result_.checked, " entries ",
                      disagreeing, disagreeing == 1 ? " disagrees. " : " disagree. ",
                      hint(judged_[worst], target.name, target.shape));
  }
  return std::move(result_);
}

GradcheckResult& GradcheckResult::operator+=(const GradcheckResult& other) {
  if (message.empty()) message = other.message;
  if (kink.empty()) kink = other.kink;
  passed = passed && other.passed;
  worst_absolute = worse(worst_absolute, other.worst_absolute);
  worst_relative = worse(worst_relative, other.worst_relative);
  checked += other.checked;
  skipped += other.skipped;
  kinks += other.kinks;
  for (const GradcheckTarget& target : other.targets) {
    const auto same = std::find_if(targets.begin(), targets.end(), [&](const auto& mine) {
      return mine.name == target.name && mine.shape == target.shape;
    });
    if (same == targets.end())
      targets.push_back(target);
    else
      *same = joined(std::move(*same), target);
  }
  return *this;
}

}  // namespace tapehead
