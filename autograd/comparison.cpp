#include "comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <sstream>

namespace tapehead {

double Comparison::excess_of(double said, double measured) {
  const double error = std::abs(said - measured);
  if (error == 0) return 0;
  if (std::isnan(error)) {
    result_.worst_absolute = result_.worst_relative = error;
    return std::numeric_limits<double>::infinity();
  }
  const double scale =
      std::max({std::abs(said), std::abs(measured), options_.atol / options_.rtol});
  // A NaN that is there already stays.
  if (error > result_.worst_absolute) result_.worst_absolute = error;
  if (error / scale > result_.worst_relative) result_.worst_relative = error / scale;
  const double allowed = options_.atol + options_.rtol * std::abs(measured);
  return error <= allowed ? 0 : error / allowed;
}

std::string Comparison::tell(const std::string& name, bool create_graph, double said,
                             double measured) {
  std::ostringstream out;
  out.precision(9);
  out << "gradcheck: " << name << ": backward" << (create_graph ? " with create_graph" : "")
      << " gives " << said << ", central differences give " << measured << ", ratio "
      << said / measured;
  return out.str();
}

GradcheckResult Comparison::finish(Index skipped) {
  result_.skipped = skipped;
  result_.passed = disagreeing_ == 0;
  if (!result_.passed) {
    std::ostringstream out;
    out << worst_ << "; of " << result_.checked << " entries " << disagreeing_
        << " disagree. Either a derivative is wrong, or a kink lies within eps";
    result_.message = out.str();
  }
  return std::move(result_);
}

std::ostream& operator<<(std::ostream& out, const GradcheckResult& result) {
  if (!result.passed) return out << result.message;
  const auto precision = out.precision(2);
  out << "gradcheck: " << result.checked << " entries agree, worst error " << result.worst_absolute
      << " absolute, " << result.worst_relative << " relative";
  if (result.skipped) out << "; there was no time for " << result.skipped << " more";
  out.precision(precision);
  return out;
}

}  // namespace tapehead
