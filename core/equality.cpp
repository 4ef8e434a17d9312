// Questions about all elements at once.
#include <atomic>
#include <cmath>

#include "detail/parallel.h"
#include "detail/rows.h"
#include "elementwise.h"
#include "kernels/dispatch.h"
#include "kernels/reduce.h"

namespace tapehead::core {

bool equal(const NDArray& a, const NDArray& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  const NDArray same = eq(a, b);
  const bool* const each = same.data<bool>();
  return std::all_of(each, each + same.size(), [](bool v) { return v; });
}

bool allclose(const NDArray& a, const NDArray& b, double rtol, double atol, bool equal_nan) {
  same_dtype("allclose", a, b);
  if (a.shape() != b.shape())
    fail<ShapeError>("allclose: shapes ", a.shape(), " and ", b.shape(),
                     " differ; view or expand one as the other");
  const NDArray x = a.contiguous(), y = b.contiguous();
  const auto close = [&](double u, double v) {
    if (u == v) return true;
    if (std::isnan(u) || std::isnan(v)) return equal_nan && std::isnan(u) && std::isnan(v);
    return std::isfinite(u) && std::isfinite(v) && std::fabs(u - v) <= atol + rtol * std::fabs(v);
  };
  return dispatch(a.dtype(), [&]<class T>() {
    return std::equal(x.data<T>(), x.data<T>() + x.size(), y.data<T>(), [&](T u, T v) {
      return u == v || close(static_cast<double>(u), static_cast<double>(v));
    });
  });
}

bool all_finite(const NDArray& x) {
  if (!is_floating(x.dtype())) return true;
  const NDArray flat = x.contiguous();
  return dispatch_floating("all_finite", x.dtype(), [&]<class T>() {
    std::atomic<bool> finite{true};
    parallel_for(flat.size(), grain_for(1), [&](Index begin, Index end) {
      const auto& kernel = kernels::kernels<kernels::FiniteKernels<T>>();
      if (!kernel.all_finite(end - begin, flat.data<T>() + begin)) finite = false;
    });
    return finite.load();
  });
}

}  // namespace tapehead::core
