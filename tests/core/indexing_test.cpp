#include <doctest/doctest.h>
#include <omp.h>
#include <tapehead/core/indexing.h>

#include <limits>
#include <string>

#include "layouts.h"
using namespace tapehead;
using namespace tapehead::core;

namespace {

constexpr DType dtypes[] = {DType::Float32, DType::Float64, DType::Int64, DType::Bool};
constexpr DType numeric[] = {DType::Float32, DType::Float64, DType::Int64};

NDArray made(const Shape& shape, DType dtype) {
  return cast(scattered(shape, DType::Float64, -50, 50), dtype);
}
NDArray indices(std::initializer_list<double> values) {
  return NDArray::of(values, {static_cast<Index>(values.size())}, DType::Int64);
}
// Pseudorandom indices in [0, size).
NDArray some_indices(const Shape& shape, Index size) {
  std::vector<double> values;
  for (Index i = 0; i < numel(shape); ++i)
    values.push_back(static_cast<double>((i * 7919 + 5) % 10007 % size));
  return NDArray::of(values, shape, DType::Int64);
}

// The flat index of coordinates.
Index flat(const Shape& shape, const Dims& at) {
  Index result = 0;
  for (int d = 0; d < shape.rank(); ++d) result = result * shape[d] + at[d];
  return result;
}

}  // namespace

TEST_CASE("index_select takes slices, whatever the layout and dimension") {
  for (const DType dtype : dtypes) {
    const NDArray x = made({4, 3, 5}, dtype);
    for (const Layout& layout : layouts(x))
      for (int d = 0; d < 3; ++d) {
        const NDArray index = some_indices({7}, x.shape()[d]);
        for (const Layout& chosen : layouts(index)) {
          const NDArray got = index_select(layout.array, d - (d % 2 ? 3 : 0), chosen.array);
          Shape shape = x.shape();
          shape[d] = 7;
          REQUIRE(got.shape() == shape);
          CHECK(got.dtype() == dtype);
          bool right = true;
          for (Index i = 0; i < got.size(); ++i) {
            Dims at = index_of(shape, i);
            at[d] = element<Index>(index, at[d]);
            right &= element(got, i) == element(x, flat(x.shape(), at));
          }
          CHECK(right);
        }
      }
  }
}

TEST_CASE("index_select takes one index or none, of a 0-d array too") {
  const NDArray x = made({3, 2}, DType::Float32);
  CHECK(index_select(x, 0, NDArray::full({}, 2, DType::Int64)).shape() == Shape{1, 2});
  CHECK(index_select(x, 1, indices({})).shape() == Shape{3, 0});
  CHECK(index_select(NDArray::full({}, 5, DType::Float32), 0, indices({0})).shape() == Shape{});
  CHECK(index_select(NDArray::empty({3, 0}, DType::Float32), 0, indices({1, 2})).shape() ==
        Shape{2, 0});
}

TEST_CASE("embedding takes rows in the shape of the index, and says where an index is wrong") {
  const NDArray weight = made({4, 2}, DType::Float32);
  const NDArray index = indices({2, 0, 2, 1, 1, 0}).view({3, 2}).transpose(0, 1);
  const NDArray y = embedding(weight, index);
  CHECK(y.shape() == Shape{2, 3, 2});
  CHECK(elements(y.select(0, 1).select(0, 2)) == elements(weight.select(0, 0)));
  CHECK(elements(y.select(0, 0).select(0, 2)) == elements(weight.select(0, 1)));
  CHECK_THROWS_WITH_AS(embedding(weight, indices({0, 1, 2, 4}).view({2, 2})),
                       "embedding: index 4 at position (1, 1) is out of range for dimension 0 of "
                       "size 4; use 0 to 3",
                       ShapeError);
  CHECK_THROWS_WITH_AS(embedding(weight.select(0, 0), index),
                       "embedding: weight must be (vocabulary, width), got (2)", ShapeError);
}

TEST_CASE("wrong indices are refused with index, position and size") {
  const NDArray x = made({3, 2}, DType::Float32);
  CHECK_THROWS_WITH_AS(index_select(x, 0, indices({0, 3})),
                       "index_select: index 3 at position (1) is out of range for dimension 0 of "
                       "size 3; use 0 to 2",
                       ShapeError);
  CHECK_THROWS_WITH_AS(index_select(x, 1, indices({-1})),
                       "index_select: index -1 at position (0) is out of range for dimension 1 of "
                       "size 2; use 0 to 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(index_select(NDArray::empty({0, 2}, DType::Float32), 0, indices({0})),
                       "index_select: index 0 at position (0) is out of range for dimension 0, "
                       "which is empty",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      index_select(x, 0, indices({0, 1}).view({1, 2})),
      "index_select: the index must have 1 dimension, got shape (1, 2); flatten it "
      "with view({-1}) first",
      ShapeError);
  CHECK_THROWS_WITH_AS(index_select(x, 0, x.select(0, 0)),
                       "index_select: the index must be Int64, got Float32; convert with "
                       ".to(Int64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      index_select(x, 2, indices({0})),
      "index_select: dimension 2 is out of range for a tensor of 2 dimensions; use -2 to 1",
      ShapeError);
  CHECK_THROWS_WITH_AS(gather(x, 1, indices({0, 1, 1, 2}).view({2, 2})),
                       "gather: index 2 at position (1, 1) is out of range for dimension 1 of size "
                       "2; use 0 to 1",
                       ShapeError);
}

TEST_CASE("index_add_ adds repeated slices up, whatever the layout and dimension") {
  for (const DType dtype : numeric) {
    const NDArray x = made({4, 3, 5}, dtype);
    for (int d = 0; d < 3; ++d) {
      const NDArray index = some_indices({9}, x.shape()[d]);
      Shape shape = x.shape();
      shape[d] = 9;
      const NDArray source = made(shape, dtype);
      std::vector<double> want = elements(x);
      for (Index i = 0; i < source.size(); ++i) {
        Dims at = index_of(shape, i);
        at[d] = element<Index>(index, at[d]);
        want[static_cast<std::size_t>(flat(x.shape(), at))] += element(source, i);
      }
      for (const Layout& from : layouts(source))
        for (Layout& target : layouts(x)) {
          CAPTURE(target.name);
          const auto version = target.array.version();
          index_add_(target.array, d - 3, index, from.array);
          CHECK(allclose(NDArray::of(want, x.shape(), DType::Float64),
                         cast(target.array, DType::Float64), 1e-5, 1e-4));
          CHECK(target.array.version() > version);
          CHECK(std::string(target.array.writer()) == "index_add_");
        }
    }
  }
}

TEST_CASE("index_add_ wants a source of the right shape and dtype") {
  NDArray x = made({3, 2}, DType::Float32);
  const auto version = x.version();
  CHECK_THROWS_WITH_AS(index_add_(x, 0, indices({0, 1}), x),
                       "index_add_: the source must have shape (2, 2), got (3, 2)", ShapeError);
  CHECK_THROWS_WITH_AS(index_add_(x, 0, indices({0}), NDArray::full({1, 2}, 1, DType::Int64)),
                       "index_add_: dtypes Float32 and Int64 differ; convert one of them, for "
                       "example with .to(Float32)",
                       DTypeError);
  NDArray b = NDArray::full({2}, 1, DType::Bool);
  CHECK_THROWS_WITH_AS(index_add_(b, 0, indices({0, 1}), b),
                       "index_add_: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
  NDArray wide = NDArray::full({1, 2}, 1, DType::Float32).expand({3, 2});
  CHECK_THROWS_WITH_AS(index_add_(wide, 0, indices({0}), x.narrow(0, 0, 1)),
                       "index_add_: elements of the target, of shape (3, 2) and strides (0, 1), "
                       "share memory; clone() it first",
                       ShapeError);
  CHECK(x.version() == version);
}

TEST_CASE("index_add_ reads a source and an index that share the target's memory first") {
  NDArray x = NDArray::of({1, 2, 3}, {3}, DType::Float64);
  index_add_(x, 0, indices({1, 2, 0}), x);
  CHECK(elements(x) == std::vector<double>{4, 3, 5});
  NDArray y = indices({1, 1, 0});
  index_add_(y, 0, y, indices({1, 1, 1}));
  CHECK(elements(y) == std::vector<double>{2, 3, 0});
  NDArray scalar = NDArray::full({}, 1, DType::Float32);
  index_add_(scalar, 0, indices({0, 0}), NDArray::full({2}, 3, DType::Float32));
  CHECK(scalar.item() == 7);
}

TEST_CASE("any number of threads adds slices to the same bits") {
  const int most = omp_get_max_threads();
  const NDArray index = some_indices({5000}, 7), source = scattered({5000, 200}, DType::Float32);
  const auto run = [&](int threads) {
    omp_set_num_threads(threads);
    NDArray sums = NDArray::full({7, 200}, 0, DType::Float32);
    index_add_(sums, 0, index, source);
    return sums;
  };
  const NDArray one = run(1);
  for (const int threads : {2, 3, 8}) CHECK(equal(run(threads), one));
  omp_set_num_threads(most);
}

TEST_CASE("gather picks along a dimension, whatever the layouts") {
  for (const DType dtype : dtypes) {
    const NDArray x = made({4, 3, 5}, dtype);
    for (int d = 0; d < 3; ++d) {
      Shape shape{3, 2, 4};
      shape[d] = 6;  // may be longer along d only
      const NDArray index = some_indices(shape, x.shape()[d]);
      for (const Layout& from : layouts(x))
        for (const Layout& chosen : layouts(index)) {
          const NDArray got = gather(from.array, d - (d % 2 ? 3 : 0), chosen.array);
          REQUIRE(got.shape() == shape);
          bool right = true;
          for (Index i = 0; i < got.size(); ++i) {
            Dims at = index_of(shape, i);
            at[d] = element<Index>(index, i);
            right &= element(got, i) == element(x, flat(x.shape(), at));
          }
          CHECK(right);
        }
    }
  }
  CHECK(
      gather(NDArray::full({}, 4, DType::Float32), 0, NDArray::full({}, 0, DType::Int64)).item() ==
      4);
  CHECK(gather(made({0, 3}, DType::Float32), 1, NDArray::empty({0, 2}, DType::Int64)).shape() ==
        Shape{0, 2});
}

TEST_CASE("scatter_add_ undoes gather: repeated places add up, whatever the layouts") {
  for (const DType dtype : numeric) {
    const NDArray x = made({4, 3, 5}, dtype);
    for (int d = 0; d < 3; ++d) {
      Shape shape{3, 2, 4};
      shape[d] = 6;
      const NDArray index = some_indices(shape, x.shape()[d]);
      const NDArray source = made({6, 7, 8}, dtype);  // larger than the index: the rest is not read
      std::vector<double> want = elements(x);
      for (Index i = 0; i < index.size(); ++i) {
        Dims at = index_of(shape, i);
        const double term = element(source, flat(source.shape(), at));
        at[d] = element<Index>(index, i);
        want[static_cast<std::size_t>(flat(x.shape(), at))] += term;
      }
      for (const Layout& from : layouts(source))
        for (Layout& target : layouts(x)) {
          scatter_add_(target.array, d - 3, index, from.array);
          CHECK(allclose(NDArray::of(want, x.shape(), DType::Float64),
                         cast(target.array, DType::Float64), 1e-5, 1e-4));
          CHECK(std::string(target.array.writer()) == "scatter_add_");
        }
    }
  }
  const Index most = std::numeric_limits<Index>::max();
  NDArray total = NDArray::full({}, most, DType::Int64);
  scatter_add_(total, 0, NDArray::full({}, 0, DType::Int64), NDArray::full({}, 1, DType::Int64));
  CHECK(total.item<Index>() == std::numeric_limits<Index>::min());
}

TEST_CASE("scatter_add_ reads a source and an index that share the target's memory first") {
  NDArray x = NDArray::of({1, 2, 3}, {3}, DType::Float64);
  scatter_add_(x, 0, indices({1, 2, 0}), x);
  CHECK(elements(x) == std::vector<double>{4, 3, 5});
  NDArray y = indices({1, 1, 0});
  scatter_add_(y, 0, y, indices({1, 1, 1}));
  CHECK(elements(y) == std::vector<double>{2, 3, 0});
}

TEST_CASE("gather and scatter_add_ refuse indices of the wrong shape") {
  NDArray x = made({3, 2}, DType::Float32);
  const NDArray tall = NDArray::full({4, 2}, 0, DType::Int64);
  CHECK_THROWS_WITH_AS(gather(x, 1, tall),
                       "gather: the index (4, 2) must have the rank of x (3, 2) and no larger size "
                       "except in dimension 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(gather(x, 0, indices({0})),
                       "gather: the index (1) must have the rank of x (3, 2) and no larger size "
                       "except in dimension 0",
                       ShapeError);
  CHECK_THROWS_WITH_AS(gather(x, 0, x),
                       "gather: the index must be Int64, got Float32; convert with .to(Int64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(scatter_add_(x, 1, tall, made({4, 2}, DType::Float32)),
                       "scatter_add_: the index (4, 2) must have the rank of the target (3, 2) and "
                       "no larger size except in dimension 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(scatter_add_(x, 0, tall, made({3, 2}, DType::Float32)),
                       "scatter_add_: the index (4, 2) must have the rank of the source (3, 2) and "
                       "no larger size",
                       ShapeError);
  CHECK_THROWS_WITH_AS(scatter_add_(x, 0, tall, made({4, 2}, DType::Int64)),
                       "scatter_add_: dtypes Float32 and Int64 differ; convert one of them, for "
                       "example with .to(Float32)",
                       DTypeError);
  NDArray wide = NDArray::full({1, 2}, 1, DType::Float32).expand({3, 2});
  CHECK_THROWS_WITH_AS(scatter_add_(wide, 0, tall, made({4, 2}, DType::Float32)),
                       "scatter_add_: elements of the target, of shape (3, 2) and strides (0, 1), "
                       "share memory; clone() it first",
                       ShapeError);
}

TEST_CASE("cat joins along any dimension, whatever the layouts") {
  for (const DType dtype : dtypes)
    for (int d = 0; d < 3; ++d) {
      Shape shape{4, 3, 5}, other = shape;
      other[d] = 2;
      const NDArray x = made(shape, dtype), y = made(other, dtype);
      for (const Layout& a : layouts(x))
        for (const Layout& b : layouts(y)) {
          const NDArray got = cat({a.array, b.array, a.array.narrow(d, 0, 0)}, d - 3);
          REQUIRE(got.shape()[d] == shape[d] + 2);
          CHECK(got.is_contiguous());
          CHECK(equal(got.narrow(d, 0, shape[d]), x));
          CHECK(equal(got.narrow(d, shape[d], 2), y));
        }
    }
  CHECK(cat({NDArray::empty({0, 2}, DType::Float32)}, 1).shape() == Shape{0, 2});
}

TEST_CASE("cat refuses what does not fit together") {
  const NDArray x = made({3, 2}, DType::Float32);
  CHECK_THROWS_WITH_AS(cat({}, 0), "cat: expected at least one tensor, got none", ShapeError);
  CHECK_THROWS_WITH_AS(cat({x, made({3, 3}, DType::Float32)}, 0),
                       "cat: shapes (3, 2) and (3, 3) cannot be joined; all sizes but that of "
                       "dimension 0 must be equal",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cat({x, x.select(0, 0)}, 0),
                       "cat: shapes (3, 2) and (2) cannot be joined; all sizes but that of "
                       "dimension 0 must be equal",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      cat({x, made({3, 2}, DType::Int64)}, 0),
      "cat: dtypes Float32 and Int64 differ; convert one of them, for example with "
      ".to(Float32)",
      DTypeError);
  CHECK_THROWS_WITH_AS(cat({NDArray::full({}, 1, DType::Float32)}, 0),
                       "cat: 0-d tensors cannot be joined; use stack, or unsqueeze(0) them first",
                       ShapeError);
  const NDArray wide = NDArray::empty({0, Index{1} << 62}, DType::Float32);
  CHECK_THROWS_WITH_AS(cat({wide, wide}, 1),
                       "cat: the sizes of dimension 1 add up to more than 64 bits can count; join "
                       "fewer or smaller tensors",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cat({x}, 2),
                       "cat: dimension 2 is out of range for a tensor of 2 dimensions; use -2 to 1",
                       ShapeError);
}

TEST_CASE("tril and triu keep a triangle of each matrix, for any diagonal and layout") {
  for (const DType dtype : dtypes)
    for (const Shape& shape : {Shape{3, 3}, Shape{2, 5}, Shape{4, 2}, Shape{2, 3, 4}, Shape{1, 1},
                               Shape{2, 0, 3}, Shape{3, 0}}) {
      const NDArray x = made(shape, dtype);
      const Index far = std::numeric_limits<Index>::max();
      for (const Index diagonal : {Index{0}, Index{1}, Index{-1}, Index{2}, Index{-3}, far, -far})
        for (const Layout& layout : layouts(x)) {
          CAPTURE(shape);
          CAPTURE(diagonal);
          CAPTURE(layout.name);
          const NDArray low = tril(layout.array, diagonal), high = triu(layout.array, diagonal);
          REQUIRE(low.shape() == shape);
          REQUIRE(high.shape() == shape);
          bool right = true;
          for (Index i = 0; i < x.size(); ++i) {
            const Dims at = index_of(shape, i);
            const Index right_of_it = at[-1] - at[-2];
            right &= element(low, i) == (right_of_it <= diagonal ? element(x, i) : 0);
            right &= element(high, i) == (right_of_it >= diagonal ? element(x, i) : 0);
          }
          CHECK(right);
        }
    }
  CHECK_THROWS_WITH_AS(tril(made({3}, DType::Float32), 0),
                       "tril: expected at least 2 dimensions, got shape (3); view it as a matrix "
                       "first",
                       ShapeError);
  CHECK_THROWS_WITH_AS(triu(made({}, DType::Float32), 0),
                       "triu: expected at least 2 dimensions, got shape (); view it as a matrix "
                       "first",
                       ShapeError);
}
