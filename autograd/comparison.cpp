#include "comparison.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <ostream>

namespace tapehead {
namespace {

double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace

double Comparison::excess_of(double said, double measured) {
  const double error = std::abs(said - measured);
  if (error == 0) return 0;
  if (std::isnan(error)) {
    result_.worst_absolute = result_.worst_relative = error;
    return std::numeric_limits<double>::infinity();
  }
  // What lies below the floor may differ by atol, however much that is of it.
  const double floor = options_.rtol > 0 ? options_.atol / options_.rtol : 0;
  const double scale = std::max({std::abs(said), std::abs(measured), floor});
  // A NaN that is there already stays.
  if (error > result_.worst_absolute) result_.worst_absolute = error;
  if (error / scale > result_.worst_relative) result_.worst_relative = error / scale;
  const double allowed = options_.atol + options_.rtol * std::abs(measured);
  return error <= allowed ? 0 : error / allowed;
}

std::string Comparison::tell(const std::string& name, bool create_graph, double said,
                             double measured) {
  return core::to_text(std::setprecision(9), "gradcheck: ", name, ": backward",
                       create_graph ? " with create_graph" : "", " gives ", said,
                       ", central differences give ", measured, ", ratio ", said / measured);
}

GradcheckResult Comparison::finish(Index skipped) {
  result_.skipped = skipped;
  result_.passed = disagreeing_ == 0;
  if (!result_.passed)
    result_.message =
        core::to_text(worst_, "; of ", result_.checked, " entries ", disagreeing_,
                      " disagree. Either a derivative is wrong, or a kink lies within eps");
  return std::move(result_);
}

GradcheckResult& GradcheckResult::operator+=(const GradcheckResult& other) {
  if (message.empty()) message = other.message;
  passed = passed && other.passed;
  worst_absolute = worse(worst_absolute, other.worst_absolute);
  worst_relative = worse(worst_relative, other.worst_relative);
  checked += other.checked;
  skipped += other.skipped;
  return *this;
}

std::ostream& operator<<(std::ostream& out, const GradcheckResult& result) {
  if (!result.passed) return out << result.message;
  out << core::to_text(std::setprecision(2), "gradcheck: ", result.checked,
                       " entries agree, worst error ", result.worst_absolute, " absolute, ",
                       result.worst_relative, " relative");
  if (result.skipped) out << core::to_text("; there was no time for ", result.skipped, " more");
  return out;
}

}  // namespace tapehead
