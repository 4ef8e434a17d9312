#include <doctest/doctest.h>
#include <omp.h>
#include <tapehead/core/elementwise.h>
#include <tapehead/core/kernels/dispatch.h>

#include <cmath>
#include <limits>

#include "layouts.h"
using namespace tapehead;
using namespace tapehead::core;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr DType dtypes[] = {DType::Float32, DType::Float64, DType::Int64, DType::Bool};
constexpr Index least = std::numeric_limits<Index>::min();

// `got` holds f(i) at each flat index i, to `tolerance` (relative, or absolute below 1).
template <class F>
void check_values(const NDArray& got, const Shape& shape, double tolerance, F f) {
  REQUIRE(got.shape() == shape);
  CHECK(got.is_contiguous());
  double worst = 0;
  for (Index i = 0; i < got.size(); ++i) {
    const double value = element(got, i), want = f(i);
    if (!(value == want || (std::isnan(value) && std::isnan(want))))
      worst = std::fmax(worst, std::fabs(value - want) / std::fmax(1, std::fabs(want)));
  }
  CHECK(worst <= tolerance);
}
double tolerance_of(DType dtype) { return dtype == DType::Float32 ? 1e-6 : 4e-15; }

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
double normal_pdf(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }
double tanh_argument(double x) {
  return std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
}

struct Unary {
  const char* name;
  NDArray (*op)(const NDArray&);
  double (*f)(double);
  double low;
  bool whole;  // Int64 too
};
const Unary unary[] = {
    {"neg", neg, [](double x) { return -x; }, -3, true},
    {"abs", core::abs, [](double x) { return std::fabs(x); }, -3, true},
    {"relu", relu, [](double x) { return x > 0 ? x : 0; }, -3, true},
    {"sign", sign, [](double x) { return x > 0   ? 1.0
                                         : x < 0 ? -1.0
                                                 : 0.0; }, -3, true},
    {"exp", core::exp, [](double x) { return std::exp(x); }, -3, false},
    {"log", core::log, [](double x) { return std::log(x); }, 0.01, false},
    {"sqrt", core::sqrt, [](double x) { return std::sqrt(x); }, 0, false},
    {"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }, 0.01, false},
    {"sin", core::sin, [](double x) { return std::sin(x); }, -3, false},
    {"cos", core::cos, [](double x) { return std::cos(x); }, -3, false},
    {"tanh", core::tanh, [](double x) { return std::tanh(x); }, -3, false},
    {"sigmoid", sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -3, false},
    {"erf", core::erf, [](double x) { return std::erf(x); }, -3, false},
    {"gelu", gelu, [](double x) { return x * normal_cdf(x); }, -3, false},
    {"gelu_tanh", gelu_tanh, [](double x) { return x / 2 * (1 + std::tanh(tanh_argument(x))); }, -3,
     false},
};

struct Binary {
  const char* name;
  NDArray (*op)(const NDArray&, const NDArray&);
  double (*f)(double, double);
  double low;
  bool whole;
};
const Binary binary[] = {
    {"add", add, [](double x, double y) { return x + y; }, -3, true},
    {"sub", sub, [](double x, double y) { return x - y; }, -3, true},
    {"mul", mul, [](double x, double y) { return x * y; }, -3, true},
    {"div", div, [](double x, double y) { return x / y; }, 0.5, false},
    {"pow", core::pow, [](double x, double y) { return std::pow(x, y); }, 0.1, true},
    {"maximum", maximum, [](double x, double y) { return std::fmax(x, y); }, -3, true},
    {"minimum", minimum, [](double x, double y) { return std::fmin(x, y); }, -3, true},
    {"relu_backward", relu_backward, [](double g, double y) { return y > 0 ? g : 0; }, -3, true},
    {"tanh_backward", tanh_backward, [](double g, double y) { return g * (1 - y * y); }, -3, false},
    {"sigmoid_backward", sigmoid_backward, [](double g, double y) { return g * y * (1 - y); }, -3,
     false},
    {"gelu_backward", gelu_backward,
     [](double g, double x) { return g * (normal_cdf(x) + x * normal_pdf(x)); }, -3, false},
    {"gelu_tanh_backward", gelu_tanh_backward,
     [](double g, double x) {
       const double t = std::tanh(tanh_argument(x));
       const double du = std::sqrt(2 / std::acos(-1.0)) * (1 + 3 * 0.044715 * x * x);
       return g * ((1 + t) / 2 + x / 2 * (1 - t * t) * du);
     },
     -3, false},
};

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

NDArray whole(const Shape& shape, double low, double high) {
  const NDArray x = scattered(shape, DType::Float64, low, high);
  std::vector<double> values;
  for (const double v : elements(x)) values.push_back(std::round(v));
  return NDArray::of(values, shape, DType::Int64);
}

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
                       ".to(Float64) first",
                       DTypeError);
  CHECK_THROWS_WITH_AS(lt(x, 0.5),
                       "lt: the scalar 0.5 is not a whole number that Int64 holds; convert with "
                       ".to(Float64) first",
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
                       ".to(Int64)",
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
  CHECK_THROWS_WITH_AS(logical_not(i),
                       "logical_not: expected Bool, got Int64; convert with .to(Bool)", DTypeError);
  CHECK_THROWS_WITH_AS(logical_and(b, i),
                       "logical_and: expected Bool, got Int64; convert with .to(Bool)", DTypeError);
  CHECK_THROWS_WITH_AS(logical_or(i, b),
                       "logical_or: expected Bool, got Int64; convert with .to(Bool)", DTypeError);
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
      "pow: Int64 to the power -1 is not a whole number; convert with .to(Float64) first",
      DTypeError);
  CHECK_THROWS_WITH_AS(
      core::pow(2, NDArray::of({1, -3}, {2}, DType::Int64)),
      "pow: Int64 to the power -3 is not a whole number; convert with .to(Float64) first",
      DTypeError);
  CHECK_THROWS_AS(core::pow(base, NDArray::of({-2}, {1}, DType::Int64)), DTypeError);
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

TEST_CASE("masked_fill sets what the mask shows, the mask broadcasting to x alone") {
  for (const DType dtype : dtypes) {
    const NDArray x = cast(whole({2, 3, 4}, -5, 5), dtype);
    const NDArray mask = NDArray::of({1, 0, 0, 1}, {4}, DType::Bool);
    for (const Layout& layout : layouts(x))
      check_values(masked_fill(layout.array, mask, 1), x.shape(), 0,
                   [&](Index i) { return element<bool>(mask, i % 4) ? 1 : element(x, i); });
  }
  const NDArray x = NDArray::full({3}, 1, DType::Float32);
  CHECK_THROWS_WITH_AS(masked_fill(x, NDArray::full({2, 3}, 1, DType::Bool), 0),
                       "masked_fill: cannot expand (2, 3) to (3); sizes must be equal or 1, "
                       "counted from the last dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(masked_fill(x, x, 0),
                       "masked_fill: expected Bool, got Float32; convert with .to(Bool)",
                       DTypeError);
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
  CHECK_THROWS_WITH_AS(allclose(x, x.view({12})),
                       "allclose: shapes (3, 4) and (12) differ; view or expand one as the other",
                       ShapeError);
  CHECK_THROWS_AS(allclose(x, cast(x, DType::Float64)), DTypeError);
}

TEST_CASE("all_finite sees one NaN or infinity anywhere") {
  for (const DType dtype : {DType::Float32, DType::Float64})
    for (const Index n : {1, 5, 64, 1000, 100003})
      for (const double bad : {inf, -inf, NaN})
        for (const Index at : {Index{0}, n / 2, n - 1}) {
          NDArray x = NDArray::full({n}, std::numeric_limits<float>::max(), dtype);
          CHECK(all_finite(x));
          NDArray place = x.select(0, at);
          fill_(place, bad);
          CHECK_FALSE(all_finite(x));
          CHECK_FALSE(all_finite(x.unsqueeze(1).expand({n, 2}).transpose(0, 1)));
        }
  CHECK(all_finite(NDArray::full({3}, 1, DType::Int64)));
  CHECK(all_finite(NDArray::empty({0}, DType::Float32)));
}

TEST_CASE("arrays that several threads share equal a plain loop") {
  const NDArray x = scattered(large_shape(), DType::Float32),
                y = scattered(large_shape(), DType::Float32, 9, -2);
  for (const Layout& a : layouts(x)) {
    check_values(core::abs(a.array), x.shape(), 0,
                 [&](Index i) { return std::fabs(element(x, i)); });
    for (const Layout& b : layouts(y))
      check_values(maximum(a.array, b.array), x.shape(), 0,
                   [&](Index i) { return std::fmax(element(x, i), element(y, i)); });
  }
}

TEST_CASE("any number of threads gives the same bits") {
  const NDArray x = scattered(large_shape(), DType::Float32),
                y = scattered({65, 1}, DType::Float32);
  const int most = omp_get_max_threads();
  for (const Unary& u : unary) {
    omp_set_num_threads(1);
    const NDArray one = u.op(x), broadcast_one = mul(u.op(x.transpose(0, 2)).transpose(0, 2), y);
    for (const int threads : {2, 3, 7}) {
      omp_set_num_threads(threads);
      const NDArray more = u.op(x),
                    broadcast_more = mul(u.op(x.transpose(0, 2)).transpose(0, 2), y);
      CAPTURE(u.name);
      CHECK(allclose(one, more, 0, 0, true));
      CHECK(allclose(broadcast_one, broadcast_more, 0, 0, true));
    }
  }
  omp_set_num_threads(most);
}

TEST_CASE("an element's value does not depend on its place in the array") {
  const NDArray x = scattered({77}, DType::Float32);
  for (const Unary& u : unary) {
    const NDArray all = u.op(x);
    for (Index i = 0; i < x.size(); ++i) {
      CAPTURE(u.name);
      const double alone = u.op(x.narrow(0, i, 1)).item(), among = element(all, i);
      CHECK((alone == among || std::isnan(alone)));
    }
  }
  const NDArray y = scattered({77}, DType::Float32, 2, 0.3);
  for (const Binary& b : binary) {
    const NDArray all = b.op(x, y),
                  crosswise = b.op(x.view({7, 11}).transpose(0, 1), y.select(0, 0));
    for (Index i = 0; i < x.size(); ++i) {
      CAPTURE(b.name);
      const double alone = b.op(x.narrow(0, i, 1), y.narrow(0, i, 1)).item();
      CHECK((alone == element(all, i) || std::isnan(alone)));
      const double with_first = b.op(x.narrow(0, i, 1), y.narrow(0, 0, 1)).item();
      CHECK((with_first == element(crosswise, i % 11 * 7 + i / 11) || std::isnan(with_first)));
    }
  }
}

TEST_CASE("all instruction sets with fused multiply-add give the same bits") {
  const NDArray x = scattered({1003}, DType::Float32),
                y = scattered({1003}, DType::Float32, 2, 0.1);
  const kernels::Isa chosen = kernels::isa();
  std::vector<std::vector<NDArray>> results;
  for (const kernels::Isa isa : kernels::supported_isas()) {
    if (isa == kernels::Isa::baseline) continue;
    kernels::use_isa(isa);
    results.emplace_back();
    for (const DType dtype : {DType::Float32, DType::Float64}) {
      const NDArray a = cast(x, dtype), b = cast(y, dtype);
      for (const Unary& u : unary) results.back().push_back(u.op(a));
      for (const Binary& f : binary) results.back().push_back(f.op(a, b));
      NDArray scaled = a.clone();
      add_(scaled, b, 0.3);
      results.back().push_back(scaled);
    }
  }
  kernels::use_isa(chosen);
  for (std::size_t k = 1; k < results.size(); ++k)
    for (std::size_t i = 0; i < results[0].size(); ++i)
      CHECK(allclose(results[k][i], results[0][i], 0, 0, true));
}
