#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <type_traits>

namespace tapehead {
namespace {

template <class T>
void count(T value, Statistics& s) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {
      ++s.nan;
      return;
    }
    if (std::isinf(value)) {
      ++(value > 0 ? s.positive_inf : s.negative_inf);
      return;
    }
  }
  if (value == T(0)) ++s.zeros;
  s.min = std::min(s.min, static_cast<double>(value));
  s.max = std::max(s.max, static_cast<double>(value));
}

}  // namespace

Statistics statistics(const core::NDArray& x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Statistics s{x.shape(), x.dtype()};
  s.min = infinity, s.max = -infinity;
  const core::NDArray row_major = x.contiguous();
  core::dispatch(x.dtype(), [&]<class T>() {
    const T* const values = row_major.data<T>();
    for (core::Index i = 0; i < x.size(); ++i) count(values[i], s);
  });
  return s;
}

// v - v is 0 unless v is NaN or infinite; a sum of such differences is 0 or NaN.
bool all_finite(const core::NDArray& x) {
  if (!core::is_floating(x.dtype())) return true;
  const core::NDArray row_major = x.contiguous();
  return core::dispatch(x.dtype(), [&]<class T>() {
    const T* const values = row_major.data<T>();
    bool finite = true;
    for (core::Index i = 0; i < x.size(); ++i) finite &= values[i] - values[i] == T(0);
    return finite;
  });
}

std::ostream& operator<<(std::ostream& out, const Statistics& s) {
  out << s.shape << " " << core::name(s.dtype);
  if (s.any_finite()) out << ", " << s.min << " to " << s.max;
  if (core::is_floating(s.dtype)) out << ", " << s.nan << " NaN, " << s.inf() << " inf";
  return out;
}

}  // namespace tapehead
