#include "reading.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace parity {

bool Reading::finite() const {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}
double Reading::largest() const {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}
double Reading::smallest() const {
  double least = std::numeric_limits<double>::infinity();
  for (const double v : values) least = std::min(least, v);
  return least;
}

std::string to_string(const Reading& reading, bool with_values) {
  if (!reading.defined) return "none";
  std::ostringstream out;
  out.precision(17);
  out << to_string(Argument(reading.shape)) << " " << torch_name(reading.dtype);
  if (layout_of(reading) != Layout::Contiguous && reading.rank() > 0)
    out << " strides " << to_string(Argument(reading.strides));
  if (reading.offset != 0) out << " offset " << reading.offset;
  if (reading.requires_grad) out << " requires_grad";
  if (!with_values) return out.str();
  constexpr std::size_t most = 24;
  out << " [";
  for (std::size_t i = 0; i < std::min(most, reading.values.size()); ++i)
    out << (i == 0 ? "" : ", ") << reading.values[i];
  out << (reading.values.size() > most ? ", ...]" : "]");
  return out.str();
}

const char* name(Layout layout) {
  static constexpr const char* names[layouts] = {"contiguous", "offset", "transposed",
                                                 "permuted",   "sliced", "stepped",
                                                 "expanded",   "0-d",    "empty"};
  return names[static_cast<int>(layout)];
}

namespace {

// The dimensions that matter for where elements lie, in the order of their strides.
std::vector<std::size_t> by_stride(const Reading& reading) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < reading.shape.size(); ++d)
    if (reading.shape[d] != 1) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return reading.strides[a] > reading.strides[b];
  });
  return order;
}

// Whether the dimensions, in this order, leave no gaps.
bool dense(const Reading& reading, const std::vector<std::size_t>& order) {
  Index expected = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    if (reading.strides[order[i]] != expected) return false;
    expected *= reading.shape[order[i]];
  }
  return true;
}

}  // namespace

Layout layout_of(const Reading& reading) {
  if (reading.rank() == 0) return Layout::Scalar;
  if (reading.size() == 0) return Layout::Empty;
  const std::vector<std::size_t> order = by_stride(reading);
  for (const std::size_t d : order)
    if (reading.strides[d] == 0) return Layout::Expanded;
  if (!dense(reading, order))
    return order.empty() || reading.strides[order.back()] == 1 ? Layout::Sliced : Layout::Stepped;
  int moved = 0;
  std::vector<std::size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < order.size(); ++i) moved += order[i] != sorted[i];
  if (moved > 0) return moved == 2 ? Layout::Transposed : Layout::Permuted;
  return reading.offset == 0 ? Layout::Contiguous : Layout::Offset;
}

}  // namespace parity
