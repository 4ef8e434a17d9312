// Statistics: what is in an array, in one line.
//
//   to_text(statistics(x.array()))   // "(2, 3) Float32, 0.5 to 2, 1 NaN, 0 inf"
#pragma once

#include <iosfwd>

#include "../core/ndarray.h"

namespace tapehead {

/// What an array has in it.
struct Statistics {
  core::Shape shape;
  core::DType dtype = core::DType::Float32;
  core::Index nan = 0, positive_inf = 0, negative_inf = 0, zeros = 0;  // how many
  double min = 0, max = 0;  // of the finite elements; min > max if there are none

  /// Infinities of either sign; whether there are none, nor NaN; whether min and max are any.
  core::Index inf() const { return positive_inf + negative_inf; }
  bool finite() const { return nan + inf() == 0; }
  bool any_finite() const { return min <= max; }
};

/// In one pass.
Statistics statistics(const core::NDArray& x);
/// Whether no element is NaN or infinite; sooner known than all statistics.
bool all_finite(const core::NDArray& x);

/// "(2, 3) Float32, 0.5 to 2, 1 NaN, 0 inf".
std::ostream& operator<<(std::ostream& out, const Statistics& s);

}  // namespace tapehead
