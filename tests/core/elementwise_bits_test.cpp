// What threads, places and instruction sets leave as it is.
#include <doctest/doctest.h>
#include <omp.h>
#include <tapehead/core/elementwise.h>
#include <tapehead/core/kernels/dispatch.h>

#include "elementwise_functions.h"
#include "kernel_settings.h"
#include "plain_loop.h"

using namespace tapehead;
using namespace tapehead::core;

TEST_CASE("arrays that several threads share equal a plain loop") {
  const NDArray x = scattered(large_shape(), DType::Float32),
                y = scattered(large_shape(), DType::Float32, 9, -2);
  for (const Layout& a : layouts(x)) {
    check_values(core::abs(a.array), x.shape(), 0,
                 [&](Index i) { return std::fabs(element(x, i)); });
    for (const Layout& b : layouts(y))
      check_values(maximum(a.array, b.array), x.shape(), 0,
                   [&](Index i) { return std::fmax(element(x, i), element(y, i)); });
  }
}

TEST_CASE("any number of threads gives the same bits") {
  const NDArray x = scattered(large_shape(), DType::Float32),
                y = scattered({65, 1}, DType::Float32);
  const int most = omp_get_max_threads();
  for (const Unary& u : unary) {
    omp_set_num_threads(1);
    const NDArray one = u.op(x), broadcast_one = mul(u.op(x.transpose(0, 2)).transpose(0, 2), y);
    for (const int threads : {2, 3, 7}) {
      omp_set_num_threads(threads);
      const NDArray more = u.op(x),
                    broadcast_more = mul(u.op(x.transpose(0, 2)).transpose(0, 2), y);
      CAPTURE(u.name);
      CHECK(identical(one, more));
      CHECK(identical(broadcast_one, broadcast_more));
    }
  }
  omp_set_num_threads(most);
}

// Element i of a vector, as an array of its own.
static NDArray place(const NDArray& x, Index i) { return x.narrow(0, i, 1).clone(); }

TEST_CASE("an element's value does not depend on its place in the array") {
  const NDArray x = scattered({77}, DType::Float32);
  for (const Unary& u : unary) {
    const NDArray all = u.op(x);
    for (Index i = 0; i < x.size(); ++i) {
      CAPTURE(u.name);
      CHECK(identical(u.op(x.narrow(0, i, 1)), place(all, i)));
    }
  }
  const NDArray y = scattered({77}, DType::Float32, 2, 0.3);
  for (const Binary& b : binary) {
    const NDArray all = b.op(x, y),
                  crosswise = b.op(x.view({7, 11}).transpose(0, 1), y.select(0, 0));
    for (Index i = 0; i < x.size(); ++i) {
      CAPTURE(b.name);
      CHECK(identical(b.op(x.narrow(0, i, 1), y.narrow(0, i, 1)), place(all, i)));
      CHECK(identical(b.op(x.narrow(0, i, 1), y.narrow(0, 0, 1)),
                      place(crosswise.view({77}), i % 11 * 7 + i / 11)));
    }
  }
}

TEST_CASE("all instruction sets with fused multiply-add give the same bits") {
  const NDArray x = scattered({1003}, DType::Float32),
                y = scattered({1003}, DType::Float32, 2, 0.1);
  const kernels::Isa chosen = kernels::isa();
  std::vector<std::vector<NDArray>> results;
  for (const kernels::Isa isa : kernels::supported_isas()) {
    if (isa == kernels::Isa::baseline) continue;
    kernels::use_isa(isa);
    results.emplace_back();
    for (const DType dtype : {DType::Float32, DType::Float64}) {
      const NDArray a = cast(x, dtype), b = cast(y, dtype);
      for (const Unary& u : unary) results.back().push_back(u.op(a));
      for (const Binary& f : binary) results.back().push_back(f.op(a, b));
      NDArray scaled = a.clone();
      add_(scaled, b, 0.3);
      results.back().push_back(scaled);
    }
  }
  kernels::use_isa(chosen);
  for (std::size_t k = 1; k < results.size(); ++k)
    for (std::size_t i = 0; i < results[0].size(); ++i)
      CHECK(identical(results[k][i], results[0][i]));
}
