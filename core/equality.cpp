// Questions about all elements at once.
#include <algorithm>
#include <cmath>

#include "detail/is_nan.h"
#include "detail/parallel.h"
#include "elementwise.h"

namespace tapehead::core {

namespace {

void check_tolerance(const char* op, const char* which, double tolerance) {
  if (!(tolerance >= 0)) fail(op, ": ", which, " must be at least 0, got ", tolerance);
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

template <class T>
bool are_close(T u, T v, double rtol, double atol, bool equal_nan) {
  if (u == v) return true;
  if (is_nan(u) || is_nan(v)) return equal_nan && is_nan(u) && is_nan(v);
  const double apart = distance(u, v);
  return std::isfinite(apart) && apart <= atol + rtol * std::fabs(static_cast<double>(v));
}

}  // namespace

static bool everywhere(const NDArray& x) {
  const bool* const each = x.data<bool>();
  return std::all_of(each, each + x.size(), [](bool v) { return v; });
}

bool equal(const NDArray& a, const NDArray& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && everywhere(eq(a, b));
}

NDArray isclose(const NDArray& a, const NDArray& b, double rtol, double atol, bool equal_nan,
                const char* op) {
  check_tolerance(op, "rtol", rtol);
  check_tolerance(op, "atol", atol);
  check_same(op, a.dtype(), b.dtype());
  const Shape shape = broadcast(op, a.shape(), b.shape());
  const NDArray x = a.expand(shape).contiguous(), y = b.expand(shape).contiguous();
  NDArray out = NDArray::empty(shape, DType::Bool);
  bool* const close = out.mutable_data<bool>(op);
  dispatch(a.dtype(), [&]<class T>() {
    const T *const us = x.data<T>(), *const vs = y.data<T>();
    parallel_for(out.size(), grain_for(4), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) close[i] = are_close(us[i], vs[i], rtol, atol, equal_nan);
    });
  });
  return out;
}

bool allclose(const NDArray& a, const NDArray& b, double rtol, double atol, bool equal_nan) {
  return everywhere(isclose(a, b, rtol, atol, equal_nan, "allclose"));
}

}  // namespace tapehead::core
