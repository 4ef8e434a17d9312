#include <doctest/doctest.h>
#include <tapehead/core/elementwise.h>

#include <cmath>

#include "elementwise_functions.h"
#include "plain_loop.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

// The flat index in `shape` of what is at flat index i of the broadcast `target`.
Index broadcast_index(const Shape& shape, const Shape& target, Index i) {
  Index result = 0, stride = 1;
  for (int d = 1; d <= target.rank(); ++d) {
    const Index at = i % target[-d];
    i /= target[-d];
    if (d > shape.rank()) continue;
    result += shape[-d] == 1 ? 0 : at * stride;
    stride *= shape[-d];
  }
  return result;
}

}  // namespace

TEST_CASE("every function of one array equals a plain loop, whatever the layout") {
  for (const Unary& u : unary)
    for (const DType dtype : {DType::Float32, DType::Float64, DType::Int64})
      for (const Shape& shape : awkward_shapes()) {
        if (dtype == DType::Int64 && !u.whole) continue;
        const NDArray x =
            dtype == DType::Int64 ? whole(shape, -9, 9) : scattered(shape, dtype, u.low);
        for (const Layout& layout : layouts(x)) {
          CAPTURE(u.name);
          CAPTURE(layout.name);
          CAPTURE(shape);
          const NDArray y = u.op(layout.array);
          CHECK(y.dtype() == dtype);
          check_values(y, shape, tolerance_of(dtype), [&](Index i) { return u.f(element(x, i)); });
        }
      }
}

TEST_CASE("every function of two arrays equals a plain loop, whatever the layouts") {
  for (const Binary& b : binary)
    for (const DType dtype : {DType::Float32, DType::Float64, DType::Int64})
      for (const Shape& shape : awkward_shapes()) {
        if (dtype == DType::Int64 && !b.whole) continue;
        const double low = b.low > 0 ? 0 : -9;
        const NDArray x =
            dtype == DType::Int64 ? whole(shape, low, 5) : scattered(shape, dtype, b.low);
        const NDArray y =
            dtype == DType::Int64 ? whole(shape, 5, low) : scattered(shape, dtype, 3, b.low);
        const std::vector<Layout> left = layouts(x), right = layouts(y);
        for (std::size_t k = 0; k<left.size() * right.size(); k += shape.rank()> 2 ? 2 : 1) {
          const Layout& a = left[k % left.size()];
          const Layout& c = right[k / left.size()];
          CAPTURE(b.name);
          CAPTURE(a.name);
          CAPTURE(c.name);
          CAPTURE(shape);
          check_values(b.op(a.array, c.array), shape, 4 * tolerance_of(dtype),
                       [&](Index i) { return b.f(element(x, i), element(y, i)); });
        }
      }
}

TEST_CASE("two shapes broadcast") {
  const std::pair<Shape, Shape> pairs[] = {
      {{2, 3}, {3}},    {{3}, {2, 3}},         {{2, 1, 4}, {3, 1}}, {{}, {2, 2}},
      {{5, 1}, {1, 7}}, {{0, 3}, {3}},         {{1}, {0}},          {{2, 1, 3, 1}, {4, 1, 5}},
      {{1, 1}, {}},     {{3, 65, 180}, {180}}, {{3, 65, 1}, {180}}, {{65, 180}, {3, 1, 180}},
  };
  for (const auto& pair : pairs) {
    const Shape &p = pair.first, &q = pair.second;
    const NDArray x = scattered(p, DType::Float64), y = scattered(q, DType::Float64, 2, -5);
    const Shape shape = broadcast("sub", p, q);
    const auto difference = [&](Index i) {
      return element(x, broadcast_index(p, shape, i)) - element(y, broadcast_index(q, shape, i));
    };
    for (const Layout& a : layouts(x))
      for (const Layout& b : layouts(y)) {
        CAPTURE(a.name);
        CAPTURE(b.name);
        check_values(sub(a.array, b.array), shape, 0, difference);
      }
    check_values(sub(x.expand(shape), y.expand(shape)), shape, 0, difference);
  }
}

TEST_CASE("a scalar takes the array's dtype, on either side") {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Int64})
    for (const Shape& shape : awkward_shapes()) {
      const NDArray x = dtype == DType::Int64 ? whole(shape, 1, 9) : scattered(shape, dtype, 1, 9);
      const double tolerance = tolerance_of(dtype);
      const auto check = [&](const NDArray& got, auto f) {
        CHECK(got.dtype() == dtype);
        check_values(got, shape, tolerance, [&](Index i) { return f(element(x, i)); });
      };
      for (const Layout& layout : layouts(x)) {
        const NDArray& a = layout.array;
        CAPTURE(layout.name);
        check(add(a, 3), [](double v) { return v + 3; });
        check(sub(a, 3), [](double v) { return v - 3; });
        check(sub(3, a), [](double v) { return 3 - v; });
        check(mul(a, 3), [](double v) { return v * 3; });
        check(core::pow(a, 3), [](double v) { return v * v * v; });
        check(core::pow(a, 2), [](double v) { return v * v; });
        check(core::pow(a, 0), [](double) { return 1; });
        check(core::pow(2, a), [](double v) { return std::pow(2, v); });
        if (dtype == DType::Int64) continue;
        check(div(a, 4), [](double v) { return v / 4; });
        check(div(4, a), [](double v) { return 4 / v; });
        for (const double p : {0.5, -0.5, -1.0, -2.0, 1.0, 2.5, -3.0, 7.0})
          check(core::pow(a, p), [p](double v) { return std::pow(v, p); });
      }
    }
  CHECK(add(NDArray::full({}, 1, DType::Float32), 0.1).item() == double{1.1F});
}

TEST_CASE("a fractional scalar with Int64 is an error that names .to") {
  const NDArray x = NDArray::full({2}, 3, DType::Int64);
  CHECK_THROWS_WITH_AS(mul(x, 0.5),
                       "mul: the scalar 0.5 is not a whole number that Int64 holds; convert with "
                       ".to(Float32) first",
                       DTypeError);
}

TEST_CASE("two dtypes never mix by themselves") {
  const NDArray x = NDArray::full({2}, 3, DType::Float32), y = NDArray::full({2}, 3, DType::Int64);
  CHECK_THROWS_WITH_AS(add(x, y),
                       "add: dtypes Float32 and Int64 differ; convert one of them, for example "
                       "with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(eq(y, x),
                       "eq: dtypes Int64 and Float32 differ; convert one of them, for example with "
                       ".to(Float32)",
                       DTypeError);
}

TEST_CASE("ops refuse dtypes they have no meaning for") {
  const NDArray b = NDArray::full({2}, 1, DType::Bool), i = NDArray::full({2}, 1, DType::Int64);
  CHECK_THROWS_WITH_AS(
      add(b, b), "add: expected a numeric dtype, got Bool; convert with .to(Int64)", DTypeError);
  CHECK_THROWS_WITH_AS(neg(b), "neg: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(core::exp(i),
                       "exp: expected Float32 or Float64, got Int64; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      tanh_backward(i, i),
      "tanh_backward: expected Float32 or Float64, got Int64; convert with .to(Float32)",
      DTypeError);
  CHECK_THROWS_WITH_AS(core::floor(b),
                       "floor: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
}

TEST_CASE("logical functions take what is not 0 as true, whatever the dtypes") {
  const NDArray x = NDArray::of({2, 0, NaN, 0}, {4}, DType::Float32),
                y = NDArray::of({-1, 5, 0, 0}, {4}, DType::Int64);
  using Row = std::vector<double>;
  for (const Layout& a : layouts(x))
    for (const Layout& b : layouts(y)) {
      CHECK(elements(logical_not(a.array)) == Row{0, 1, 0, 1});
      CHECK(elements(logical_and(a.array, b.array)) == Row{1, 0, 0, 0});
      CHECK(elements(logical_or(a.array, b.array)) == Row{1, 1, 1, 0});
      CHECK(elements(logical_xor(a.array, b.array)) == Row{0, 1, 1, 0});
      CHECK(logical_xor(cast(a.array, DType::Bool), b.array).dtype() == DType::Bool);
    }
}

TEST_CASE("a number that a dtype cannot hold is compared as it is") {
  const NDArray whole = NDArray::of({1, 2, -3}, {3}, DType::Int64),
                flags = NDArray::of({0, 1}, {2}, DType::Bool);
  using Row = std::vector<double>;
  CHECK(elements(eq(whole, 1.5)) == Row{0, 0, 0});
  CHECK(elements(ne(whole, 1.5)) == Row{1, 1, 1});
  CHECK(elements(lt(whole, 1.5)) == Row{1, 0, 1});
  CHECK(elements(le(whole, 1.5)) == Row{1, 0, 1});
  CHECK(elements(gt(whole, 1.5)) == Row{0, 1, 0});
  CHECK(elements(ge(whole, -3.5)) == Row{1, 1, 1});
  CHECK(elements(eq(whole, 2.0)) == Row{0, 1, 0});
  CHECK(elements(lt(whole, 1e300)) == Row{1, 1, 1});
  CHECK(elements(gt(whole, -inf)) == Row{1, 1, 1});
  CHECK(elements(ne(whole, NaN)) == Row{1, 1, 1});
  CHECK(elements(eq(flags, 2)) == Row{0, 0});
  CHECK(elements(lt(flags, 0.5)) == Row{1, 0});
  const NDArray large = NDArray::full({1}, std::numeric_limits<Index>::max(), DType::Int64);
  CHECK(element(eq(large, std::numeric_limits<Index>::max() - 1), 0) == 0);
  CHECK(element(lt(large, 0x1p63), 0) == 0);  // 2^63 - 1 is rounded to the same double
}

TEST_CASE("floor_divide and remainder are Python's, of whole numbers and of others") {
  const NDArray x = NDArray::of({-7, 7, -7, 7, 6, 0}, {6}, DType::Int64),
                y = NDArray::of({2, 2, -2, -2, -3, 5}, {6}, DType::Int64);
  using Row = std::vector<double>;
  for (const DType dtype : {DType::Int64, DType::Float32, DType::Float64}) {
    const NDArray a = cast(x, dtype), b = cast(y, dtype);
    CHECK(elements(floor_divide(a, b)) == Row{-4, 3, 3, -4, -2, 0});
    CHECK(elements(core::remainder(a, b)) == Row{1, 1, -1, -1, 0, 0});
    CHECK(elements(floor_divide(a, -4)) == Row{1, -2, 1, -2, -2, 0});
    CHECK(elements(core::remainder(a, -4)) == Row{-3, -1, -3, -1, -2, 0});
  }
  const NDArray lowest = NDArray::full({1}, least, DType::Int64);
  CHECK(floor_divide(lowest, -1).item<Index>() == least);
  CHECK(core::remainder(lowest, -1).item<Index>() == 0);
  CHECK(floor_divide(lowest, 3).item<Index>() == -3074457345618258603);
  // PyTorch's, of what has no quotient.
  const NDArray odd = NDArray::of({1, -1, 0, inf, 1, -1, 1, NaN}, {8}, DType::Float64),
                by = NDArray::of({0, 0, 0, 2, inf, inf, -inf, 1}, {8}, DType::Float64);
  const auto show = [](const NDArray& r) {
    std::vector<double> v = elements(r);
    for (double& d : v) d = std::isnan(d) ? 77 : d;
    return v;
  };
  CHECK(show(floor_divide(odd, by)) == Row{inf, -inf, 77, 77, 0, -1, -1, 77});
  CHECK(show(core::remainder(odd, by)) == Row{77, 77, 77, 77, 1, inf, -inf, 77});
  CHECK_THROWS_WITH_AS(floor_divide(x, sub(y, 2)),
                       "floor_divide: whole numbers cannot be divided by 0; convert with "
                       ".to(Float32), where they can",
                       Error);
  CHECK_THROWS_WITH_AS(
      core::remainder(x, 0),
      "remainder: whole numbers cannot be divided by 0; convert with .to(Float32), where they can",
      Error);
}

TEST_CASE("what is stored must be in the dtype's range, but may be infinite") {
  NDArray x = NDArray::full({2}, inf, DType::Float32);
  const NDArray mask = NDArray::full({2}, true, DType::Bool);
  const auto refused = [](const char* op, const auto& call) {
    CHECK_THROWS_WITH_AS(call(),
                         (std::string(op) + ": the scalar 1e+300 is beyond what Float32 holds, "
                                            "which ends at 3.40282e+38; use Float64, or INFINITY")
                             .c_str(),
                         DTypeError);
  };
  refused("full", [] { NDArray::full({2}, 1e300, DType::Float32); });
  refused("fill_", [&] { fill_(x, 1e300); });
  refused("masked_fill", [&] { masked_fill(x, mask, 1e300); });
  refused("masked_fill_", [&] { masked_fill_(x, mask, 1e300); });
  CHECK(element(x, 0) == inf);
  fill_(x, std::numeric_limits<float>::max());
  CHECK(element(NDArray::full({1}, 1e300, DType::Float64), 0) == 1e300);
}

TEST_CASE("whole numbers are not divided") {
  const NDArray x = NDArray::full({2}, 3, DType::Int64);
  const char* text = "div: Int64 / Int64 has no Int64 result; convert with .to(Float32) first";
  CHECK_THROWS_WITH_AS(div(x, x), text, DTypeError);
  CHECK_THROWS_WITH_AS(div(x, 2), text, DTypeError);
  CHECK_THROWS_WITH_AS(div(2, x), text, DTypeError);
}

TEST_CASE("whole numbers wrap around, and their powers are exact") {
  const NDArray big = NDArray::full({1}, std::numeric_limits<Index>::max(), DType::Int64);
  CHECK(add(big, 1).item<Index>() == least);
  CHECK(neg(NDArray::full({1}, least, DType::Int64)).item<Index>() == least);
  CHECK(core::abs(NDArray::full({1}, least, DType::Int64)).item<Index>() == least);
  CHECK(mul(big, 2).item<Index>() == -2);
  const NDArray base = NDArray::of({3, -2, 2, 0, 7}, {5}, DType::Int64);
  CHECK(elements<Index>(core::pow(base, NDArray::of({2, 3, 63, 0, 20}, {5}, DType::Int64))) ==
        std::vector<Index>{9, -8, least, 1, 79792266297612001});
  CHECK_THROWS_WITH_AS(
      core::pow(base, -1),
      "pow: Int64 to the power -1 is not a whole number; convert with .to(Float32) first",
      DTypeError);
  CHECK_THROWS_WITH_AS(
      core::pow(2, NDArray::of({1, -3}, {2}, DType::Int64)),
      "pow: Int64 to the power -3 is not a whole number; convert with .to(Float32) first",
      DTypeError);
  CHECK_THROWS_WITH_AS(
      core::pow(base, NDArray::of({-2}, {1}, DType::Int64)),
      "pow: Int64 to the power -2 is not a whole number; convert with .to(Float32) first",
      DTypeError);
}

TEST_CASE("NaN propagates through maximum, minimum, clamp, relu and abs") {
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    std::vector<double> left(40, 1), right(40, 2);
    left[3] = left[20] = left[39] = NaN;
    right[4] = right[20] = right[38] = NaN;
    const NDArray x = NDArray::of(left, {40}, dtype), y = NDArray::of(right, {40}, dtype);
    for (const NDArray& got : {maximum(x, y), minimum(x, y), maximum(y, x)})
      for (Index i = 0; i < 40; ++i)
        CHECK(std::isnan(element(got, i)) ==
              (std::isnan(element(x, i)) || std::isnan(element(y, i))));
    for (const NDArray& got :
         {clamp(x, 0, 1), clamp(x, 0, {}), clamp(x, {}, 5), relu(x), core::abs(x), neg(x)})
      for (Index i = 0; i < 40; ++i)
        CHECK(std::isnan(element(got, i)) == std::isnan(element(x, i)));
    CHECK(std::isnan(element(clamp(x, NaN, 5), 0)));
    CHECK(element(sign(x), 3) == 0);  // as PyTorch has it
  }
}

TEST_CASE("special values go where the functions' limits are") {
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    const auto at = [dtype](auto op, double v) {
      // alone, and in the middle of enough others to fill registers
      NDArray many = NDArray::full({67}, 0.5, dtype);
      NDArray middle = many.select(0, 30);
      fill_(middle, v);
      const double alone = op(NDArray::full({1}, v, dtype)).item(), among = element(op(many), 30);
      CHECK((alone == among || (std::isnan(alone) && std::isnan(among))));
      return alone;
    };
    for (const auto op : {core::exp, core::log, core::sqrt, rsqrt, core::sin, core::cos, core::tanh,
                          sigmoid, core::erf, gelu, gelu_tanh})
      CHECK(std::isnan(at(op, NaN)));
    for (const auto op : {core::expm1, core::log1p, core::log2, core::log10, silu, core::floor,
                          core::ceil, core::round, core::trunc})
      CHECK(std::isnan(at(op, NaN)));
    for (const auto op : {core::floor, core::ceil, core::round, core::trunc}) {
      CHECK(at(op, inf) == inf);
      CHECK(at(op, -1e30) == element(NDArray::full({1}, -1e30, dtype), 0));
      CHECK(std::signbit(at(op, -0.0)));
    }
    CHECK(at(core::round, 0.5) == 0);
    CHECK(at(core::round, 1.5) == 2);
    CHECK(at(core::round, 2.5) == 2);
    CHECK(at(core::round, -2.5) == -2);
    CHECK(at(core::log2, 8) == 3);
    CHECK(at(core::log10, 0) == -inf);
    CHECK(at(core::log1p, -1) == -inf);
    CHECK(at(core::expm1, 1000) == inf);
    CHECK(at(silu, -1e30) == 0);
    for (const double sign : {1.0, -1.0}) {
      CHECK(at(core::log1p, sign * 1e-30) == doctest::Approx(sign * 1e-30).epsilon(1e-6));
      CHECK(at(core::expm1, sign * 1e-30) == doctest::Approx(sign * 1e-30).epsilon(1e-6));
    }
    CHECK(at(core::exp, inf) == inf);
    CHECK(at(core::exp, -inf) == 0);
    CHECK(at(core::exp, 1000) == inf);
    CHECK(at(core::exp, -1000) == 0);
    CHECK(at(core::exp, 0) == 1);
    CHECK(at(core::log, inf) == inf);
    CHECK(at(core::log, 0) == -inf);
    CHECK(std::isnan(at(core::log, -1)));
    CHECK(at(core::log, 1) == 0);
    CHECK(std::isnan(at(core::sqrt, -1)));
    CHECK(at(rsqrt, 0) == inf);
    CHECK(at(rsqrt, inf) == 0);
    for (const double sign : {1.0, -1.0}) {
      CHECK(at(core::tanh, sign * inf) == sign);
      CHECK(at(core::tanh, sign * 50) == sign);
      CHECK(at(core::erf, sign * inf) == sign);
      CHECK(at(core::erf, sign * 30) == sign);
      CHECK(std::signbit(at(core::tanh, sign * 0.0)) == (sign < 0));
      CHECK(at(core::tanh, sign * 1e-30) == doctest::Approx(sign * 1e-30).epsilon(1e-6));
      CHECK(at(core::erf, sign * 1e-30) == doctest::Approx(sign * 1.1283791671e-30).epsilon(1e-6));
    }
    CHECK(at(sigmoid, inf) == 1);
    CHECK(at(sigmoid, -inf) == 0);
    CHECK(at(sigmoid, -1000) == 0);
    CHECK(at(sigmoid, 0) == 0.5);
    CHECK(at(gelu, inf) == inf);
    CHECK(at(gelu, 30) == 30);
    CHECK(at(gelu, -50) == 0);
    CHECK(at(gelu_tanh, 30) == 30);
    CHECK(at(gelu_tanh, -50) == 0);
    CHECK(std::signbit(at(relu, -0.0)));  // as PyTorch has it
    CHECK(std::isnan(core::pow(NDArray::full({1}, -8, dtype), 1.0 / 3).item()));
    CHECK(core::pow(NDArray::full({1}, NaN, dtype), 0).item() == 1);
    CHECK(core::pow(NDArray::full({1}, 0, dtype), -1).item() == inf);
  }
}

TEST_CASE("clamp moves elements between its bounds") {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Int64}) {
    const NDArray x = cast(whole({5, 13}, -9, 9), dtype);
    for (const Layout& layout : layouts(x)) {
      const NDArray& a = layout.array;
      const auto check = [&](const NDArray& got, double low, double high) {
        check_values(got, x.shape(), 0,
                     [&](Index i) { return std::fmin(std::fmax(element(x, i), low), high); });
      };
      check(clamp(a, -2, 3), -2, 3);
      check(clamp(a, -2, {}), -2, inf);
      check(clamp(a, {}, 3), -inf, 3);
      check(clamp(a, 4, 2), 4, 2);  // as PyTorch: the upper bound wins
    }
  }
  CHECK_THROWS_WITH_AS(clamp(NDArray::full({1}, 0, DType::Float32), {}, {}),
                       "clamp: expected a lower or an upper bound, got neither; give one", Error);
}
