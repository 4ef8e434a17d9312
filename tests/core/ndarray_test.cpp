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

namespace {

NDArray counted(const Shape& shape, DType dtype = DType::Float32) {
  std::vector<double> values;
  for (Index i = 0; i < numel(shape); ++i) values.push_back(static_cast<double>(i));
  return NDArray::of(values, shape, dtype);
}

// base.permute(order).slice(d, start, end, step).expand(expanded).view(shape) has `result` as its
// strides, or is refused. As PyTorch 1.13.1 answers.
struct ViewCase {
  Shape base;
  Dims order, slice;
  Shape expanded;
  Strides strides;  // before the view
  Shape shape;
  std::optional<Strides> result;
};
const ViewCase view_cases[] = {
    {{2, 6, 4, 3},
     {0, 1, 2, 3},
     {1, 0, 6, 1},
     {2, 6, 4, 3},
     {72, 12, 3, 1},
     {6, 6, 2, 2},
     Strides{24, 4, 2, 1}},
    {{2}, {0}, {0, 0, 2, 2}, {1}, {2}, {}, Strides{}},
    {{}, {}, {0, 0, 0, 1}, {}, {}, {1, 1}, Strides{1, 1}},
    {{1, 6}, {1, 0}, {0, 1, 4, 1}, {2, 3, 1}, {0, 1, 6}, {1, 2, 3}, Strides{0, 0, 1}},
    {{3, 4}, {0, 1}, {1, 0, 2, 2}, {3, 2}, {4, 0}, {6}, std::nullopt},
    {{4, 3}, {0, 1}, {1, 0, 3, 1}, {4, 3}, {3, 1}, {12}, Strides{1}},
    {{6}, {0}, {0, 2, 6, 1}, {2, 4}, {0, 1}, {8}, std::nullopt},
    {{6, 1, 4, 6},
     {3, 0, 2, 1},
     {3, 0, 0, 1},
     {1, 6, 6, 4, 0},
     {6, 1, 24, 6, 24},
     {1, 0},
     Strides{1, 1}},
    {{1, 2, 2}, {2, 0, 1}, {1, 0, 1, 1}, {2, 3, 2}, {1, 0, 2}, {1, 6, 2}, std::nullopt},
    {{3, 6, 6, 6},
     {1, 0, 3, 2},
     {1, 0, 3, 1},
     {1, 6, 3, 6, 6},
     {216, 36, 216, 1, 6},
     {1, 6, 3, 36},
     std::nullopt},
    {{2, 1, 6, 2},
     {0, 1, 2, 3},
     {3, 0, 2, 1},
     {2, 1, 6, 2},
     {12, 12, 2, 1},
     {2, 1, 6, 2},
     Strides{12, 12, 2, 1}},
    {{6, 3, 3, 1},
     {2, 1, 0, 3},
     {3, 0, 1, 1},
     {3, 3, 6, 1},
     {1, 3, 9, 1},
     {3, 18, 1},
     std::nullopt},
    {{1}, {0}, {0, 0, 1, 1}, {1}, {1}, {1, 1}, Strides{1, 1}},
    {{6, 1, 6, 1},
     {0, 1, 2, 3},
     {2, 2, 6, 2},
     {2, 6, 1, 2, 1},
     {0, 6, 6, 2, 1},
     {6, 1, 2, 2},
     std::nullopt},
    {{4}, {0}, {0, 0, 4, 2}, {2}, {2}, {2}, Strides{2}},
    {{3, 3}, {0, 1}, {0, 0, 3, 1}, {2, 3, 3}, {0, 3, 1}, {6, 3}, std::nullopt},
    {{1, 1, 1, 3}, {0, 1, 2, 3}, {0, 0, 1, 1}, {2, 1, 3, 3}, {0, 3, 0, 1}, {1, 9, 2}, std::nullopt},
    {{1, 3, 4}, {0, 1, 2}, {1, 0, 3, 1}, {2, 3, 3, 4}, {0, 0, 4, 1}, {2, 9, 4}, std::nullopt},
    {{1, 2}, {1, 0}, {1, 0, 0, 2}, {2, 0}, {1, 4}, {0}, Strides{1}},
    {{4, 4, 6}, {1, 2, 0}, {0, 0, 3, 1}, {3, 6, 4}, {6, 1, 24}, {3, 12, 2}, std::nullopt},
    {{1, 2, 3}, {1, 2, 0}, {1, 0, 3, 1}, {2, 3, 1}, {3, 1, 6}, {2, 3}, Strides{3, 1}},
    {{4, 1, 2, 4},
     {0, 1, 2, 3},
     {1, 0, 0, 1},
     {2, 4, 0, 2, 4},
     {0, 8, 8, 4, 1},
     {0, 0},
     Strides{1, 1}},
    {{2, 3}, {0, 1}, {1, 0, 3, 2}, {1, 2, 2}, {6, 3, 2}, {4, 1}, std::nullopt},
    {{4, 4, 3, 1},
     {0, 1, 2, 3},
     {3, 0, 1, 1},
     {2, 4, 4, 3, 1},
     {0, 12, 3, 1, 1},
     {2, 16, 3, 1},
     Strides{0, 3, 1, 1}},
    {{3, 2, 2, 1},
     {2, 0, 1, 3},
     {1, 0, 3, 1},
     {2, 2, 3, 2, 2},
     {0, 1, 4, 2, 0},
     {12, 4},
     std::nullopt},
    {{1, 1, 1, 1},
     {0, 1, 2, 3},
     {0, 0, 1, 1},
     {1, 1, 2, 2},
     {1, 1, 0, 0},
     {1, 1, 2, 2},
     Strides{0, 0, 0, 0}},
    {{4, 2, 2}, {2, 0, 1}, {2, 0, 2, 2}, {2, 2, 4, 3}, {0, 1, 4, 0}, {1, 16, 3}, std::nullopt},
    {{6}, {0}, {0, 3, 3, 1}, {0}, {1}, {1, 0}, Strides{1, 1}},
    {{4, 1, 6}, {1, 2, 0}, {0, 0, 1, 2}, {2, 3, 6, 4}, {0, 0, 1, 6}, {48, 3}, std::nullopt},
    {{3, 6, 2, 4},
     {0, 1, 2, 3},
     {0, 0, 3, 1},
     {2, 3, 6, 2, 4},
     {0, 48, 8, 4, 1},
     {4, 1, 8, 3, 3, 1},
     std::nullopt},
    {{3}, {0}, {0, 0, 3, 1}, {3}, {1}, {1, 3, 1}, Strides{3, 1, 1}},
    {{2, 3, 1}, {0, 2, 1}, {0, 0, 2, 1}, {2, 1, 3}, {3, 1, 1}, {6}, Strides{1}},
    {{2, 3, 8}, {0, 2, 1}, {0, 0, 2, 1}, {2, 8, 3}, {24, 1, 8}, {2, 4, 2, 3}, Strides{24, 2, 1, 8}},
};

}  // namespace

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
                       ".to(Float64) first",
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

TEST_CASE("view follows PyTorch's stride rule") {
  for (const ViewCase& c : view_cases) {
    NDArray x = counted(c.base, DType::Int64).permute(c.order);
    if (x.rank() > 0) x = x.slice(static_cast<int>(c.slice[0]), c.slice[1], c.slice[2], c.slice[3]);
    x = x.expand(c.expanded);
    CAPTURE(c.base);
    CAPTURE(c.order);
    CAPTURE(c.shape);
    CHECK(x.strides() == c.strides);
    CHECK(x.viewable_as(c.shape) == c.result.has_value());
    if (!c.result) {
      CHECK_THROWS_WITH_AS(
          x.view(c.shape),
          to_text("view: ", x.shape(), " with strides ", x.strides(), " cannot be seen as ",
                  c.shape, " without a copy; call contiguous() first, or use reshape")
              .c_str(),
          ShapeError);
      continue;
    }
    const NDArray view = x.view(c.shape);
    CHECK(view.strides() == *c.result);
    CHECK(view.shares_storage_with(x));
    CHECK(elements(view) == elements(x));
  }
}

TEST_CASE("dimensions are never cut to 32 bits") {
  const Index far = Index{1} << 32;
  const NDArray x = counted({2, 3});
  CHECK_THROWS_WITH_AS(x.permute({far, 1}),
                       "permute: dimension 4294967296 is out of range for a tensor of 2 "
                       "dimensions; use -2 to 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(sum(x, {far}, false),
                       "sum: dimension 4294967296 is out of range for a tensor of 2 dimensions; "
                       "use -2 to 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(logsumexp(x, {far}, false),
                       "logsumexp: dimension 4294967296 is out of range for a tensor of 2 "
                       "dimensions; use -2 to 1",
                       ShapeError);
}

TEST_CASE("views of what has no elements reach as far as they like") {
  const Index huge = Index{1} << 62;
  const NDArray x = NDArray::empty({0, huge, 4}, DType::Float32);
  CHECK(x.unsqueeze(1).shape() == Shape{0, 1, huge, 4});
  CHECK(NDArray::empty({huge, 0, 4}, DType::Float32).unsqueeze(0).strides() == Strides{0, 4, 4, 1});
  CHECK(counted({0, 1}).expand({1, 0, huge}).shape() == Shape{1, 0, huge});
  CHECK(NDArray::empty({huge, 0, 4}, DType::Float32).expand({1, huge, 0, 4}).shape() ==
        Shape{1, huge, 0, 4});
  CHECK(x.narrow(1, huge - 1, 1).shape() == Shape{0, 1, 4});
  CHECK(x.slice(1, huge - 2, huge).shape() == Shape{0, 2, 4});
  CHECK(x.select(1, huge - 1).shape() == Shape{0, 4});
  CHECK(x.select(1, -1).offset() == 0);
}

TEST_CASE("view infers one size") {
  const NDArray x = counted({2, 3, 4});
  CHECK(x.view({-1}).shape() == Shape{24});
  CHECK(x.view({2, -1}).shape() == Shape{2, 12});
  CHECK(x.view({-1, 1, 8}).shape() == Shape{3, 1, 8});
  CHECK(counted({0, 3}).view({-1, 3}).shape() == Shape{0, 3});
}

TEST_CASE("a view that cannot be says why and what to do") {
  const NDArray x = counted({2, 3});
  CHECK_THROWS_WITH_AS(x.transpose(0, 1).view({6}),
                       "view: (3, 2) with strides (1, 3) cannot be seen as (6) without a copy; "
                       "call contiguous() first, or use reshape",
                       ShapeError);
  CHECK_THROWS_WITH_AS(x.view({-1, -1}),
                       "view: only one size may be -1, got (-1, -1); write out the others",
                       ShapeError);
  CHECK_THROWS_WITH_AS(x.view({Index{1} << 40, Index{1} << 40}),
                       "view: (1099511627776, 1099511627776) holds more elements than 64 bits can "
                       "count; use smaller sizes, or one -1 for what is left",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      x.view({-2, 3}),
      "view: sizes cannot be negative, got (-2, 3); one may be -1, to be worked out", ShapeError);
  CHECK_THROWS_WITH_AS(counted({0}).view({-1, 0}),
                       "view: the -1 in (-1, 0) is ambiguous, since another size is 0; write out "
                       "every size",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      x.view({4, -1}),
      "view: (4, -1) cannot hold the 6 elements of (2, 3); the sizes must divide 6", ShapeError);
  CHECK_THROWS_WITH_AS(x.view({4, 2}),
                       "view: (4, 2) does not hold the 6 elements of (2, 3); make their product 6",
                       ShapeError);
  CHECK_THROWS_WITH_AS(counted({}).view({2}),
                       "view: (2) does not hold the 1 element of (); make their product 1",
                       ShapeError);
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
