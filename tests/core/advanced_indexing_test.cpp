// index, index_put_, nonzero and one_hot, of indexing.h.
#include <doctest/doctest.h>
#include <omp.h>
#include <tapehead/core/indexing.h>

#include <limits>

#include "layouts.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

using Numbers = std::vector<double>;

constexpr DType dtypes[] = {DType::Float32, DType::Float64, DType::Int64, DType::Bool};

NDArray whole(std::initializer_list<double> values, const Shape& shape) {
  return NDArray::of(values, shape, DType::Int64);
}
NDArray made(const Shape& shape, DType dtype) {
  return cast(scattered(shape, DType::Float64, -50, 50), dtype);
}

// x[:, i, j] by hand, for x (2, 3, 4) and i, j that broadcast to (2, 3).
NDArray rows() { return whole({2, -3}, {2, 1}); }
NDArray columns() { return whole({0, -1, 0}, {3}); }
Index wrapped(Index i, Index size) { return i < 0 ? i + size : i; }
Index place(Index outer, Index b) {
  return outer * 12 + wrapped(element<Index>(rows(), b / 3), 3) * 4 +
         wrapped(element<Index>(columns(), b % 3), 4);
}

}  // namespace

TEST_CASE("index takes elements where several indices meet") {
  for (const DType dtype : dtypes)
    for (const Layout& layout : layouts(made({2, 3, 4}, dtype)))
      for (const Layout& i : layouts(rows()))
        for (const Layout& j : layouts(columns())) {
          const NDArray got = index(layout.array, {1, 2}, {i.array, j.array});
          REQUIRE(got.shape() == Shape{2, 2, 3});
          CHECK(got.dtype() == dtype);
          bool right = true;
          for (Index k = 0; k < 12; ++k)
            right &= element(got, k) == element(layout.array, place(k / 6, k % 6));
          CHECK(right);
        }
}

TEST_CASE("the indexed dimensions stay where they are if neighbours, else they go in front") {
  const NDArray x = counted({2, 3, 4, 5}), i = whole({1, 0, 1}, {3});
  CHECK(index(x, {0}, {i}).shape() == Shape{3, 3, 4, 5});
  CHECK(index(x, {3}, {i}).shape() == Shape{2, 3, 4, 3});
  CHECK(index(x, {1, 2}, {i, i}).shape() == Shape{2, 3, 5});
  CHECK(index(x, {1, 3}, {i, i}).shape() == Shape{3, 2, 4});
  CHECK(index(x, {0, 1, 2, 3}, {i, i, i, i}).shape() == Shape{3});
  CHECK(index(x, {0, 3}, {i, whole({4, 2}, {2, 1})}).shape() == Shape{2, 3, 3, 4});
  CHECK(elements(index(x, {1, 3}, {i, whole({4}, {})}).select(2, 1).select(1, 0)) ==
        Numbers{29, 9, 29});
  CHECK(index(x, {2}, {whole({}, {0})}).shape() == Shape{2, 3, 0, 5});
  CHECK(elements(index(counted({2}), {}, {})) == Numbers{0, 1});
}

TEST_CASE("index_put_ writes to these places, or adds to them in order") {
  for (const DType dtype : dtypes)
    for (const bool accumulate : {false, true})
      for (const Layout& values : layouts(made({2, 2, 3}, dtype)))
        for (Layout& target : layouts(NDArray::full({2, 3, 4}, 1, dtype))) {
          if (accumulate && dtype == DType::Bool) continue;
          std::vector<double> expected(24, 1);
          for (Index k = 0; k < 12; ++k) {
            double& at = expected[static_cast<std::size_t>(place(k / 6, k % 6))];
            at = (accumulate ? at : 0) + element(values.array, k);
            if (dtype == DType::Float32) at = static_cast<float>(at);
          }
          index_put_(target.array, {1, 2}, {rows(), columns()}, values.array, accumulate);
          CHECK(elements(target.array) == expected);
        }
}

TEST_CASE("values broadcast to the places, and are read before any is written") {
  NDArray x = counted({2, 3});
  index_put_(x, {1}, {whole({0, 2}, {2})}, NDArray::of({7, 8}, {2, 1}, DType::Float32), false);
  CHECK(elements(x) == Numbers{7, 1, 7, 8, 4, 8});
  NDArray y = counted({4});
  index_put_(y, {0}, {whole({1, 2, 3}, {3})}, y.narrow(0, 0, 3), false);
  CHECK(elements(y) == Numbers{0, 0, 1, 2});
  NDArray z = whole({2, 1, 0}, {3});
  index_put_(z, {0}, {z}, whole({5, 6, 7}, {3}), true);
  CHECK(elements(z) == Numbers{9, 7, 5});
}

TEST_CASE("any number of threads reads and adds alike") {
  std::vector<double> at;
  for (Index i = 0; i < 999; ++i) at.push_back(static_cast<double>(i * 31 % 65));
  const NDArray where = NDArray::of(at, {999}, DType::Int64);
  const NDArray terms = scattered({3, 999, 180}, DType::Float32);
  const auto summed = [&] {
    NDArray sums = scattered(large_shape(), DType::Float32);
    index_put_(sums, {1}, {where}, terms, true);
    return elements(index(sums, {1}, {where}));
  };
  const Numbers want = summed();
  const int threads = omp_get_max_threads();
  for (const int count : {1, 2, 3, 7}) {
    omp_set_num_threads(count);
    CHECK(summed() == want);
  }
  omp_set_num_threads(threads);
}

TEST_CASE("index and index_put_ refuse what does not fit") {
  NDArray x = counted({2, 3});
  CHECK_THROWS_WITH_AS(index(x, {1}, {whole({0, -4}, {2})}),
                       "index: index -4 at position (1) is out of range for dimension 1 of size 3; "
                       "use -3 to 2",
                       ShapeError);
  CHECK_THROWS_WITH_AS(index(counted({2, 0}), {1}, {whole({0}, {1})}),
                       "index: index 0 at position (0) is out of range for dimension 1, which is "
                       "empty",
                       ShapeError);
  CHECK_THROWS_WITH_AS(index(x, {0, 1}, {whole({0, 1}, {2}), whole({0, 1, 2}, {3})}),
                       "index: shapes (2) and (3) do not broadcast: 2 against 3 in dimension -1; "
                       "sizes must be equal, "
                       "or one of them 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(index_put_(x, {0}, {whole({0}, {1})}, counted({2}), false, "index_put"),
                       "index_put: cannot expand (2) to (1, 3); sizes must be equal or 1, counted "
                       "from the last dimension",
                       ShapeError);
  NDArray truth = NDArray::full({2}, true, DType::Bool);
  CHECK_THROWS_WITH_AS(index_put_(truth, {0}, {whole({0}, {1})}, truth.narrow(0, 0, 1), true),
                       "index_put_: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
  CHECK(elements(x) == elements(counted({2, 3})));
}

TEST_CASE("nonzero lists coordinates in row-major order, of NaN too") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Layout& x : layouts(NDArray::of({0, 3, -0., nan, 0, 1}, {2, 3}, DType::Float64)))
    CHECK(elements(nonzero(x.array)) == Numbers{0, 1, 1, 0, 1, 2});
  CHECK(nonzero(NDArray::full({}, 3, DType::Int64)).shape() == Shape{1, 0});
  CHECK(nonzero(NDArray::full({}, 0, DType::Float32)).shape() == Shape{0, 0});
  CHECK(nonzero(NDArray::full({0, 2}, 1, DType::Bool)).shape() == Shape{0, 2});
}

TEST_CASE("one_hot marks each index along a new dimension") {
  for (const Layout& x : layouts(whole({2, 0, 1, 1}, {2, 2})))
    CHECK(elements(one_hot(x.array, -1)) == Numbers{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0});
  CHECK(one_hot(whole({1}, {}), 4).shape() == Shape{4});
  CHECK(one_hot(whole({}, {0}), 3).shape() == Shape{0, 3});
  CHECK_THROWS_WITH_AS(one_hot(whole({}, {0}), -1),
                       "one_hot: an empty index (0) does not tell how many classes there are; give "
                       "num_classes",
                       ShapeError);
  CHECK_THROWS_WITH_AS(one_hot(whole({0}, {1}), 0),
                       "one_hot: expected at least one class, got 0; class numbers begin at 0",
                       ShapeError);
  CHECK_THROWS_WITH_AS(one_hot(whole({0, 3}, {2}), 3),
                       "one_hot: index 3 at position (1) is out of range for dimension 1 of size "
                       "3; use 0 to 2",
                       ShapeError);
  CHECK_THROWS_WITH_AS(one_hot(whole({-1}, {1}), -1),
                       "one_hot: index -1 at position (0) is out of range for dimension 1 of size "
                       "1; use 0 to 0",
                       ShapeError);
  CHECK_THROWS_WITH_AS(one_hot(NDArray::full({2}, true, DType::Bool), 2),
                       "one_hot: the index must be Int64, got Bool; convert with .to(Int64)",
                       DTypeError);
}
