// Elementwise functions held against a plain loop over doubles.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "layouts.h"

namespace tapehead::core {

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr DType dtypes[] = {DType::Float32, DType::Float64, DType::Int64, DType::Bool};
inline constexpr Index least = std::numeric_limits<Index>::min();

// `got` holds f(i) at each flat index i, to `tolerance` (relative, or absolute below 1).
template <class F>
void check_values(const NDArray& got, const Shape& shape, double tolerance, F f) {
  REQUIRE(got.shape() == shape);
  CHECK(got.is_contiguous());
  double worst = 0;
  for (Index i = 0; i < got.size(); ++i) {
    const double value = element(got, i), want = f(i);
    if (!(value == want || (std::isnan(value) && std::isnan(want))))
      worst = std::fmax(worst, std::fabs(value - want) / std::fmax(1, std::fabs(want)));
  }
  CHECK(worst <= tolerance);
}
inline double tolerance_of(DType dtype) { return dtype == DType::Float32 ? 1e-6 : 4e-15; }

inline NDArray whole(const Shape& shape, double low, double high) {
  const NDArray x = scattered(shape, DType::Float64, low, high);
  std::vector<double> values;
  for (const double v : elements(x)) values.push_back(std::round(v));
  return NDArray::of(values, shape, DType::Int64);
}

}  // namespace tapehead::core
