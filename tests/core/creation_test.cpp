#include <doctest/doctest.h>
#include <tapehead/core/creation.h>

#include <limits>

#include "layouts.h"
using namespace tapehead;
using namespace tapehead::core;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
}

TEST_CASE("arange goes from start by step, up to but without the end") {
  CHECK(elements(arange(0, 5, 1, DType::Float32)) == std::vector<double>{0, 1, 2, 3, 4});
  CHECK(elements(arange(1, 2.5, 0.5, DType::Float64)) == std::vector<double>{1, 1.5, 2});
  CHECK(elements(arange(5, 2, -1, DType::Int64)) == std::vector<double>{5, 4, 3});
  CHECK(elements(arange(0, 7, 3, DType::Int64)) == std::vector<double>{0, 3, 6});
  CHECK(elements(arange(0, -7, -3, DType::Int64)) == std::vector<double>{0, -3, -6});
  CHECK(arange(0, 1, 0.1, DType::Float32).shape() == Shape{10});
  CHECK(arange(3, 3, 1, DType::Int64).shape() == Shape{0});
  const Index far = (Index{1} << 60) + 1;
  CHECK(elements<Index>(arange(far, far + 2, 1, DType::Int64)) == std::vector<Index>{far, far + 1});
}

TEST_CASE("whole ranges may span more than 63 bits, and never lose a bit") {
  constexpr Index least = std::numeric_limits<Index>::min(),
                  most = std::numeric_limits<Index>::max(), step = Index{1} << 62;
  CHECK(elements<Index>(arange(least, most, step, DType::Int64)) ==
        std::vector<Index>{least, least + step, 0, step});
  CHECK(elements<Index>(arange(most, least, least, DType::Int64)) == std::vector<Index>{most, -1});
  CHECK(elements<Index>(arange(most - 4, most, 3, DType::Int64)) ==
        std::vector<Index>{most - 4, most - 1});
  const Index odd = (Index{1} << 53) + 1;  // as a double, odd - 1
  CHECK(arange(odd - 1, odd, 1, DType::Int64).size() == 1);
  CHECK_THROWS_WITH_AS(arange(odd, odd - 1, 1, DType::Int64),
                       "arange: steps of 1 lead away from 9007199254740992, starting at "
                       "9007199254740993; change the sign of step",
                       ShapeError);
}

TEST_CASE("arange has PyTorch's bits") {
  const std::vector<double> want{0x1.99999a0000000p-4, 0x1.99999a0000000p-3, 0x1.3333340000000p-2,
                                 0x1.99999a0000000p-2, 0x1.0000000000000p-1, 0x1.3333340000000p-1,
                                 0x1.6666660000000p-1, 0x1.99999a0000000p-1, 0x1.cccccc0000000p-1,
                                 0x1.0000000000000p+0, 0x1.19999a0000000p+0, 0x1.3333320000000p+0,
                                 0x1.4ccccc0000000p+0, 0x1.6666660000000p+0, 0x1.8000000000000p+0,
                                 0x1.99999a0000000p+0, 0x1.b333340000000p+0, 0x1.cccccc0000000p+0};
  CHECK(elements(arange(0.1, 1.9, 0.1, DType::Float32)) == want);
  const std::vector<double> want64{
      0x1.999999999999ap-4, 0x1.999999999999ap-3, 0x1.3333333333334p-2, 0x1.999999999999ap-2,
      0x1.0000000000000p-1, 0x1.3333333333333p-1, 0x1.6666666666666p-1, 0x1.999999999999ap-1,
      0x1.ccccccccccccdp-1, 0x1.0000000000000p+0, 0x1.199999999999ap+0, 0x1.3333333333333p+0,
      0x1.4cccccccccccdp+0, 0x1.6666666666667p+0, 0x1.8000000000000p+0, 0x1.999999999999ap+0,
      0x1.b333333333334p+0, 0x1.ccccccccccccdp+0};
  CHECK(elements(arange(0.1, 1.9, 0.1, DType::Float64)) == want64);
}

TEST_CASE("arange refuses what does not lead to its end") {
  CHECK_THROWS_WITH_AS(arange(0, 5, 0, DType::Float32),
                       "arange: step must be finite and not 0, got 0", ShapeError);
  CHECK_THROWS_WITH_AS(arange(0, inf, 1, DType::Float32),
                       "arange: bounds must be finite, got 0 and inf", ShapeError);
  for (const DType dtype : {DType::Int64, DType::Float64})
    CHECK_THROWS_WITH_AS(
        arange(0, 5, -1, dtype),
        "arange: steps of -1 lead away from 5, starting at 0; change the sign of step", ShapeError);
  CHECK_THROWS_WITH_AS(arange(0, 1e300, 1, DType::Float64),
                       "arange: 0 to 1e+300 in steps of 1 is more elements than 64 bits can count; "
                       "use a larger step",
                       ShapeError);
  CHECK_THROWS_WITH_AS(arange(0, 1, 0.5, DType::Int64),
                       "arange: the scalar 0.5 is not a whole number that Int64 holds; convert "
                       "with .to(Float32) first",
                       DTypeError);
  CHECK_THROWS_WITH_AS(arange(0, 2, 1, DType::Bool),
                       "arange: expected Float32 or Float64, got Bool; convert with .to(Float32)",
                       DTypeError);
}

TEST_CASE("linspace meets both ends") {
  CHECK(elements(linspace(0, 1, 5, DType::Float64)) == std::vector<double>{0, 0.25, 0.5, 0.75, 1});
  CHECK(elements(linspace(3, 9, 1, DType::Float32)) == std::vector<double>{3});
  CHECK(linspace(3, 9, 0, DType::Float32).shape() == Shape{0});
  for (const Index n : {2, 3, 10, 17, 100, 1001})
    for (const DType dtype : {DType::Float32, DType::Float64}) {
      const NDArray x = linspace(-0.3, 2.2, n, dtype);
      CHECK(element(x, 0) == NDArray::full({}, -0.3, dtype).item());
      CHECK(element(x, n - 1) == NDArray::full({}, 2.2, dtype).item());
    }
  CHECK_THROWS_WITH_AS(linspace(0, 1, -1, DType::Float32),
                       "linspace: steps cannot be negative, got -1", ShapeError);
  CHECK_THROWS_WITH_AS(linspace(0, 1, 3, DType::Bool),
                       "linspace: expected Float32 or Float64, got Bool; convert with "
                       ".to(Float32)",
                       DTypeError);
}

TEST_CASE("linspace of whole numbers leaves fractions away, as in PyTorch") {
  using Row = std::vector<double>;
  const auto row = [](double start, double end, Index steps) {
    return elements(linspace(start, end, steps, DType::Int64));
  };
  CHECK(row(0, 10, 5) == Row{0, 2, 5, 7, 10});
  CHECK(row(0, 10, 4) == Row{0, 3, 6, 10});
  CHECK(row(-3, 7, 6) == Row{-3, -1, 1, 3, 5, 7});
  CHECK(row(1.7, 9.9, 4) == Row{1, 3, 6, 9});
  CHECK(row(10, 0, 4) == Row{10, 6, 3, 0});
  CHECK(row(-7, 4, 7) == Row{-7, -5, -3, -1, 0, 2, 4});
  CHECK(row(0, 5, 1) == Row{0});
  CHECK(row(0, 5, 0) == Row{});
  CHECK_THROWS_WITH_AS(row(0, 1e30, 2),
                       "linspace: 1e+30 is beyond what 64-bit whole numbers hold; keep it a "
                       "floating-point number",
                       DTypeError);
}

TEST_CASE("linspace has PyTorch's bits") {
  CHECK(elements(linspace(-0.3, 2.2, 9, DType::Float32)) ==
        std::vector<double>{-0x1.3333340000000p-2, 0x1.9999800000000p-7, 0x1.4ccccc0000000p-2,
                            0x1.4666660000000p-1, 0x1.e666680000000p-1, 0x1.4333340000000p+0,
                            0x1.9333340000000p+0, 0x1.e333340000000p+0, 0x1.19999a0000000p+1});
  CHECK(elements(linspace(-0.3, 2.2, 9, DType::Float64)) ==
        std::vector<double>{-0x1.3333333333333p-2, 0x1.99999999999a0p-7, 0x1.4cccccccccccdp-2,
                            0x1.4666666666666p-1, 0x1.e666666666668p-1, 0x1.4333333333334p+0,
                            0x1.9333333333334p+0, 0x1.e333333333334p+0, 0x1.199999999999ap+1});
  CHECK(elements(linspace(3, -2, 20, DType::Float32)) ==
        std::vector<double>{0x1.8000000000000p+1,  0x1.5e50d80000000p+1,  0x1.3ca1b00000000p+1,
                            0x1.1af2860000000p+1,  0x1.f286bc0000000p+0,  0x1.af286c0000000p+0,
                            0x1.6bca1a0000000p+0,  0x1.286bc80000000p+0,  0x1.ca1af00000000p-1,
                            0x1.435e4e0000000p-1,  0x1.7943580000000p-2,  0x1.af28500000000p-4,
                            -0x1.435e600000000p-3, -0x1.af28700000000p-2, -0x1.5e50dc0000000p-1,
                            -0x1.e50d800000000p-1, -0x1.35e50c0000000p+0, -0x1.79435e0000000p+0,
                            -0x1.bca1b00000000p+0, -0x1.0000000000000p+1});
}

TEST_CASE("eye has ones on its diagonal, whatever its shape and dtype") {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Int64, DType::Bool}) {
    CHECK(elements(eye(2, 2, dtype)) == std::vector<double>{1, 0, 0, 1});
    CHECK(elements(eye(2, 3, dtype)) == std::vector<double>{1, 0, 0, 0, 1, 0});
    CHECK(elements(eye(3, 2, dtype)) == std::vector<double>{1, 0, 0, 1, 0, 0});
    CHECK(eye(0, 3, dtype).shape() == Shape{0, 3});
  }
  CHECK_THROWS_WITH_AS(
      eye(-1, 2, DType::Float32),
      "shape: sizes cannot be negative, got (-1, 2); -1 is for view, reshape and expand",
      ShapeError);
}

TEST_CASE("empty_in_order_of is dense, with its dimensions in memory as PyTorch has them") {
  const auto strides = [](const NDArray& x) { return empty_in_order_of(x).strides(); };
  const NDArray x = NDArray::full({2, 3, 4}, 0, DType::Float64);
  CHECK(strides(x) == Strides{12, 4, 1});
  CHECK(strides(x.permute({2, 0, 1})) == Strides{1, 12, 4});
  CHECK(strides(x.slice(2, 0, 4, 2).transpose(0, 1)) == Strides{2, 6, 1});
  CHECK(strides(x.narrow(0, 0, 1).expand({5, 3, 4})) == Strides{12, 4, 1});
  CHECK(empty_in_order_of(x.transpose(0, 2)).shape() == Shape{4, 3, 2});
  CHECK(empty_in_order_of(NDArray::full({}, 0, DType::Int64)).dtype() == DType::Int64);
}
