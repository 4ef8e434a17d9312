#include "compare.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "theirs.h"

namespace parity {

Tolerance tolerance(DType dtype) {
  return dtype == DType::Float32 ? Tolerance{1e-5, 1.3e-6} : Tolerance{1e-12, 1e-12};
}

namespace {

bool same_kind(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return true;
}

double most_moved(const Reading& theirs, const Reading& noisy) {
  double most = 0;
  for (std::size_t i = 0; i < theirs.values.size(); ++i)
    if (std::isfinite(theirs.values[i]))
      most = std::max(most, std::abs(noisy.values[i] - theirs.values[i]));
  return most;
}

double largest_finite(const Reading& reading) {
  double most = 0;
  for (const double v : reading.values)
    if (std::isfinite(v)) most = std::max(most, std::abs(v));
  return most;
}

bool at_a_kink(const Reading& theirs, const Reading& noisy) {
  if (theirs.defined != noisy.defined || theirs.shape != noisy.shape) return true;
  for (std::size_t i = 0; i < theirs.values.size(); ++i)
    if (theirs.floating() ? !same_kind(theirs.values[i], noisy.values[i])
                          : theirs.values[i] != noisy.values[i])
      return true;
  if (!theirs.floating()) return false;
  const double limit = noise(theirs.dtype) * (theirs.dtype == DType::Float32 ? 1e3 : 1e5);
  return most_moved(theirs, noisy) > limit * (1 + largest_finite(theirs));
}

}  // namespace

bool same_strides(const Reading& ours, const Reading& theirs) {
  if (ours.shape != theirs.shape) return false;
  if (ours.size() == 0) return true;
  for (std::size_t d = 0; d < ours.shape.size(); ++d)
    if (ours.shape[d] != 1 && ours.strides[d] != theirs.strides[d]) return false;
  return true;
}

Verdict compare(const Reading& ours, const Reading& theirs, const std::vector<Reading>& noisy) {
  if (ours.defined != theirs.defined)
    return {Verdict::Different,
            ours.defined ? "ours is a tensor, theirs none" : "ours is none, theirs a tensor"};
  if (!ours.defined) return {};
  if (ours.dtype != theirs.dtype) return {Verdict::Different, "dtypes differ"};
  if (ours.shape != theirs.shape) return {Verdict::Different, "shapes differ"};
  double moved = 0;
  for (const Reading& other : noisy) {
    if (at_a_kink(theirs, other)) return {Verdict::Kink};
    if (theirs.floating()) moved = std::max(moved, most_moved(theirs, other));
  }
  const auto [atol, rtol] = tolerance(theirs.dtype);
  for (std::size_t i = 0; i < theirs.values.size(); ++i) {
    const double a = ours.values[i], b = theirs.values[i];
    if (same_kind(a, b) && !std::isfinite(b)) continue;
    const double allowed = theirs.floating() ? atol + rtol * std::abs(b) + noise_factor * moved : 0;
    if (same_kind(a, b) && std::abs(a - b) <= allowed) continue;
    std::ostringstream out;
    out.precision(17);
    out << "element " << i << ": ours " << a << ", theirs " << b << ", allowed " << allowed;
    return {Verdict::Different, out.str()};
  }
  return {};
}

}  // namespace parity
