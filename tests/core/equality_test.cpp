#include <doctest/doctest.h>
#include <tapehead/core/elementwise.h>

#include <cmath>

#include "plain_loop.h"

using namespace tapehead;
using namespace tapehead::core;

TEST_CASE("equal wants the same shape, dtype and elements") {
  const NDArray x = NDArray::of({1, 2, 3, 4}, {2, 2}, DType::Float32);
  for (const Layout& layout : layouts(x)) CHECK(equal(layout.array, x));
  CHECK_FALSE(equal(x, x.view({4})));
  CHECK_FALSE(equal(x, cast(x, DType::Float64)));
  CHECK_FALSE(equal(x, x.transpose(0, 1)));
  CHECK_FALSE(
      equal(NDArray::full({1}, NaN, DType::Float32), NDArray::full({1}, NaN, DType::Float32)));
  CHECK(equal(NDArray::empty({0}, DType::Bool), NDArray::empty({0}, DType::Bool)));
}

TEST_CASE("allclose has an absolute and a relative tolerance, and opinions on NaN and infinity") {
  const auto one = [](double v) { return NDArray::full({1}, v, DType::Float64); };
  CHECK(allclose(one(1), one(1 + 9e-6)));
  CHECK_FALSE(allclose(one(1), one(1 + 2e-5)));
  CHECK(allclose(one(0), one(9e-9)));
  CHECK_FALSE(allclose(one(0), one(2e-8)));
  CHECK(allclose(one(100), one(101), 0.01, 0));
  CHECK_FALSE(allclose(one(101), one(100), 0.0099, 0));
  CHECK(allclose(one(inf), one(inf)));
  CHECK_FALSE(allclose(one(inf), one(-inf)));
  CHECK_FALSE(allclose(one(1), one(inf)));
  CHECK_FALSE(allclose(one(NaN), one(NaN)));
  CHECK(allclose(one(NaN), one(NaN), 1e-5, 1e-8, true));
  CHECK_FALSE(allclose(one(1), one(NaN), 1e-5, 1e-8, true));
  const NDArray x = scattered({3, 4}, DType::Float32);
  CHECK(allclose(x.transpose(0, 1), x.transpose(0, 1).contiguous()));
  CHECK(allclose(x, x.view({1, 3, 4})));
  CHECK_THROWS_WITH_AS(allclose(x, x.view({12})),
                       "allclose: shapes (3, 4) and (12) do not broadcast: 4 against 12 in "
                       "dimension -1; sizes must be equal, or one of them 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(allclose(x, cast(x, DType::Float64)),
                       "allclose: dtypes Float32 and Float64 differ; convert one of them, for "
                       "example with .to(Float64)",
                       DTypeError);
}

TEST_CASE("isclose says of each element whether it is close, and broadcasts") {
  const NDArray x = NDArray::of({1, inf, NaN, -inf, 0, 2}, {2, 3}, DType::Float64),
                y = NDArray::of({1, inf, NaN}, {3}, DType::Float64);
  using Row = std::vector<double>;
  for (const Layout& a : layouts(x))
    for (const Layout& b : layouts(y)) {
      const NDArray got = isclose(a.array, b.array, 1e-5, 1e-8, true);
      CHECK(got.dtype() == DType::Bool);
      CHECK(got.shape() == Shape{2, 3});
      CHECK(elements(got) == Row{1, 1, 1, 0, 0, 0});
      CHECK(elements(isclose(a.array, b.array)) == Row{1, 1, 0, 0, 0, 0});
      CHECK(elements(isclose(a.array, b.array, 0, 1)) == Row{1, 1, 0, 0, 0, 0});
      CHECK(elements(isclose(b.array, a.array, 1, 0)) == Row{1, 1, 0, 0, 0, 0});
    }
  const NDArray flags = NDArray::of({1, 0}, {2}, DType::Bool);
  CHECK(elements(isclose(flags, flags.select(0, 0))) == Row{1, 0});
  CHECK(isclose(x.narrow(0, 0, 0), y).shape() == Shape{0, 3});
  CHECK_THROWS_WITH_AS(isclose(x, y, -1), "isclose: rtol must be at least 0, got -1", Error);
}

TEST_CASE("allclose wants tolerances of at least 0") {
  const NDArray x = NDArray::full({1}, 1, DType::Float32),
                y = NDArray::full({1}, 0, DType::Float32);
  for (const auto& [tolerance, text] : {std::pair{-1.0, "-1"}, {NaN, "nan"}}) {
    CHECK_THROWS_WITH_AS(allclose(x, x, tolerance, 0),
                         ("allclose: rtol must be at least 0, got " + std::string(text)).c_str(),
                         Error);
    CHECK_THROWS_WITH_AS(allclose(x, x, 0, tolerance),
                         ("allclose: atol must be at least 0, got " + std::string(text)).c_str(),
                         Error);
  }
  CHECK(allclose(x, y, 0, inf));
  CHECK_FALSE(allclose(x, y, inf, 0));
}

TEST_CASE("allclose tells large whole numbers apart") {
  const auto one = [](Index v) { return NDArray::full({1}, v, DType::Int64); };
  constexpr Index large = Index{1} << 62, lowest = std::numeric_limits<Index>::min();
  CHECK_FALSE(allclose(one(large), one(large + 1), 0, 0));
  CHECK_FALSE(allclose(one(large + 1), one(large), 0, 0.5));
  CHECK(allclose(one(large), one(large + 1), 0, 1));
  CHECK_FALSE(allclose(one(lowest), one(std::numeric_limits<Index>::max()), 0, 1));
}
