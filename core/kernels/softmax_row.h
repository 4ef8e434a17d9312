// The softmax of one row, for softmax and attention.
#pragma once

#include "lanes.h"
#include "math.h"

namespace tapehead::core::kernels::TAPEHEAD_ISA {

/// y = exp(x) / sum(exp(x)); y may be x. Returns the largest x.
template <class T>
inline T softmax_row(Index n, const T* x, T* y) {
  const T most = largest_along(n, x);
  const auto shifted = [most](auto v) { return exp(v - most); };
  Lanes<T> sums = all(T{0});
  Index i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>) {
    const Lanes<T> e = each(shifted, load_lanes(x + i));
    store_lanes(y + i, e);
    add(sums, e);
  }
  if (i < n) {
    const Lanes<T> e = first(each(shifted, load_lanes(x + i, n - i)), n - i);
    store_lanes(y + i, n - i, e);
    add(sums, e);
  }
  const T total = sum(sums);
  map_along(
      n, y, [total](auto v) { return v / total; }, y);
  return most;
}

}  // namespace tapehead::core::kernels::TAPEHEAD_ISA
