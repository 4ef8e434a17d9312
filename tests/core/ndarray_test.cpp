#include <doctest/doctest.h>
#include <tapehead/core/ndarray.h>
#include <tapehead/core/reduce.h>
#include <tapehead/core/softmax.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "layouts.h"
using namespace tapehead;
using namespace tapehead::core;

TEST_CASE("an undefined array says so") {
  CHECK_FALSE(NDArray().defined());
  CHECK(NDArray::empty({}, DType::Bool).defined());
}

TEST_CASE("arrays are made empty, full and from numbers, in every dtype") {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Int64, DType::Bool}) {
    const NDArray x = NDArray::of({1, 0, 1, 1, 0, 1}, {2, 3}, dtype);
    CHECK(x.shape() == Shape{2, 3});
    CHECK(x.strides() == Strides{3, 1});
    CHECK(x.dtype() == dtype);
    CHECK(x.size() == 6);
    CHECK(x.rank() == 2);
    CHECK(x.offset() == 0);
    CHECK(x.is_contiguous());
    CHECK(elements(x) == std::vector<double>{1, 0, 1, 1, 0, 1});
    CHECK(elements(NDArray::full({2}, 1, dtype)) == std::vector<double>{1, 1});
    CHECK(NDArray::empty({0, 3}, dtype).size() == 0);
  }
  CHECK_THROWS_WITH_AS(NDArray::of({1, 2, 3}, {2, 2}, DType::Float32),
                       "of: 3 values do not fill (2, 2); give 4", ShapeError);
  CHECK(elements(NDArray::of({1.9, -1.9}, {2}, DType::Int64)) == std::vector<double>{1, -1});
  CHECK_THROWS_WITH_AS(NDArray::full({2}, 0.5, DType::Int64),
                       "full: the scalar 0.5 is not a whole number that Int64 holds; convert with "
                       ".to(Float32) first",
                       DTypeError);
}

TEST_CASE("item is the value of a one-element array of any rank") {
  CHECK(NDArray::full({}, 2.5, DType::Float32).item() == 2.5);
  CHECK(NDArray::full({1, 1}, 7, DType::Int64).item<Index>() == 7);
  CHECK(counted({2, 3}).select(0, 1).select(0, 2).item() == 5);
  CHECK_THROWS_WITH_AS(counted({2}).item(),
                       "item: expected one element, got shape (2); select one first, or reduce "
                       "with sum() or mean()",
                       ShapeError);
}

TEST_CASE("numbers that the dtype asked for cannot hold are refused") {
  const std::string beyond =
      " is beyond what 64-bit whole numbers hold; keep it a floating-point number";
  for (const auto& [value, text] :
       {std::pair{std::nan(""), "nan"}, {1e300, "1e+300"}, {-1e19, "-1e+19"}, {HUGE_VAL, "inf"}}) {
    CHECK_THROWS_WITH_AS(NDArray::of({value}, {1}, DType::Int64),
                         ("of: " + (text + beyond)).c_str(), DTypeError);
    CHECK_THROWS_WITH_AS(NDArray::full({}, value, DType::Float64).item<Index>(),
                         ("item: " + (text + beyond)).c_str(), DTypeError);
  }
  CHECK(NDArray::of({-0x1p63}, {1}, DType::Int64).item<Index>() ==
        std::numeric_limits<Index>::min());
  CHECK(NDArray::full({}, -2.9, DType::Float32).item<Index>() == -2);
  CHECK_THROWS_WITH_AS(NDArray::full({}, Index{1} << 40, DType::Int64).item<int>(),
                       "item: 1099511627776 is beyond what 32-bit whole numbers hold; keep it a "
                       "floating-point number",
                       DTypeError);
}

TEST_CASE("transpose swaps two dimensions and is not contiguous") {
  const NDArray x = counted({2, 3, 4}), y = x.transpose(0, -1);
  CHECK(y.shape() == Shape{4, 3, 2});
  CHECK(y.strides() == Strides{1, 4, 12});
  CHECK_FALSE(y.is_contiguous());
  CHECK(element(y, 1) == 12);
  CHECK(x.transpose(1, 1).is_contiguous());
  CHECK(counted({}).transpose(0, -1).shape() == Shape{});
  CHECK(counted({5, 1}).transpose(0, 1).is_contiguous());
  CHECK_THROWS_WITH_AS(
      x.transpose(0, 3),
      "transpose: dimension 3 is out of range for a tensor of 3 dimensions; use -3 to 2",
      ShapeError);
}

TEST_CASE("permute orders dimensions") {
  const NDArray x = counted({2, 3, 4}), y = x.permute({2, 0, -2});
  CHECK(y.shape() == Shape{4, 2, 3});
  CHECK(y.strides() == Strides{1, 12, 4});
  CHECK_THROWS_WITH_AS(x.permute({0, 1}),
                       "permute: (0, 1) must name each of the 3 dimensions of (2, 3, 4) once",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      x.permute({0, 1, -2}),
      "permute: (0, 1, -2) names dimension 1 twice; name each of the 3 dimensions once",
      ShapeError);
}

TEST_CASE("expand repeats without a copy") {
  const NDArray x = counted({3, 1}), y = x.expand({2, -1, 4});
  CHECK(y.shape() == Shape{2, 3, 4});
  CHECK(y.strides() == Strides{0, 1, 0});
  CHECK(y.overlaps_itself());
  CHECK(counted({2, 1}).expand({0, 2, 1}).size() == 0);
  CHECK_THROWS_WITH_AS(x.expand({2, 2}),
                       "expand: cannot expand (3, 1) to (2, 2); sizes must be equal or 1, counted "
                       "from the last dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      x.expand({-1, 3, 1}),
      "expand: sizes cannot be negative, got (-1, 3, 1) for (3, 1); -1 keeps a size, "
      "and a new dimension has none",
      ShapeError);
}

TEST_CASE("narrow takes a run of a dimension") {
  const NDArray x = counted({4, 3});
  CHECK(elements(x.narrow(0, 1, 2)) == std::vector<double>{3, 4, 5, 6, 7, 8});
  CHECK(elements(x.narrow(1, -1, 1)) == std::vector<double>{2, 5, 8, 11});
  CHECK(x.narrow(0, 4, 0).shape() == Shape{0, 3});
  CHECK(x.narrow(0, 1, 2).is_contiguous());
  CHECK_FALSE(x.narrow(1, 0, 2).is_contiguous());
  for (const auto& [start, length] : {std::pair<Index, Index>{3, 2}, {5, 0}, {0, -1}, {-5, 1}})
    CHECK_THROWS_WITH_AS(
        x.narrow(0, start, length),
        ("narrow: start " + std::to_string(start) + " and length " + std::to_string(length) +
         " reach outside dimension 0 of (4, 3); its size is 4")
            .c_str(),
        ShapeError);
}

TEST_CASE("slice clamps as Python does") {
  const NDArray x = counted({7});
  CHECK(elements(x.slice(0, 1, 6, 2)) == std::vector<double>{1, 3, 5});
  CHECK(elements(x.slice(0, -3, 100)) == std::vector<double>{4, 5, 6});
  CHECK(elements(x.slice(0, -100, -5)) == std::vector<double>{0, 1});
  CHECK(x.slice(0, 5, 2).size() == 0);
  CHECK(x.slice(0, 9, 12).size() == 0);
  CHECK(elements(x.slice(0, 2, 7, Index{1} << 62)) == std::vector<double>{2});
  CHECK_THROWS_WITH_AS(
      x.slice(0, 0, 7, 0),
      "slice: step must be positive, got 0; to reverse a dimension, use index_select", ShapeError);
}

TEST_CASE("select drops a dimension") {
  const NDArray x = counted({2, 3});
  CHECK(elements(x.select(0, -1)) == std::vector<double>{3, 4, 5});
  CHECK(elements(x.select(1, 1)) == std::vector<double>{1, 4});
  CHECK(x.select(1, 1).offset() == 1);
  CHECK_THROWS_WITH_AS(x.select(1, 3),
                       "select: index 3 is out of range for dimension 1 of (2, 3); use -3 to 2",
                       ShapeError);
  CHECK_THROWS_WITH_AS(counted({0}).select(0, 0),
                       "select: index 0 is out of range for dimension 0 of (0), which is empty",
                       ShapeError);
}

TEST_CASE("squeeze and unsqueeze remove and insert dimensions of size 1") {
  const NDArray x = counted({1, 3, 1});
  CHECK(x.squeeze().shape() == Shape{3});
  CHECK(x.squeeze(0).shape() == Shape{3, 1});
  CHECK(x.squeeze(1).shape() == Shape{1, 3, 1});
  CHECK(counted({}).squeeze(-1).shape() == Shape{});
  CHECK(x.unsqueeze(-1).shape() == Shape{1, 3, 1, 1});
  CHECK(counted({2, 3}).unsqueeze(1).strides() == Strides{3, 3, 1});
  CHECK(counted({}).unsqueeze(0).shape() == Shape{1});
}

TEST_CASE("contiguous copies only what is not row-major") {
  const NDArray x = counted({2, 3});
  CHECK(x.contiguous().shares_storage_with(x));
  CHECK_FALSE(x.clone().shares_storage_with(x));
  const NDArray y = x.transpose(0, 1).contiguous();
  CHECK_FALSE(y.shares_storage_with(x));
  CHECK(y.strides() == Strides{2, 1});
  CHECK(elements(y) == std::vector<double>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("only a lone view whose elements are apart is exclusive") {
  NDArray x = counted({4, 3});
  CHECK(x.exclusive());
  const NDArray view = x.transpose(0, 1);
  CHECK_FALSE(x.exclusive());
  CHECK_FALSE(view.overlaps_itself());
  CHECK_FALSE(view.slice(0, 0, 3, 2).overlaps_itself());
  CHECK(counted({3}).unsqueeze(0).expand({2, 3}).overlaps_itself());
  CHECK_FALSE(counted({3}).unsqueeze(0).expand({1, 3}).overlaps_itself());
  CHECK_FALSE(counted({1}).expand({0}).overlaps_itself());
}

TEST_CASE("every layout helper shows the same values") {
  for (const Shape& shape : awkward_shapes()) {
    const NDArray x = scattered(shape, DType::Float64);
    for (const Layout& layout : layouts(x)) {
      CAPTURE(layout.name);
      CHECK(layout.array.shape() == shape);
      CHECK(elements(layout.array) == elements(x));
    }
  }
}
