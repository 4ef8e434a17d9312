#include <doctest/doctest.h>
#include <tapehead/core/softmax.h>

#include <cmath>
#include <limits>

#include "kernel_settings.h"
#include "layouts.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
using Row = std::vector<double>;

double rounding(DType dtype) { return dtype == DType::Float32 ? 6e-7 : 4e-15; }

double log_sum_exp(const Row& x) {
  double most = -inf, sum = 0;
  for (const double v : x) most = std::max(most, v);
  for (const double v : x) sum += std::exp(v - most);
  return x.empty() ? -inf : most + std::log(sum);
}

Row row_of(const NDArray& x, int d, Index outer, Index inner) {
  Row row;
  Index step = 1;
  for (int i = d + 1; i < x.rank(); ++i) step *= x.shape()[i];
  const Index n = x.rank() == 0 ? 1 : x.shape()[d];
  for (Index j = 0; j < n; ++j) row.push_back(element(x, (outer * n + j) * step + inner));
  return row;
}

// Runs f(rows along d of each array) for every row.
template <class F, class... Arrays>
void for_rows_along(int d, const F& f, const NDArray& x, const Arrays&... others) {
  Index outer = 1, inner = 1;
  for (int i = 0; i < x.rank(); ++i) (i < d ? outer : inner) *= i == d ? 1 : x.shape()[i];
  for (Index o = 0; o < outer; ++o)
    for (Index i = 0; i < inner; ++i) f(row_of(x, d, o, i), row_of(others, d, o, i)...);
}

// The largest difference, relative to numbers above 1.
double difference(const Row& got, const Row& want) {
  if (got.size() != want.size()) return inf;
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    worst = std::max(worst, std::abs(got[i] - want[i]) / (1 + std::abs(want[i])));
  return worst;
}

void check_close(const Row& got, const Row& want, double tolerance) {
  CHECK(difference(got, want) <= tolerance);
}

Row softmax_of(const Row& x) {
  Row y;
  const double total = log_sum_exp(x);
  for (const double v : x) y.push_back(std::exp(v - total));
  return y;
}

// f(x, d) for every dimension of awkward shapes in every layout.
template <class F>
void along_everything(DType dtype, const F& f) {
  for (const Shape& shape : awkward_shapes())
    for (const Layout& x : layouts(scattered(shape, dtype, -20, 20)))
      for (int d = 0; d < std::max(1, shape.rank()); ++d) {
        CAPTURE(shape);
        CAPTURE(x.name);
        CAPTURE(d);
        f(x.array, d);
      }
}

NDArray numbers(std::initializer_list<double> values, DType dtype = DType::Float64) {
  return NDArray::of(values, {static_cast<Index>(values.size())}, dtype);
}

}  // namespace

TEST_CASE("softmax and log_softmax follow their formulas along any dimension") {
  on_every_isa([](DType dtype) {
    along_everything(dtype, [&](const NDArray& x, int d) {
      const NDArray y = softmax(x, d), z = log_softmax(x, d - x.rank());
      CHECK(y.shape() == x.shape());
      CHECK(y.is_contiguous());
      double worst = 0;
      for_rows_along(
          d,
          [&](const Row& in, const Row& p, const Row& log_p) {
            Row logs;
            for (const double v : in) logs.push_back(v - log_sum_exp(in));
            worst = std::max({worst, difference(p, softmax_of(in)), difference(log_p, logs)});
          },
          x, y, z);
      CHECK(worst <= rounding(dtype));
    });
  });
}

TEST_CASE("the derivatives of softmax and log_softmax follow their formulas") {
  on_every_isa([](DType dtype) {
    along_everything(dtype, [&](const NDArray& x, int d) {
      const NDArray g = scattered(x.shape(), dtype, -1, 2), y = softmax(x, d),
                    z = log_softmax(x, d);
      const NDArray dy = softmax_backward(g, y, d), dz = log_softmax_backward(g, z, d);
      double worst = 0;
      for_rows_along(
          d,
          [&](const Row& in, const Row& gradient, const Row& a, const Row& b) {
            const Row p = softmax_of(in);
            double dot = 0, sum = 0;
            for (std::size_t i = 0; i < p.size(); ++i)
              dot += gradient[i] * p[i], sum += gradient[i];
            Row want_a, want_b;
            for (std::size_t i = 0; i < p.size(); ++i) {
              want_a.push_back(p[i] * (gradient[i] - dot));
              want_b.push_back(gradient[i] - p[i] * sum);
            }
            worst = std::max(
                {worst, difference(a, want_a), difference(b, want_b) / (1 + std::abs(sum))});
          },
          x, g, dy, dz);
      CHECK(worst <= 3 * rounding(dtype));
    });
  });
}

TEST_CASE("logsumexp reduces any axes, one at a time or together") {
  on_every_isa([](DType dtype) {
    for (const Layout& each : layouts(scattered({3, 4, 37}, dtype, -20, 20))) {
      const NDArray& x = each.array;
      for (int d = 0; d < 3; ++d) {
        Row want;
        for_rows_along(
            d, [&](const Row& row) { want.push_back(log_sum_exp(row)); }, x);
        check_close(elements(logsumexp(x, {d})), want, rounding(dtype));
        check_close(elements(logsumexp(x, {d - 3}, true)), want, rounding(dtype));
      }
      CHECK(logsumexp(x, {1}).shape() == Shape{3, 37});
      CHECK(logsumexp(x, {2, 0}, true).shape() == Shape{1, 4, 1});
      Row want;
      const NDArray rows = x.permute({1, 0, 2}).contiguous().view({4, 3 * 37});
      for_rows_along(
          1, [&](const Row& row) { want.push_back(log_sum_exp(row)); }, rows);
      check_close(elements(logsumexp(x, {2, 0})), want, rounding(dtype));
      check_close(elements(logsumexp(x, {})), {log_sum_exp(elements(x))}, rounding(dtype));
    }
  });
  CHECK(logsumexp(NDArray::full({}, 3, DType::Float64), {0}).item() == 3);
  CHECK(elements(logsumexp(NDArray::full({2, 0}, 0, DType::Float64), {1})) == Row{-inf, -inf});
  CHECK(logsumexp(NDArray::full({0, 2}, 0, DType::Float64), {1}).shape() == Shape{0});
}

TEST_CASE("large, infinite and missing numbers go through softmax as they do through its limit") {
  check_close(elements(softmax(numbers({1000, 1000, -1000}), 0)), {0.5, 0.5, 0}, 0);
  check_close(elements(softmax(numbers({-inf, 0, -inf}), 0)), {0, 1, 0}, 0);
  CHECK(std::isnan(element(softmax(numbers({-inf, -inf}), 0), 0)));
  CHECK(std::isnan(element(softmax(numbers({1, NAN}), 0), 0)));
  CHECK(elements(log_softmax(numbers({-inf, 0, -inf}), 0)) == Row{-inf, 0, -inf});
  CHECK(logsumexp(numbers({-inf, -inf}), {}).item() == -inf);
  CHECK(logsumexp(numbers({inf, 1}), {}).item() == inf);
  CHECK(std::isnan(logsumexp(numbers({inf, NAN}), {}).item()));
  CHECK(std::isnan(logsumexp(numbers({NAN, -inf}), {}).item()));
  CHECK(logsumexp(numbers({1e4, 1e4}, DType::Float32), {}).item() ==
        static_cast<double>(static_cast<float>(1e4 + std::log(2.))));
}

TEST_CASE("cross_entropy is minus the log-probability of the target, smoothed on demand") {
  on_every_isa([](DType dtype) {
    const Index classes = 37;
    const NDArray target = NDArray::of({0, 36, -7, 5, 5}, {5}, DType::Int64);
    for (const double smooth : {0., 0.1, 1.})
      for (const Layout& each : layouts(scattered({5, classes}, dtype, -8, 8))) {
        const CrossEntropy result = cross_entropy(each.array, target, -7, smooth);
        const NDArray g = scattered({5}, dtype);
        const Row slopes =
            elements(cross_entropy_backward(g, result.log_softmax, target, -7, smooth));
        Row losses, logs, want;
        Index r = 0;
        for_rows_along(
            1,
            [&](const Row& row) {
              const double total = log_sum_exp(row);
              const Index label = element<Index>(target, r);
              double loss = 0;
              for (Index c = 0; c < classes; ++c) {
                const double q = (c == label ? 1 - smooth : 0) + smooth / classes;
                const double x = row[static_cast<std::size_t>(c)];
                if (label >= 0) loss += q * (total - x);
                want.push_back(label < 0 ? 0 : element(g, r) * (std::exp(x - total) - q));
              }
              for (const double x : row) logs.push_back(x - total);
              losses.push_back(loss), ++r;
            },
            each.array);
        check_close(elements(result.loss), losses, 2 * rounding(dtype));
        check_close(elements(result.log_softmax), logs, rounding(dtype));
        check_close(slopes, want, 2 * rounding(dtype));
      }
  });
}

TEST_CASE("cross_entropy of no rows is empty, and of rows that are all ignored it is 0") {
  const NDArray none = NDArray::full({0, 3}, 0, DType::Float32);
  const NDArray no_targets = NDArray::full({0}, 0, DType::Int64);
  CHECK(cross_entropy(none, no_targets, -100, 0).loss.shape() == Shape{0});
  const NDArray x = scattered({2, 3}, DType::Float32);
  const NDArray ignored = NDArray::full({2}, -100, DType::Int64);
  const CrossEntropy result = cross_entropy(x, ignored, -100, 0);
  CHECK(elements(result.loss) == Row{0, 0});
  CHECK(elements(cross_entropy_backward(result.loss, result.log_softmax, ignored, -100, 0)) ==
        Row(6, 0));
}

TEST_CASE("row kernels have the same bits on any number of threads, and with AVX2 and AVX-512") {
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    const NDArray x = scattered({300, 333}, dtype, -9, 9), g = scattered({300, 333}, dtype);
    const NDArray target = NDArray::full({300}, 4, DType::Int64);
    same_bits([&] {
      const CrossEntropy loss = cross_entropy(x, target, 0, 0.1);
      return std::vector{softmax(x, 1),
                         softmax(x, 0),
                         log_softmax(x, 1),
                         softmax_backward(g, x, 1),
                         log_softmax_backward(g, x, 1),
                         logsumexp(x, {1}),
                         loss.loss,
                         cross_entropy_backward(loss.loss, loss.log_softmax, target, 0, 0.1)};
    });
  }
}

TEST_CASE("what softmax and its relatives refuse, they name with the way out") {
  const NDArray x = NDArray::full({2, 3}, 0, DType::Float32), y = x.transpose(0, 1);
  const NDArray wide = NDArray::full({2, 3}, 0, DType::Float64);
  const NDArray whole = NDArray::full({2, 3}, 0, DType::Int64);
  CHECK_THROWS_WITH_AS(softmax(x, 2),
                       "softmax: dimension 2 is out of range for a tensor of 2 dimensions; use -2 "
                       "to 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(softmax(whole, 0),
                       "softmax: expected Float32 or Float64, got Int64; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      softmax_backward(y, x, 0),
      "softmax_backward: the gradient must have the output's shape (2, 3), got (3, 2)", ShapeError);
  CHECK_THROWS_WITH_AS(log_softmax_backward(wide, x, 0),
                       "log_softmax_backward: the gradient must have the output's dtype Float32, "
                       "got Float64; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(logsumexp(x, {0, -2}),
                       "logsumexp: axes (0, -2) name dimension 0 twice; name each once",
                       ShapeError);
  const NDArray labels = NDArray::of({0, 3}, {2}, DType::Int64);
  CHECK_THROWS_WITH_AS(cross_entropy(x, labels, -100, 0),
                       "cross_entropy: target 3 of row 1 is not one of 3 classes; use 0 to 2, or "
                       "ignore_index to skip a row",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cross_entropy(NDArray::full({2, 0}, 0, DType::Float32), labels, -100, 0),
                       "cross_entropy: target 0 of row 0 cannot be met, since the input has no "
                       "classes; give it one at least",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cross_entropy(x, whole, -100, 0),
                       "cross_entropy: expected logits (N, C) and targets (N), got (2, 3) and (2, "
                       "3); flatten leading dimensions with view({-1, C})",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cross_entropy(x, x.select(1, 0), -100, 0),
                       "cross_entropy: targets are class numbers of dtype Int64, got Float32; "
                       "convert with .to(Int64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(cross_entropy(x, labels, -100, 1.5),
                       "cross_entropy: label_smoothing must be between 0 and 1, got 1.5", Error);
  CHECK_THROWS_WITH_AS(cross_entropy_backward(labels, x, labels, -100, 0),
                       "cross_entropy_backward: the gradient must be Float32 of shape (2), got "
                       "Int64 of shape (2)",
                       ShapeError);
}
