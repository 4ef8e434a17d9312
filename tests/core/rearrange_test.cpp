#include <doctest/doctest.h>
#include <tapehead/core/rearrange.h>

#include <limits>

#include "layouts.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

constexpr DType dtypes[] = {DType::Float32, DType::Float64, DType::Int64, DType::Bool};

NDArray indices(std::initializer_list<double> values) {
  return NDArray::of(values, {static_cast<Index>(values.size())}, DType::Int64);
}

// Whether got[at] == x[from(at)] everywhere.
template <class From>
bool moved(const NDArray& got, const NDArray& x, From from) {
  bool right = got.shape() == x.shape() && got.dtype() == x.dtype() && got.is_contiguous();
  for (Index i = 0; right && i < x.size(); ++i) {
    const Dims at = from(index_of(x.shape(), i));
    Index flat = 0;
    for (int d = 0; d < x.rank(); ++d) flat = flat * x.shape()[d] + at[d];
    right = element(got, i) == element(x, flat);
  }
  return right;
}

}  // namespace

TEST_CASE("flip turns dimensions round, whatever the layout") {
  for (const DType dtype : dtypes)
    for (const Layout& layout : layouts(cast(scattered({4, 3, 5}, DType::Float64), dtype))) {
      const NDArray& x = layout.array;
      CHECK(moved(flip(x, {1}), x, [](Dims at) { return at[1] = 2 - at[1], at; }));
      CHECK(moved(flip(x, {-1, 0}), x,
                  [](Dims at) { return at[0] = 3 - at[0], at[2] = 4 - at[2], at; }));
      CHECK(moved(flip(x, {}), x, [](const Dims& at) { return at; }));
    }
  const NDArray large = scattered(large_shape(), DType::Float32);
  CHECK(moved(flip(large, {2}), large, [](Dims at) { return at[2] = 179 - at[2], at; }));
  CHECK(flip(NDArray::full({0, 3}, 1, DType::Bool), {0}).shape() == Shape{0, 3});
  CHECK(flip(NDArray::full({}, 4, DType::Int64), {-1}).item() == 4);
  CHECK_THROWS_WITH_AS(flip(large, {0, -3}),
                       "flip: axes (0, -3) name dimension 0 twice; name each once", ShapeError);
}

TEST_CASE("roll moves elements on, round the end") {
  for (const Layout& layout : layouts(scattered({4, 3, 5}, DType::Float64))) {
    const NDArray& x = layout.array;
    for (const Index shift : {Index{0}, Index{2}, Index{-1}, Index{7}, Index{-13}})
      CHECK(moved(roll(x, shift, 2), x,
                  [shift](Dims at) { return at[2] = ((at[2] - shift) % 5 + 5) % 5, at; }));
  }
  CHECK(roll(NDArray::full({0, 3}, 1, DType::Bool), 5, 0).shape() == Shape{0, 3});
  CHECK(elements(roll(indices({1, 2, 3}), std::numeric_limits<Index>::min(), 0)) ==
        std::vector<double>{3, 1, 2});
}

TEST_CASE("an index is repeated as often as it says") {
  CHECK(elements(repeated_indices(indices({2, 0, 1}))) == std::vector<double>{0, 0, 2});
  CHECK(elements(repeated_indices(indices({9, 2, 9, 3}).slice(0, 1, 4, 2))) ==
        std::vector<double>{0, 0, 1, 1, 1});
  CHECK(repeated_indices(indices({})).shape() == Shape{0});
  CHECK_THROWS_WITH_AS(
      repeated_indices(NDArray::full({2}, 1, DType::Float32)),
      "repeat_interleave: repeats must be Int64, got Float32; convert with .to(Int64)", DTypeError);
  CHECK_THROWS_WITH_AS(repeated_indices(NDArray::full({1, 2}, 1, DType::Int64)),
                       "repeat_interleave: repeats must have 1 dimension, got shape (1, 2)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(repeated_indices(indices({1, -2})),
                       "repeat_interleave: repeats cannot be negative, got -2", ShapeError);
  CHECK_THROWS_WITH_AS(
      repeated_indices(NDArray::full({3}, std::numeric_limits<Index>::max(), DType::Int64)),
      "repeat_interleave: the repeats add up to more than 64 bits can count", ShapeError);
}
