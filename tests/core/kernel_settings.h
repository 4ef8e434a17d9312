// Number of threads and instruction set, set for a scope; and what neither may change.
#pragma once

#include <doctest/doctest.h>
#include <omp.h>
#include <tapehead/core/kernels/dispatch.h>
#include <tapehead/core/ndarray.h>

#include <cstring>
#include <utility>
#include <vector>

namespace tapehead::core {

struct Threads {
  explicit Threads(int n) { omp_set_num_threads(n); }
  ~Threads() { omp_set_num_threads(before); }
  int before = omp_get_max_threads();
};

struct UseIsa {
  explicit UseIsa(kernels::Isa isa) { kernels::use_isa(isa); }
  ~UseIsa() { kernels::use_isa(before); }
  kernels::Isa before = kernels::isa();
};

/// f(dtype) for both floating dtypes on each instruction set of this CPU.
template <class F>
void on_every_isa(const F& f) {
  for (const kernels::Isa isa : kernels::supported_isas()) {
    const UseIsa with(isa);
    CAPTURE(kernels::name(isa));
    for (const DType dtype : {DType::Float32, DType::Float64}) f(dtype);
  }
}

/// Bit for bit; both row-major.
inline bool identical(const NDArray& a, const NDArray& b) {
  const auto bytes = static_cast<std::size_t>(a.size() * size_of(a.dtype()));
  return a.shape() == b.shape() && a.dtype() == b.dtype() && a.is_contiguous() &&
         b.is_contiguous() &&
         (bytes == 0 || std::memcmp(a.storage()->data, b.storage()->data, bytes) == 0);
}

/// Whether the CPU has AVX-512; if not, says once what that leaves untested.
inline bool has_v4() {
  static const bool has = kernels::supported_isas().back() == kernels::Isa::v4;
  static bool said = has;
  if (!std::exchange(said, true)) MESSAGE("not compared with AVX-512, which this CPU lacks");
  return has;
}

/// Checks that make() gives the same arrays on 1, 2 and 4 threads; and with AVX2 as with AVX-512,
/// where the CPU has both.
template <class F>
void same_bits(const F& make) {
  const auto check = [&](const std::vector<NDArray>& want) {
    const std::vector<NDArray> got = make();
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      CAPTURE(i);
      CHECK(identical(got[i], want[i]));
    }
  };
  const std::vector<NDArray> first = make();
  for (const int n : {1, 2, 4}) {
    const Threads with(n);
    CAPTURE(n);
    check(first);
  }
  if (!has_v4()) return;
  const UseIsa v4(kernels::Isa::v4);
  const std::vector<NDArray> wide = make();
  const UseIsa v3(kernels::Isa::v3);
  check(wide);
}

}  // namespace tapehead::core
