#include <doctest/doctest.h>
#include <tapehead/core/matmul.h>

#include <cmath>

#include "kernel_settings.h"
#include "layouts.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

// (..., n, k) (..., k, m) by three loops in double, any leading dimensions of one of them repeated.
std::vector<double> product(const NDArray& a, const NDArray& b, const Shape& result) {
  const Index n = a.shape()[-2], k = a.shape()[-1], m = b.shape()[-1];
  Shape lead = result;
  const Shape rows = {n, k}, columns = {k, m};
  const auto with = [&](const Shape& last) {
    Shape shape;
    for (int d = 0; d + 2 < lead.rank(); ++d) shape.push_back(lead[d]);
    shape.push_back(last[0]), shape.push_back(last[1]);
    return shape;
  };
  const std::vector<double> x = elements(a.expand(with(rows))),
                            y = elements(b.expand(with(columns)));
  std::vector<double> sums;
  for (Index batch = 0; batch < numel(result) / std::max<Index>(1, n * m); ++batch)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < m; ++j) {
        double sum = 0;
        for (Index l = 0; l < k; ++l)
          sum += x[static_cast<std::size_t>((batch * n + i) * k + l)] *
                 y[static_cast<std::size_t>((batch * k + l) * m + j)];
        sums.push_back(sum);
      }
  return sums;
}

// The largest |got - want| beside the size of the terms: 3 * 3 * sqrt(k), if all are from [-3, 3].
void check_close(const NDArray& got, const std::vector<double>& want, Index k) {
  REQUIRE(got.size() == static_cast<Index>(want.size()));
  const double eps = got.dtype() == DType::Float32   ? 6e-8
                     : got.dtype() == DType::Float64 ? 2e-16
                                                     : 0;
  double worst = 0;
  for (Index i = 0; i < got.size(); ++i)
    worst = std::max(worst, std::abs(element(got, i) - want[static_cast<std::size_t>(i)]));
  CHECK(worst <= eps * 9 * static_cast<double>(k + 4));
}

void check_matmul(const NDArray& a, const NDArray& b, const Shape& shape) {
  const NDArray c = matmul(a, b);
  CAPTURE(a.shape());
  CAPTURE(b.shape());
  CHECK(c.shape() == shape);
  CHECK(c.dtype() == a.dtype());
  CHECK(c.is_contiguous());
  check_close(c, product(a, b, shape), a.shape()[-1]);
}

constexpr std::array dtypes{DType::Float32, DType::Float64, DType::Int64};

}  // namespace

TEST_CASE("matmul of matrices is the sum of products, whatever their sizes and strides") {
  // Around the tile's 1, 2, 4, 6, 8, 12 rows and 4 to 32 columns, and the blocks' 192 and 256.
  const std::vector<std::array<Index, 3>> sizes{
      {1, 1, 1},   {2, 3, 4},   {5, 7, 3},   {8, 8, 8},    {13, 17, 33},  {12, 5, 32},
      {1, 40, 19}, {4, 64, 70}, {3, 16, 1},  {50, 64, 50}, {27, 257, 66}, {65, 31, 129},
      {1, 300, 9}, {130, 9, 1}, {7, 1, 600}, {200, 12, 40}};
  for (const kernels::Isa isa : kernels::supported_isas()) {
    const UseIsa with(isa);
    CAPTURE(kernels::name(isa));
    for (const DType dtype : dtypes)
      for (const auto& [n, k, m] : sizes)
        for (const Layout& a : layouts(scattered({n, k}, dtype)))
          for (const Layout& b : layouts(scattered({k, m}, dtype, -2, 3))) {
            CAPTURE(a.name);
            CAPTURE(b.name);
            check_matmul(a.array, b.array, {n, m});
          }
  }
}

TEST_CASE("matmul broadcasts leading dimensions") {
  for (const DType dtype : dtypes)
    for (const Layout& a : layouts(scattered({2, 1, 5, 4}, dtype)))
      for (const Layout& b : layouts(scattered({3, 4, 6}, dtype)))
        check_matmul(a.array, b.array, {2, 3, 5, 6});
  const NDArray a = scattered({4, 3, 5}, DType::Float64), b = scattered({5, 2}, DType::Float64);
  for (const Layout& each : layouts(a)) check_matmul(each.array, b, {4, 3, 2});
  check_matmul(a.select(0, 1), a.transpose(1, 2), {4, 3, 3});
  check_matmul(a.narrow(0, 0, 1).expand({4, 3, 5}), b.unsqueeze(0).expand({4, 5, 2}), {4, 3, 2});
}

TEST_CASE("matmul of vectors drops the dimension they lack") {
  const NDArray v = NDArray::of({1, 2, 3}, {3}, DType::Float64);
  const NDArray a = scattered({2, 4, 3}, DType::Float64), w = v.unsqueeze(1);
  CHECK(matmul(v, v).shape() == Shape{});
  CHECK(matmul(v, v).item() == 14);
  CHECK(matmul(a, v).shape() == Shape{2, 4});
  check_close(matmul(a, v), product(a, w, {2, 4, 1}), 3);
  CHECK(matmul(v, a.transpose(1, 2)).shape() == Shape{2, 4});
  check_close(matmul(v, a.transpose(1, 2)),
              product(w.transpose(0, 1), a.transpose(1, 2), {2, 1, 4}), 3);
}

TEST_CASE("matmul over nothing is zero, and of nothing is empty") {
  const auto zeros = [](Shape shape) { return NDArray::full(shape, 0, DType::Float32); };
  CHECK(elements(matmul(zeros({2, 0}), zeros({0, 3}))) == std::vector<double>(6, 0));
  CHECK(matmul(zeros({0, 3}), zeros({3, 2})).shape() == Shape{0, 2});
  CHECK(matmul(zeros({2, 3}), zeros({3, 0})).shape() == Shape{2, 0});
  CHECK(matmul(zeros({0, 2, 3}), zeros({3, 4})).shape() == Shape{0, 2, 4});
  CHECK(elements(matmul(zeros({4, 2, 0}), zeros({0, 1}))) == std::vector<double>(8, 0));
}

TEST_CASE("matmul of Int64 wraps around") {
  const NDArray big = NDArray::full({1, 2}, Index{1} << 62, DType::Int64);
  const NDArray two = NDArray::full({2, 1}, 2, DType::Int64);
  CHECK(matmul(big, two).item<Index>() == 0);
}

TEST_CASE("products have the same bits on any number of threads, and with AVX2 and AVX-512") {
  for (const DType dtype : {DType::Float32, DType::Float64})
    for (const auto& [n, k, m] : std::vector<std::array<Index, 3>>{
             {150, 300, 170}, {3, 700, 90}, {400, 20, 1}, {64, 64, 64}}) {
      const NDArray a = scattered({2, n, k}, dtype), b = scattered({2, k, m}, dtype);
      const NDArray turned = b.transpose(1, 2).contiguous().transpose(1, 2);
      same_bits([&] { return std::vector{matmul(a, b), matmul(a, turned)}; });
      same_bits([&] { return std::vector{matmul(a.select(0, 1), b.select(0, 0))}; });
    }
}

TEST_CASE("what matmul refuses, it names with the way out") {
  const auto f = [](Shape shape) { return NDArray::full(shape, 0, DType::Float32); };
  CHECK_THROWS_WITH_AS(
      matmul(f({2, 3}), f({2, 3})),
      "matmul: last dimension of (2, 3) must equal second-last of (2, 3); did you mean a.mT()?",
      ShapeError);
  CHECK_THROWS_WITH_AS(
      matmul(f({2, 3}), f({4, 3})),
      "matmul: last dimension of (2, 3) must equal second-last of (4, 3); did you mean b.mT()?",
      ShapeError);
  CHECK_THROWS_WITH_AS(matmul(f({2, 3}), f({4, 5})),
                       "matmul: last dimension of (2, 3) must equal second-last of (4, 5); the "
                       "inner sizes must match",
                       ShapeError);
  CHECK_THROWS_WITH_AS(matmul(f({2, 3}), f({4})),
                       "matmul: last dimension of (2, 3) must equal the length of (4); "
                       "the vector's length must match",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      matmul(f({2, 3}), f({})),
      "matmul: expected at least 1 dimension, got (2, 3) and (); use * for a scalar", ShapeError);
  CHECK_THROWS_WITH_AS(matmul(f({2, 1, 3}), f({4, 3, 1})),
                       "matmul: leading dimensions of (2, 1, 3) and (4, 3, 1) do not broadcast: "
                       "2 against 4; sizes must be equal, or one of them 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(matmul(f({2, 3}), NDArray::full({3, 2}, 0, DType::Float64)),
                       "matmul: dtypes Float32 and Float64 differ; convert one of them, for "
                       "example with .to(Float64)",
                       DTypeError);
  const NDArray flags = NDArray::full({2, 2}, 1, DType::Bool);
  CHECK_THROWS_WITH_AS(matmul(flags, flags),
                       "matmul: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
}
