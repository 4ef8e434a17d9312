#include <doctest/doctest.h>
#include <omp.h>
#include <tapehead/core/elementwise.h>
#include <tapehead/core/kernels/dispatch.h>
#include <tapehead/core/random.h>
#include <tapehead/core/update.h>

#include <cmath>

using namespace tapehead::core;

namespace {

constexpr Index n = 100003;

struct Result {
  NDArray adam, nesterov;
  double squares;
};

Result run(DType dtype) {
  Generator generator(1);
  const NDArray start = rand(generator, {n}, dtype), g = rand(generator, {n}, dtype);
  NDArray p = start.clone(), m = NDArray::full({n}, 0, dtype), v = m.clone();
  NDArray q = start.clone(), b = m.clone();
  for (const bool first : {true, false}) {
    adam_(p, g, m, v, {0.9, 0.999, 1e-8, 0.01, 0.5, 0.1, 0.99});
    sgd_(q, g, b, {0.1, 0.9, 0, 0.01, true, first});
  }
  return {p, q, sum_of_squares(g)};
}

bool same(const Result& a, const Result& b) {
  return equal(a.adam, b.adam) && equal(a.nesterov, b.nesterov) && a.squares == b.squares;
}

}  // namespace

TEST_CASE("updates give the same bits on every instruction set and any number of threads") {
  const int threads = omp_get_max_threads();
  const kernels::Isa best = kernels::supported_isas().back();
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    const Result want = run(dtype);
    for (const kernels::Isa isa : kernels::supported_isas()) {
      CAPTURE(kernels::name(isa));
      kernels::use_isa(isa);
      for (const int team : {1, 2, 3}) {
        omp_set_num_threads(team);
        CHECK(same(run(dtype), want));
      }
      omp_set_num_threads(threads);
    }
    kernels::use_isa(best);
  }
}

TEST_CASE("a sum of squares is accurate and counts every element of any layout") {
  const NDArray x = NDArray::full({3, 70000}, 0.1, DType::Float32).transpose(0, 1);
  const double square = static_cast<double>(0.1f) * static_cast<double>(0.1f);
  CHECK(std::abs(sum_of_squares(x) / (210000 * square) - 1) < 1e-13);
  CHECK(sum_of_squares(NDArray::empty({0}, DType::Float64)) == 0);
  CHECK_THROWS_WITH_AS(sum_of_squares(NDArray::full({2}, 1, DType::Int64)),
                       "sum_of_squares: expected Float32 or Float64, got Int64; convert with "
                       ".to(Float32)",
                       tapehead::DTypeError);
}

TEST_CASE("an infinite parameter without weight decay does not become NaN by it") {
  NDArray p = NDArray::full({1}, INFINITY, DType::Float32),
          m = NDArray::full({1}, 0, DType::Float32), v = m.clone(), none;
  const NDArray g = NDArray::full({1}, 1, DType::Float32);
  sgd_(p, g, none, {0.1, 0, 0, 0, false, true});
  adam_(p, g, m, v, {0.9, 0.999, 1e-8, 0.01, 0.5, 0, 1});
  CHECK(p.item() == INFINITY);
}
