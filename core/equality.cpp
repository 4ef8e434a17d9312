// Questions about all elements at once.
#include <algorithm>
#include <cmath>

#include "detail/rows.h"
#include "elementwise.h"

namespace tapehead::core {

namespace {

void check_tolerance(const char* which, double tolerance) {
  if (!(tolerance >= 0)) fail("allclose: ", which, " must be at least 0, got ", tolerance);
}

template <class T>
bool is_nan(T value) {
  return std::isnan(static_cast<double>(value));
}

// |u - v|; of whole numbers not 0 where they differ, however large they are.
template <class T>
double distance(T u, T v) {
  if constexpr (std::is_same_v<T, Index>) {
    const auto a = static_cast<std::uint64_t>(u), b = static_cast<std::uint64_t>(v);
    return static_cast<double>(u > v ? a - b : b - a);
  } else {
    return std::fabs(static_cast<double>(u) - static_cast<double>(v));
  }
}

}  // namespace

bool equal(const NDArray& a, const NDArray& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  const NDArray same = eq(a, b);
  const bool* const each = same.data<bool>();
  return std::all_of(each, each + same.size(), [](bool v) { return v; });
}

bool allclose(const NDArray& a, const NDArray& b, double rtol, double atol, bool equal_nan) {
  check_tolerance("rtol", rtol);
  check_tolerance("atol", atol);
  check_same("allclose", a.dtype(), b.dtype());
  if (a.shape() != b.shape())
    fail<ShapeError>("allclose: shapes ", a.shape(), " and ", b.shape(),
                     " differ; view or expand one as the other");
  const NDArray x = a.contiguous(), y = b.contiguous();
  return dispatch(a.dtype(), [&]<class T>() {
    return std::equal(x.data<T>(), x.data<T>() + x.size(), y.data<T>(), [&](T u, T v) {
      if (u == v) return true;
      if (is_nan(u) || is_nan(v)) return equal_nan && is_nan(u) && is_nan(v);
      const double apart = distance(u, v);
      return std::isfinite(apart) && apart <= atol + rtol * std::fabs(static_cast<double>(v));
    });
  });
}

}  // namespace tapehead::core
