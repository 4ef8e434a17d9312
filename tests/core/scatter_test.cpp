// scatter_, of indexing.h; gather and scatter_add_ are in indexing_test.cpp.
#include <doctest/doctest.h>
#include <tapehead/core/indexing.h>

#include "layouts.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

constexpr DType dtypes[] = {DType::Float32, DType::Float64, DType::Int64, DType::Bool};

NDArray whole(std::initializer_list<double> values, const Shape& shape) {
  return NDArray::of(values, shape, DType::Int64);
}
NDArray made(const Shape& shape, DType dtype) {
  return cast(scattered(shape, DType::Float64, -50, 50), dtype);
}

}  // namespace

TEST_CASE("scatter_ writes each element where the index says, the last one where two meet") {
  const NDArray index = whole({2, 0, 2, 1, 1, 0}, {2, 3});
  for (const DType dtype : dtypes)
    for (const Layout& source : layouts(made({2, 3}, dtype)))
      for (const Layout& chosen : layouts(index))
        for (Layout& target : layouts(NDArray::full({3, 4}, 0, dtype))) {
          std::vector<double> expected(12, 0);
          for (Index i = 0; i < 6; ++i)
            expected[static_cast<std::size_t>(i / 3 * 4 + element<Index>(index, i))] =
                element(source.array, i);
          NDArray to = target.array.clone();
          scatter_(target.array, 1, chosen.array, source.array);
          CHECK(elements(target.array) == expected);
          scatter_(to, -1, chosen.array, source.array);
          CHECK(elements(to) == expected);
        }
}

TEST_CASE("scatter_ takes as much of a larger source as the index has, and a number") {
  NDArray x = counted({3, 2});
  scatter_(x, 0, whole({2, 0}, {1, 2}), NDArray::of({7, 8, 9, 5, 5, 5}, {2, 3}, DType::Float32));
  CHECK(elements(x) == std::vector<double>{0, 8, 2, 3, 7, 5});
  scatter_(x, 1, whole({1, 0}, {2, 1}), -1.5);
  CHECK(elements(x) == std::vector<double>{0, -1.5, -1.5, 3, 7, 5});
  NDArray number = NDArray::full({}, 1, DType::Int64);
  scatter_(number, 0, NDArray::full({}, 0, DType::Int64), 4);
  CHECK(number.item() == 4);
}

TEST_CASE("an index without elements may have any shape") {
  const NDArray none = NDArray::full({0, 7}, 0, DType::Int64);
  NDArray x = counted({2});
  CHECK(gather(x, 0, none).shape() == Shape{0, 7});
  scatter_(x, 0, none, 5);
  scatter_(x, 0, none, x);
  scatter_add_(x, 0, none, NDArray::full({}, 3, DType::Float32));
  CHECK(elements(x) == std::vector<double>{0, 1});
}

TEST_CASE("a source or an index that shares the target's memory is read first") {
  NDArray x = whole({2, 1, 0}, {3});
  scatter_(x, 0, x, x);
  CHECK(elements(x) == std::vector<double>{0, 1, 2});
  NDArray y = whole({1, 2, 0}, {3});
  scatter_(y, 0, y, y.slice(0, 0, 3));
  CHECK(elements(y) == std::vector<double>{0, 1, 2});
}

TEST_CASE("scatter_ refuses what does not fit, in the name it was given") {
  NDArray x = counted({2, 3});
  const NDArray index = whole({0, 1}, {2, 1});
  CHECK_THROWS_WITH_AS(
      scatter_(x, 0, whole({0, 1}, {2}), 1, "scatter"),
      "scatter: the index (2) must have the rank of the target (2, 3) and no larger size except "
      "in dimension 0",
      ShapeError);
  CHECK_THROWS_WITH_AS(scatter_(x, 1, index, counted({2, 0})),
                       "scatter_: the index (2, 1) must have the rank of the source (2, 0) and no "
                       "larger size",
                       ShapeError);
  CHECK_THROWS_WITH_AS(scatter_(x, 1, whole({0, 3}, {2, 1}), 1),
                       "scatter_: index 3 at position (1, 0) is out of range for dimension 1 of "
                       "size 3; use 0 to 2",
                       ShapeError);
  CHECK_THROWS_WITH_AS(scatter_(x, 1, counted({2, 1}), 1),
                       "scatter_: the index must be Int64, got Float32; convert with .to(Int64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      scatter_(x, 1, index, counted({2, 3}, DType::Float64)),
      "scatter_: dtypes Float32 and Float64 differ; convert one of them, for example with "
      ".to(Float32)",
      DTypeError);
  NDArray wide = counted({2, 1}).expand({2, 3});
  CHECK_THROWS_WITH_AS(scatter_(wide, 1, index, 1),
                       "scatter_: elements of the target, of shape (2, 3) and strides (1, 0), "
                       "share memory; clone() it first",
                       ShapeError);
  CHECK(elements(x) == elements(counted({2, 3})));
}
