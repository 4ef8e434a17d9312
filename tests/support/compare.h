// Comparing tensors, with an answer that says where they differ.
//
//   CHECK(difference(y, expected, {.atol = 1e-12}) == "");
#pragma once

#include <tapehead/autograd/create.h>
#include <tapehead/autograd/tensor.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace tapehead::testing {

/// |got - want| <= atol + rtol |want|, or relative to max(1, |want|) where that is asked for.
struct Tolerance {
  double atol = 0, rtol = 0;
  double relative_to_at_least_one = 0;

  double allowed(double want) const {
    return atol + rtol * std::abs(want) + relative_to_at_least_one * std::max(1., std::abs(want));
  }
};

/// The elements in row-major order.
inline std::vector<double> values(const Tensor& x) {
  const NDArray array = x.array().contiguous();
  return core::dispatch(x.dtype(), [&]<class T>() {
    return std::vector<double>(array.data<T>(), array.data<T>() + array.size());
  });
}

/// "" if shape, dtype and every element agree, else the first that does not. NaN equals NaN.
inline std::string difference(const Tensor& got, const Tensor& want, const Tolerance& t = {}) {
  std::ostringstream out;
  out.precision(17);
  if (!got.defined() || !want.defined()) {
    if (got.defined() != want.defined()) out << (got.defined() ? "want" : "got") << " is undefined";
    return out.str();
  }
  if (got.shape() != want.shape() || got.dtype() != want.dtype()) {
    out << "got " << got.shape() << " " << core::name(got.dtype()) << ", want " << want.shape()
        << " " << core::name(want.dtype());
    return out.str();
  }
  const std::vector<double> a = values(got), b = values(want);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    if (std::isfinite(b[i]) && std::abs(a[i] - b[i]) <= t.allowed(b[i])) continue;
    out << "element " << i << " of " << want.shape() << ": got " << a[i] << ", want " << b[i];
    break;
  }
  return out.str();
}

/// Reproducible numbers, different everywhere, of size 0.2 to 1 and of either sign.
inline Tensor noise(const Shape& shape, std::uint32_t seed = 1, DType dtype = Float64) {
  std::vector<double> result(static_cast<std::size_t>(core::numel(shape)));
  std::uint64_t state = seed;
  for (double& value : result) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double u = static_cast<double>(state >> 11) / 9007199254740992.0;  // in [0, 1)
    value = u < 0.5 ? -0.2 - 1.6 * u : 0.2 + 1.6 * (u - 0.5);
  }
  return tensor(result, shape, dtype);
}

}  // namespace tapehead::testing
