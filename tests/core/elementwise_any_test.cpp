// What elementwise.h has for every dtype: comparisons, choices, copies and conversions.
#include <doctest/doctest.h>
#include <tapehead/core/elementwise.h>

#include <cmath>

#include "plain_loop.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

struct Comparison {
  const char* name;
  NDArray (*op)(const NDArray&, const NDArray&);
  NDArray (*with_scalar)(const NDArray&, Scalar);
  bool (*f)(double, double);
};
const Comparison comparisons[] = {
    {"eq", eq, eq, [](double x, double y) { return x == y; }},
    {"ne", ne, ne, [](double x, double y) { return x != y; }},
    {"lt", lt, lt, [](double x, double y) { return x < y; }},
    {"le", le, le, [](double x, double y) { return x <= y; }},
    {"gt", gt, gt, [](double x, double y) { return x > y; }},
    {"ge", ge, ge, [](double x, double y) { return x >= y; }},
};

}  // namespace

TEST_CASE("Bool meets numbers other than 0 and 1 as a number") {
  const NDArray b = NDArray::of({0, 1}, {2}, DType::Bool);
  const auto bits = [](const NDArray& x) { return elements<bool>(x); };
  CHECK(bits(eq(b, 2)) == std::vector<bool>{false, false});
  CHECK(bits(ne(b, 0.5)) == std::vector<bool>{true, true});
  CHECK(bits(lt(b, 0.5)) == std::vector<bool>{true, false});
  CHECK(bits(le(b, -3)) == std::vector<bool>{false, false});
  CHECK(bits(gt(b, -3)) == std::vector<bool>{true, true});
  CHECK(bits(ge(b, 1)) == std::vector<bool>{false, true});
  CHECK(bits(eq(b, true)) == std::vector<bool>{false, true});
  CHECK(bits(lt(b, NaN)) == std::vector<bool>{false, false});
}

TEST_CASE("comparisons take every dtype and give Bool, whatever the layouts") {
  for (const Comparison& c : comparisons)
    for (const DType dtype : dtypes)
      for (const Shape& shape : awkward_shapes()) {
        const NDArray x = cast(whole(shape, -2, 2), dtype), y = cast(whole(shape, 2, -2), dtype);
        for (const Layout& a : layouts(x)) {
          CAPTURE(c.name);
          CAPTURE(a.name);
          for (const Layout& b : layouts(y)) {
            const NDArray got = c.op(a.array, b.array);
            CHECK(got.dtype() == DType::Bool);
            check_values(got, shape, 0, [&](Index i) { return c.f(element(x, i), element(y, i)); });
          }
          check_values(c.with_scalar(a.array, 1), shape, 0,
                       [&](Index i) { return c.f(element(x, i), 1); });
        }
      }
}

TEST_CASE("NaN compares false with everything, only ne is true") {
  const NDArray x = NDArray::of({NaN, 1, NaN}, {3}, DType::Float32),
                y = NDArray::of({1, NaN, NaN}, {3}, DType::Float32);
  for (const Comparison& c : comparisons) {
    const std::vector<bool> want(3, std::string(c.name) == "ne");
    CHECK(elements<bool>(c.op(x, y)) == want);
  }
}

TEST_CASE("logical functions follow their truth tables") {
  const NDArray x = NDArray::of({0, 0, 1, 1}, {4}, DType::Bool),
                y = NDArray::of({0, 1, 0, 1}, {4}, DType::Bool);
  CHECK(elements(logical_not(x)) == std::vector<double>{1, 1, 0, 0});
  CHECK(elements(logical_and(x, y)) == std::vector<double>{0, 0, 0, 1});
  CHECK(elements(logical_or(x, y)) == std::vector<double>{0, 1, 1, 1});
  CHECK(logical_or(x.view({4, 1}), y).shape() == Shape{4, 4});
}

TEST_CASE("where chooses element by element, whatever the layouts") {
  for (const DType dtype : dtypes)
    for (const Shape& shape : awkward_shapes()) {
      const NDArray c = cast(whole(shape, 0, 1), DType::Bool);
      const NDArray x = cast(whole(shape, -5, 0), dtype), y = cast(whole(shape, 9, 0), dtype);
      const std::vector<Layout> cs = layouts(c), xs = layouts(x), ys = layouts(y);
      for (std::size_t k = 0; k < cs.size() * xs.size() * ys.size(); k += 3)
        check_values(where(cs[k % cs.size()].array, xs[k / cs.size() % xs.size()].array,
                           ys[k / cs.size() / xs.size()].array),
                     shape, 0,
                     [&](Index i) { return element<bool>(c, i) ? element(x, i) : element(y, i); });
    }
}

TEST_CASE("where broadcasts all three") {
  const NDArray c = NDArray::of({1, 0, 0, 1}, {2, 1, 2}, DType::Bool);
  const NDArray x = scattered({3, 1}, DType::Float32), y = scattered({}, DType::Float32, 9);
  check_values(where(c, x, y), {2, 3, 2}, 0, [&](Index i) {
    return element<bool>(c, i / 6 * 2 + i % 2) ? element(x, i / 2 % 3) : element(y, 0);
  });
  CHECK_THROWS_WITH_AS(where(x, x, x), "where: expected Bool, got Float32; convert with .to(Bool)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(where(c, x, c),
                       "where: dtypes Float32 and Bool differ; convert one of them, for example "
                       "with .to(Float32)",
                       DTypeError);
}

TEST_CASE("masked_fill sets what the mask shows; both broadcast") {
  for (const DType dtype : dtypes) {
    const NDArray x = cast(whole({2, 3, 4}, -5, 5), dtype);
    const NDArray mask = NDArray::of({1, 0, 0, 1}, {4}, DType::Bool);
    for (const Layout& layout : layouts(x))
      check_values(masked_fill(layout.array, mask, 1), x.shape(), 0,
                   [&](Index i) { return element<bool>(mask, i % 4) ? 1 : element(x, i); });
  }
  const NDArray x = NDArray::full({3}, 1, DType::Float32);
  const NDArray larger = masked_fill(x, NDArray::of({1, 0}, {2, 1}, DType::Bool), 5);
  CHECK(equal(larger, NDArray::of({5, 5, 5, 1, 1, 1}, {2, 3}, DType::Float32)));
  CHECK_THROWS_WITH_AS(
      masked_fill(x, NDArray::full({2}, 1, DType::Bool), 0),
      "masked_fill: shapes (3) and (2) do not broadcast: 3 against 2 in dimension -1; "
      "sizes must be equal, or one of them 1",
      ShapeError);
  CHECK_THROWS_WITH_AS(masked_fill(x, x, 0),
                       "masked_fill: expected Bool, got Float32; convert with .to(Bool)",
                       DTypeError);
}

TEST_CASE("copies are row-major, whatever the layout") {
  for (const DType dtype : dtypes)
    for (const Shape& shape : awkward_shapes()) {
      const NDArray x = cast(whole(shape, -5, 5), dtype);
      for (const Layout& layout : layouts(x)) {
        CHECK_FALSE(copy(layout.array).shares_storage_with(layout.array));
        check_values(copy(layout.array), shape, 0, [&](Index i) { return element(x, i); });
      }
    }
  CHECK(elements(copy(NDArray::of({1, 2}, {2, 1}, DType::Float32).expand({2, 3}))) ==
        std::vector<double>{1, 1, 1, 2, 2, 2});
}

TEST_CASE("casts convert as C++ does, to Bool by being other than 0") {
  const NDArray x = NDArray::of({1.75, -1.75, 0.5, 0, -0.0}, {5}, DType::Float32);
  CHECK(elements<Index>(cast(x, DType::Int64)) == std::vector<Index>{1, -1, 0, 0, 0});
  CHECK(elements<bool>(cast(x, DType::Bool)) == std::vector<bool>{true, true, true, false, false});
  CHECK(elements(cast(cast(x, DType::Bool), DType::Float64)) == std::vector<double>{1, 1, 1, 0, 0});
  CHECK(cast(NDArray::full({}, 0.1, DType::Float64), DType::Float32).item() == double{0.1F});
  CHECK(cast(NDArray::full({}, (Index{1} << 53) + 1, DType::Int64), DType::Float64).item() ==
        0x1p53);
  CHECK(elements<Index>(cast(NDArray::of({NaN, inf, -inf, 1e30}, {4}, DType::Float64),
                             DType::Int64)) == std::vector<Index>{least, least, least, least});
  CHECK(elements<bool>(cast(NDArray::of({NaN}, {1}, DType::Float64), DType::Bool)) ==
        std::vector<bool>{true});
  for (const DType from : dtypes)
    for (const DType to : dtypes)
      for (const Layout& layout : layouts(cast(whole({3, 5}, 0, 9), from))) {
        const NDArray got = cast(layout.array, to);
        CHECK(got.dtype() == to);
        check_values(got, {3, 5}, 0, [&](Index i) {
          const double v = element(layout.array, i);
          return to == DType::Bool ? static_cast<double>(v != 0) : v;
        });
      }
}
