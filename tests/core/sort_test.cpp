#include <doctest/doctest.h>
#include <omp.h>
#include <tapehead/core/sort.h>

#include <cmath>
#include <limits>

#include "layouts.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

using Numbers = std::vector<double>;
using Indices = std::vector<Index>;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr DType dtypes[] = {DType::Float32, DType::Float64, DType::Int64};

NDArray row(std::initializer_list<double> values, DType dtype = DType::Float64) {
  return NDArray::of(values, {static_cast<Index>(values.size())}, dtype);
}

bool same(const NDArray& a, const NDArray& b) {
  const Numbers x = elements(a), y = elements(b);
  bool equal = a.shape() == b.shape() && a.dtype() == b.dtype();
  for (std::size_t i = 0; equal && i < x.size(); ++i)
    equal = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]));
  return equal;
}

}  // namespace

TEST_CASE("sort orders each row, whatever the layout, dimension and dtype") {
  for (const DType dtype : dtypes)
    for (const Layout& layout : layouts(scattered({5, 3, 7}, dtype, -50, 50)))
      for (int d = 0; d < 3; ++d)
        for (const bool descending : {false, true}) {
          const auto [values, indices] = sort(layout.array, d - (d % 2 ? 3 : 0), descending);
          REQUIRE(values.shape() == layout.array.shape());
          CHECK(values.is_contiguous());
          CHECK(indices.dtype() == DType::Int64);
          bool right = true;
          for (Index i = 0; i < values.size(); ++i) {
            Dims at = index_of(values.shape(), i), from = at;
            from[d] = element<Index>(indices, i);
            Index flat = 0;
            for (int k = 0; k < 3; ++k) flat = flat * values.shape()[k] + from[k];
            right &= element(values, i) == element(layout.array, flat);
            if (at[d] == 0) continue;
            const Index before = i - row_major(values.shape())[d];
            const double a = element(values, before), b = element(values, i);
            right &= descending ? a >= b : a <= b;
            right &= a != b || element(indices, before) < element(indices, i);
          }
          CHECK(right);
        }
}

TEST_CASE("NaN counts as the largest number, and equal elements keep their order") {
  const NDArray x = row({3, no_number, 1, -infinity, no_number, 1, infinity});
  CHECK(elements<Index>(sort(x, 0).indices) == Indices{3, 2, 5, 0, 6, 1, 4});
  CHECK(elements<Index>(sort(x, 0, true).indices) == Indices{1, 4, 6, 0, 2, 5, 3});
  CHECK(elements<Index>(topk(x, 3, 0).indices) == Indices{1, 4, 6});
  CHECK(elements<Index>(topk(x, 3, 0, false).indices) == Indices{3, 2, 5});
  CHECK(elements<Index>(topk(x, 6, 0, false).indices) == Indices{3, 2, 5, 0, 6, 1});
  CHECK(elements<Index>(sort(row({0, -0., 0}), 0).indices) == Indices{0, 1, 2});
  CHECK(elements<Index>(sort(row({1, 0, 1, 0}, DType::Bool), 0).indices) == Indices{1, 3, 0, 2});
}

TEST_CASE("topk gives the first k of a sort, or those as they stand") {
  for (const DType dtype : dtypes)
    for (const Layout& layout : layouts(scattered({4, 9, 3}, dtype, -4, 4)))
      for (const bool largest : {false, true}) {
        const auto [values, indices] = sort(layout.array, 1, largest);
        for (Index k = 0; k <= 9; ++k) {
          const ValuesIndices top = topk(layout.array, k, 1, largest);
          CHECK(same(top.values, values.narrow(1, 0, k)));
          CHECK(same(top.indices, indices.narrow(1, 0, k)));
          const ValuesIndices standing = topk(layout.array, k, -2, largest, false);
          CHECK(same(standing.indices, sort(top.indices, 1).values));
        }
      }
  CHECK(elements(topk(row({2, 7, 2, 7, 1}), 3, 0, true, false).values) == Numbers{2, 7, 7});
}

TEST_CASE("empty rows and tensors without dimensions are in order already") {
  CHECK(sort(NDArray::full({0, 3}, 0, DType::Float32), 0).values.shape() == Shape{0, 3});
  CHECK(sort(NDArray::full({2, 0}, 0, DType::Float32), 1).indices.shape() == Shape{2, 0});
  CHECK(topk(NDArray::full({0, 3}, 0, DType::Float32), 2, 1).values.shape() == Shape{0, 2});
  CHECK(topk(NDArray::full({0, 3}, 0, DType::Float32), 0, 0).values.shape() == Shape{0, 3});
  const NDArray two = NDArray::full({}, 2, DType::Float32);
  CHECK(sort(two, -1).values.item() == 2);
  CHECK(sort(two, 0).indices.shape() == Shape{});
  CHECK(topk(two, 1, 0).values.item() == 2);
}

TEST_CASE("any number of threads sorts alike") {
  const NDArray x = scattered({300, 500}, DType::Float32);
  const ValuesIndices sorted = sort(x, 1), top = topk(x, 20, 0);
  const int threads = omp_get_max_threads();
  for (const int count : {1, 2, 3, 7}) {
    omp_set_num_threads(count);
    CHECK(same(sort(x, 1).indices, sorted.indices));
    CHECK(same(topk(x, 20, 0).indices, top.indices));
  }
  omp_set_num_threads(threads);
}

TEST_CASE("sort and topk refuse dimensions and numbers that are not there") {
  const NDArray x = NDArray::full({2, 3}, 0, DType::Float32);
  CHECK_THROWS_WITH_AS(topk(x, 4, 1),
                       "topk: k must lie in [0, 3], the size of dimension 1 of (2, 3), got 4",
                       ShapeError);
  CHECK_THROWS_WITH_AS(topk(x, -1, 0),
                       "topk: k must lie in [0, 2], the size of dimension 0 of (2, 3), got -1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(topk(NDArray::full({}, 0, DType::Float32), 0, 0),
                       "topk: a tensor of 0 dimensions has 1 element to choose, got k = 0; "
                       "unsqueeze(0) it first",
                       ShapeError);
  CHECK_THROWS_WITH_AS(topk(row({1, 0}, DType::Bool), 1, 0),
                       "topk: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      sort(x, 2), "sort: dimension 2 is out of range for a tensor of 2 dimensions; use -2 to 1",
      ShapeError);
}
