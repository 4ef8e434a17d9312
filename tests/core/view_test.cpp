// NDArray::view, and what views may reach.
#include <doctest/doctest.h>
#include <tapehead/core/ndarray.h>
#include <tapehead/core/reduce.h>
#include <tapehead/core/softmax.h>

#include <limits>
#include <optional>

#include "layouts.h"
using namespace tapehead;
using namespace tapehead::core;

namespace {

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

TEST_CASE("a diagonal is a view, above or below the main one, of any two dimensions") {
  const NDArray x = counted({2, 3, 4});
  const NDArray main = x.diagonal(0, 1, 2);
  CHECK(main.shape() == Shape{2, 3});
  CHECK(main.shares_storage_with(x));
  CHECK(elements(main) == std::vector<double>{0, 5, 10, 12, 17, 22});
  CHECK(elements(x.diagonal(1, -1, 0)) == std::vector<double>{12, 16, 20});
  CHECK(elements(x.diagonal(-1, -1, 0)) == std::vector<double>{1, 14, 5, 18, 9, 22});
  CHECK(x.diagonal(4, 1, 2).shape() == Shape{2, 0});
  CHECK(x.diagonal(INT64_MAX, 1, 2).shape() == Shape{2, 0});
  CHECK(x.diagonal(INT64_MIN, 1, 2).shape() == Shape{2, 0});
  CHECK_THROWS_WITH_AS(x.diagonal(0, 1, -2),
                       "diagonal: expected two different dimensions, got 1 twice", ShapeError);
  CHECK_THROWS_WITH_AS(
      counted({3}).diagonal(0, 0, 1),
      "diagonal: dimension 1 is out of range for a tensor of 1 dimension; use -1 to 0", ShapeError);
}
