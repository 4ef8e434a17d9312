#include <doctest/doctest.h>
#include <omp.h>
#include <tapehead/core/kernels/dispatch.h>
#include <tapehead/core/reduce.h>

#include <cmath>
#include <limits>
#include <map>

#include "layouts.h"
using namespace tapehead;
using namespace tapehead::core;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr DType dtypes[] = {DType::Float32, DType::Float64, DType::Int64, DType::Bool};

// Every subset of the dimensions of a shape.
std::vector<Axes> all_axes(const Shape& shape) {
  std::vector<Axes> result;
  for (int set = 1; set < 1 << shape.rank(); ++set) {
    Axes axes;
    for (int d = 0; d < shape.rank(); ++d)
      if (set >> d & 1) axes.push_back(set % 2 ? d : d - shape.rank());
    result.push_back(axes);
  }
  return result;
}

// By plain loops: f folds the elements that meet in one output.
template <class F>
std::vector<double> folded(const NDArray& x, const Axes& axes, double start, F f, Shape& shape) {
  shape = x.shape();
  for (const Index axis : axes) shape[static_cast<int>(axis)] = 1;
  std::vector<double> result(static_cast<std::size_t>(numel(shape)), start);
  const Strides to = expanded("test", shape, row_major(shape), x.shape());
  for (Index i = 0; i < x.size(); ++i) {
    Index at = 0, rest = i;
    for (int d = x.rank(); d-- > 0; rest /= x.shape()[d]) at += rest % x.shape()[d] * to[d];
    double& place = result[static_cast<std::size_t>(at)];
    place = f(place, element(x, i));
  }
  return result;
}

Shape squeezed(const Shape& keepdim, const Axes& axes) {
  Shape result;
  for (int d = 0; d < keepdim.rank(); ++d) {
    bool gone = false;
    for (const Index axis : axes) gone |= axis == d || axis + keepdim.rank() == d;
    if (!gone) result.push_back(keepdim[d]);
  }
  return result;
}

void check_close(const NDArray& got, const Shape& shape, const std::vector<double>& want,
                 double tolerance) {
  REQUIRE(got.shape() == shape);
  CHECK(got.is_contiguous());
  double worst = 0;
  for (Index i = 0; i < got.size(); ++i) {
    const double value = element(got, i), expected = want[static_cast<std::size_t>(i)];
    if (!(value == expected || (std::isnan(value) && std::isnan(expected))))
      worst = std::fmax(worst, std::fabs(value - expected) / std::fmax(1, std::fabs(expected)));
  }
  CHECK(worst <= tolerance);
}

double larger(double a, double b) { return std::isnan(a) || a >= b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || a <= b ? a : b; }

NDArray made(const Shape& shape, DType dtype) {
  return cast(scattered(shape, DType::Float64, dtype == DType::Bool ? -0.5 : -50, 50), dtype);
}

const Shape shapes[] = {{},        {1},       {7},        {600},        {2, 3},
                        {3, 1, 5}, {5, 4, 3}, {40, 37},   {2, 3, 4, 5}, {3, 40, 20},
                        {9, 300},  {300, 9},  {70, 1, 2}, {1, 1, 1}};

}  // namespace

TEST_CASE("sums over any axes equal plain loops, whatever the layout") {
  for (const DType dtype : dtypes)
    for (const Shape& shape : shapes) {
      const NDArray x = made(shape, dtype);
      for (const Axes& axes : all_axes(shape))
        for (const Layout& layout : layouts(x)) {
          CAPTURE(shape);
          CAPTURE(axes);
          CAPTURE(layout.name);
          Shape keepdim;
          const auto want = folded(
              x, axes, 0, [](double a, double b) { return a + b; }, keepdim);
          const double tolerance = dtype == DType::Float32 ? 2e-5 : 2e-13;  // terms cancel
          const NDArray got = sum(layout.array, axes);
          CHECK(got.dtype() == (is_floating(dtype) ? dtype : DType::Int64));
          check_close(got, squeezed(keepdim, axes), want, tolerance);
          check_close(sum(layout.array, axes, true), keepdim, want, tolerance);
        }
    }
}

TEST_CASE("largest and smallest over any axes equal plain loops, whatever the layout") {
  for (const DType dtype : dtypes)
    for (const Shape& shape : shapes) {
      const NDArray x = made(shape, dtype);
      for (const Axes& axes : all_axes(shape))
        for (const Layout& layout : layouts(x)) {
          CAPTURE(shape);
          CAPTURE(axes);
          CAPTURE(layout.name);
          Shape keepdim;
          const auto most = folded(x, axes, -inf, larger, keepdim);
          const auto least = folded(x, axes, inf, smaller, keepdim);
          check_close(amax(layout.array, axes), squeezed(keepdim, axes), most, 0);
          check_close(amax(layout.array, axes, true), keepdim, most, 0);
          check_close(amin(layout.array, axes), squeezed(keepdim, axes), least, 0);
          CHECK(amin(layout.array, axes, true).dtype() == dtype);
        }
    }
}

TEST_CASE("products over any axes equal plain loops, whatever the layout") {
  for (const DType dtype : dtypes)
    for (const Shape& shape : shapes) {
      // Near 1, or whole and small: products neither overflow nor vanish.
      const NDArray x = is_floating(dtype)
                            ? scattered(shape, dtype, 0.9, 1.1)
                            : cast(scattered(shape, DType::Float64, -1.9, 1.9), dtype);
      for (const Axes& axes : all_axes(shape))
        for (const Layout& layout : layouts(x)) {
          CAPTURE(shape);
          CAPTURE(axes);
          CAPTURE(layout.name);
          Shape keepdim;
          const auto want = folded(
              x, axes, 1, [](double a, double b) { return a * b; }, keepdim);
          const double tolerance = dtype == DType::Float32 ? 1e-7 : 1e-12;
          const NDArray got = prod(layout.array, axes);
          CHECK(got.dtype() == (is_floating(dtype) ? dtype : DType::Int64));
          check_close(got, squeezed(keepdim, axes), want, tolerance);
          check_close(prod(layout.array, axes, true), keepdim, want, tolerance);
        }
    }
  CHECK(prod(NDArray::empty({0}, DType::Float32)).item() == 1);
  CHECK(elements(prod(NDArray::empty({2, 0}, DType::Int64), {1})) == std::vector<double>{1, 1});
  const NDArray large = NDArray::full({3}, Index{1} << 31, DType::Int64);
  CHECK(prod(large).item<Index>() == 0);  // wraps around
  CHECK(prod(NDArray::full({2}, 1e30, DType::Float32)).item() == inf);
}

TEST_CASE("running sums equal plain loops in both directions, whatever the layout") {
  for (const DType dtype : dtypes)
    for (const Shape& shape : shapes) {
      const NDArray x = made(shape, dtype);
      for (int d = 0; d < std::max(shape.rank(), 1); ++d)
        for (const Layout& layout : layouts(x))
          for (const bool reversed : {false, true}) {
            CAPTURE(shape);
            CAPTURE(d);
            CAPTURE(layout.name);
            const Index n = shape.rank() ? shape[d] : 1;
            std::vector<double> want = elements(x);
            Index inner = 1;
            for (int k = d + 1; k < shape.rank(); ++k) inner *= shape[k];
            for (Index k = 0; k < x.size(); ++k) {
              const Index i = reversed ? x.size() - 1 - k : k, place = i / inner % n;
              const Index before = reversed ? i + inner : i - inner;
              if (reversed ? place + 1 < n : place > 0)
                want[static_cast<std::size_t>(i)] += want[static_cast<std::size_t>(before)];
            }
            const NDArray got = cumsum(layout.array, d - std::max(shape.rank(), 1), reversed);
            CHECK(got.dtype() == (is_floating(dtype) ? dtype : DType::Int64));
            check_close(got, shape, want, dtype == DType::Float32 ? 2e-5 : 2e-13);
          }
    }
  CHECK(cumsum(NDArray::empty({0, 3}, DType::Float32), 0).shape() == Shape{0, 3});
  const NDArray large = NDArray::full({2}, std::numeric_limits<Index>::max(), DType::Int64);
  CHECK(cumsum(large, 0).select(0, 1).item<Index>() == -2);  // wraps around
  CHECK_THROWS_WITH_AS(
      cumsum(large, 1),
      "cumsum: dimension 1 is out of range for a tensor of 1 dimension; use -1 to 0", ShapeError);
}

TEST_CASE("no axes mean all of them") {
  const NDArray x = made({3, 4, 5}, DType::Float64);
  CHECK(equal(sum(x), sum(x, {0, 1, 2})));
  CHECK(sum(x, {}, true).shape() == Shape{1, 1, 1});
  CHECK(equal(amax(x), amax(x, {2, 0, 1})));
  CHECK(amin(x, {}, true).shape() == Shape{1, 1, 1});
}

TEST_CASE("a 0-d array accepts axis 0 and -1") {
  const NDArray x = NDArray::full({}, 3, DType::Float32);
  for (const int d : {0, -1}) {
    CHECK(sum(x, {d}).shape() == Shape{});
    CHECK(sum(x, {d}, true).item() == 3);
    CHECK(amax(x, {d}).item() == 3);
    const ValuesIndices best = max(x, d);
    CHECK(best.values.shape() == Shape{});
    CHECK(best.indices.shape() == Shape{});
    CHECK(best.indices.item<Index>() == 0);
  }
}

TEST_CASE("an empty sum is 0 and an empty result is empty") {
  for (const DType dtype : dtypes) {
    const NDArray x = NDArray::empty({2, 0, 3}, dtype);
    CHECK(sum(x).item() == 0);
    CHECK(elements(sum(x, {1})) == std::vector<double>(6, 0));
    CHECK(sum(x, {0}).shape() == Shape{0, 3});
    CHECK(sum(x, {2}, true).shape() == Shape{2, 0, 1});
  }
}

TEST_CASE("axes out of range or named twice are refused") {
  const NDArray x = made({2, 3}, DType::Float32);
  CHECK_THROWS_WITH_AS(sum(x, {2}),
                       "sum: dimension 2 is out of range for a tensor of 2 dimensions; use -2 to 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(sum(x, {0, -2}), "sum: axes (0, -2) name dimension 0 twice; name each once",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      amax(x, {-3}), "amax: dimension -3 is out of range for a tensor of 2 dimensions; use -2 to 1",
      ShapeError);
  CHECK_THROWS_WITH_AS(max(x, 2),
                       "max: dimension 2 is out of range for a tensor of 2 dimensions; use -2 to 1",
                       ShapeError);
}

TEST_CASE("nothing to choose from is an error") {
  const NDArray x = NDArray::empty({2, 0, 3}, DType::Float32);
  const auto text = [](const std::string& op) {
    return op +
           ": nothing to choose from in shape (2, 0, 3); reduce only dimensions that are not empty";
  };
  CHECK_THROWS_WITH_AS(amax(x), text("amax").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(amin(x, {1}), text("amin").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(max(x, 1), text("max").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(min(x, -2), text("min").c_str(), ShapeError);
  CHECK(amax(x, {2}).shape() == Shape{2, 0});
  CHECK(max(x, 0).indices.shape() == Shape{0, 3});
}

TEST_CASE("a long sum of float32 stays exact to 2e-6") {
  for (const Shape& shape : {Shape{1392640}, Shape{1360, 1024}}) {
    const NDArray x = NDArray::full(shape, 0.1, DType::Float32);
    const double want = 1392640 * double{0.1F};
    for (const Layout& layout : layouts(x)) {
      CAPTURE(layout.name);
      CHECK(std::fabs(sum(layout.array).item() - want) <= 2e-6 * want);
    }
  }
  const NDArray tall = NDArray::full({348160, 4}, 0.1, DType::Float32);
  for (const NDArray& got : {sum(tall, {0}), sum(tall.transpose(0, 1), {1})})
    for (const double v : elements(got))
      CHECK(std::fabs(v - 348160 * double{0.1F}) <= 2e-6 * 348160 * double{0.1F});
}

TEST_CASE("sums of whole numbers are exact, and wrap around") {
  const Index most = std::numeric_limits<Index>::max();
  CHECK(sum(NDArray::full({2}, most, DType::Int64)).item<Index>() == -2);
  CHECK(sum(NDArray::full({3, 5}, (Index{1} << 55) + 1, DType::Int64), {0}).data<Index>()[4] ==
        3 * ((Index{1} << 55) + 1));
  CHECK(sum(NDArray::full({40000}, 1, DType::Bool)).item<Index>() == 40000);
}

TEST_CASE("sums of infinities and NaN are what they should be") {
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    CHECK(sum(NDArray::of({1, inf, 2}, {3}, dtype)).item() == inf);
    CHECK(std::isnan(sum(NDArray::of({inf, -inf}, {2}, dtype)).item()));
    CHECK(std::isnan(sum(NDArray::of({1, NaN}, {2, 1}, dtype), {0}).item()));
  }
}

TEST_CASE("sum_to sums what broadcasting repeated") {
  const NDArray x = made({4, 3, 5}, DType::Float64);
  CHECK(sum_to(x, {4, 3, 5}).shares_storage_with(x));
  CHECK(equal(sum_to(x, {5}), sum(x, {0, 1})));
  CHECK(equal(sum_to(x, {4, 1, 5}), sum(x, {1}, true)));
  CHECK(equal(sum_to(x, {1, 5}), sum(x, {0, 1}).view({1, 5})));
  CHECK(equal(sum_to(x, {}), sum(x)));
  CHECK(equal(sum_to(x, {1, 1, 1}), sum(x, {}, true)));
  CHECK(elements(sum_to(made({0, 3}, DType::Float64), {3})) == std::vector<double>(3, 0));
  CHECK(sum_to(made({0, 3}, DType::Float64), {1, 3}).shape() == Shape{1, 3});
  CHECK_THROWS_WITH_AS(sum_to(x, {2, 5}),
                       "sum_to: cannot sum (4, 3, 5) to (2, 5); sizes must be equal or become 1, "
                       "counted from the last dimension",
                       ShapeError);
}

TEST_CASE("NaN wins every choice, wherever it is") {
  for (const DType dtype : {DType::Float32, DType::Float64})
    for (const Index n : {1, 3, 70, 600})
      for (const Index at : {Index{0}, n / 2, n - 1}) {
        NDArray x = made({n, 20}, dtype);
        NDArray place = x.select(0, at).select(0, 7);
        fill_(place, NaN);
        CHECK(std::isnan(amax(x).item()));
        CHECK(std::isnan(amin(x).item()));
        for (const NDArray& got : {amax(x, {0}), amin(x, {0}), max(x, 0).values, min(x, 0).values,
                                   amax(x.transpose(0, 1).contiguous(), {1})})
          for (Index j = 0; j < 20; ++j) CHECK(std::isnan(element(got, j)) == (j == 7));
        CHECK(element<Index>(max(x, 0).indices, 7) == at);
        CHECK(element<Index>(min(x, 0).indices, 7) == at);
      }
  CHECK(max(NDArray::of({1, NaN, 3, NaN}, {4}, DType::Float32), 0).indices.item<Index>() == 1);
}

TEST_CASE("infinities and the least whole number can be chosen") {
  CHECK(amax(NDArray::full({5}, -inf, DType::Float32)).item() == -inf);
  CHECK(amin(NDArray::full({5}, inf, DType::Float64)).item() == inf);
  const Index least = std::numeric_limits<Index>::min();
  CHECK(amax(NDArray::full({5}, least, DType::Int64)).item<Index>() == least);
  CHECK_FALSE(amax(NDArray::full({5}, 0, DType::Bool)).item<bool>());
  CHECK(amin(NDArray::full({5}, 1, DType::Bool)).item<bool>());
}

TEST_CASE("max and min along a dimension give the first of equal elements, whatever the layout") {
  for (const DType dtype : dtypes)
    for (const Shape& shape : shapes) {
      // few different values, so that there are ties
      const NDArray x =
          cast(scattered(shape, DType::Float64, dtype == DType::Bool ? 0 : -3, 1.9), DType::Int64);
      const NDArray typed = cast(x, dtype);
      for (const Layout& layout : layouts(typed))
        for (int d = 0; d < shape.rank(); ++d)
          for (const bool largest : {true, false}) {
            CAPTURE(shape);
            CAPTURE(d);
            CAPTURE(layout.name);
            const auto [values, indices] = largest ? max(layout.array, d) : min(layout.array, d);
            const Shape kept = without(shape, d);
            REQUIRE(values.shape() == kept);
            REQUIRE(indices.shape() == kept);
            CHECK(values.dtype() == dtype);
            CHECK(indices.dtype() == DType::Int64);
            const NDArray lines = layout.array.transpose(d, -1);
            const auto again = largest ? max(layout.array, d - shape.rank(), true)
                                       : min(layout.array, d - shape.rank(), true);
            CHECK(again.values.shape()[d] == 1);
            CHECK(equal(again.values.view(kept), values));
            CHECK(equal(again.indices.view(kept), indices));
            const NDArray value = again.values.transpose(d, -1),
                          index = again.indices.transpose(d, -1);
            bool right = true;
            const Index n = shape[d];
            for (Index i = 0; i < value.size(); ++i) {
              Index best = 0;
              for (Index k = 1; k < n; ++k) {
                const double v = element(lines, i * n + k), b = element(lines, i * n + best);
                if (largest ? v > b : v < b) best = k;
              }
              right &= element<Index>(index, i) == best;
              right &= element(value, i) == element(lines, i * n + best);
            }
            CHECK(right);
          }
    }
}

TEST_CASE("any number of threads gives the same bits in every reduction") {
  const int most = omp_get_max_threads();
  const NDArray big = scattered({300, 700}, DType::Float32);
  const auto results = [&] {
    std::vector<NDArray> all;
    for (const NDArray& x :
         {big, big.transpose(0, 1), big.view({30, 10, 700}), big.view({-1, 6}), big.view({6, -1})})
      for (const Axes& axes : {Axes{}, Axes{0}, Axes{-1}})
        all.push_back(sum(x, axes)), all.push_back(amax(x, axes));
    all.push_back(max(big, 0).values);
    return all;
  };
  omp_set_num_threads(1);
  const std::vector<NDArray> want = results();
  for (const int threads : {2, 3, 8}) {
    omp_set_num_threads(threads);
    const std::vector<NDArray> got = results();
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(equal(got[i], want[i]));
  }
  omp_set_num_threads(most);
}

TEST_CASE("sums have the same bits with every instruction set") {
  const NDArray x = scattered({77, 1003}, DType::Float32);
  const kernels::Isa chosen = kernels::isa();
  std::vector<std::vector<NDArray>> results;
  for (const kernels::Isa isa : kernels::supported_isas()) {
    kernels::use_isa(isa);
    results.emplace_back();
    for (const DType dtype : {DType::Float32, DType::Float64})
      for (const NDArray& a : {cast(x, dtype), cast(x, dtype).transpose(0, 1)})
        for (const Axes& axes : {Axes{}, Axes{0}, Axes{1}}) results.back().push_back(sum(a, axes));
  }
  kernels::use_isa(chosen);
  for (const std::vector<NDArray>& result : results)
    for (std::size_t i = 0; i < result.size(); ++i) CHECK(equal(result[i], results[0][i]));
}
