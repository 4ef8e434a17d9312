#include <doctest/doctest.h>
#include <tapehead/core/layer_norm.h>

#include <cmath>

#include "kernel_settings.h"
#include "layouts.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

using Row = std::vector<double>;

void check_close(const NDArray& got, const Row& want, double tolerance) {
  REQUIRE(got.size() == static_cast<Index>(want.size()));
  double worst = 0;
  for (Index i = 0; i < got.size(); ++i) {
    const double w = want[static_cast<std::size_t>(i)];
    worst = std::max(worst, std::abs(element(got, i) - w) / (1 + std::abs(w)));
  }
  CHECK(worst <= tolerance);
}

// Everything by its formula, in double; without centring it is RMS norm's.
struct Expected {
  Row y, mean, rstd, dx, dweight, dbias;

  Expected(const NDArray& x, Index n, const NDArray& weight, const NDArray& bias, double eps,
           const NDArray& g, bool centred = true) {
    const auto w = [&](Index i) { return weight.defined() ? element(weight, i) : 1; };
    dweight.assign(static_cast<std::size_t>(n), 0), dbias = dweight;
    for (Index r = 0; n > 0 && r < x.size() / n; ++r) {
      double sum = 0, squares = 0, sum_h = 0, sum_hz = 0;
      for (Index i = 0; i < n; ++i) sum += element(x, r * n + i);
      const double m = centred ? sum / static_cast<double>(n) : 0;
      for (Index i = 0; i < n; ++i) squares += std::pow(element(x, r * n + i) - m, 2);
      const double s = 1 / std::sqrt(squares / static_cast<double>(n) + eps);
      mean.push_back(m), rstd.push_back(s);
      const auto z = [&](Index i) { return (element(x, r * n + i) - m) * s; };
      for (Index i = 0; i < n; ++i) {
        const double gi = element(g, r * n + i), h = gi * w(i);
        y.push_back(z(i) * w(i) + (bias.defined() ? element(bias, i) : 0));
        if (centred) sum_h += h;
        sum_hz += h * z(i);
        dweight[static_cast<std::size_t>(i)] += gi * z(i);
        dbias[static_cast<std::size_t>(i)] += gi;
      }
      for (Index i = 0; i < n; ++i)
        dx.push_back(
            s * (element(g, r * n + i) * w(i) - (sum_h + z(i) * sum_hz) / static_cast<double>(n)));
    }
  }
};

void check_layer_norm(const NDArray& x, const Shape& normalized, const NDArray& weight,
                      const NDArray& bias, const NDArray& g) {
  const double tolerance = x.dtype() == DType::Float32 ? 2e-5 : 3e-14;
  const Expected want(x, numel(normalized), weight, bias, 1e-3, g);
  const LayerNorm got = layer_norm(x, normalized, weight, bias, 1e-3);
  CHECK(got.y.shape() == x.shape());
  CHECK(got.y.is_contiguous());
  CHECK(got.mean.rank() == x.rank() - normalized.rank());
  check_close(got.y, want.y, tolerance);
  check_close(got.mean, want.mean, tolerance);
  check_close(got.rstd, want.rstd, tolerance);
  const LayerNormGrads grads = layer_norm_backward(g, x, normalized, weight, got.mean, got.rstd);
  CHECK(grads.x.shape() == x.shape());
  CHECK(grads.weight.shape() == normalized);
  check_close(grads.x, want.dx, tolerance);
  check_close(grads.weight, want.dweight, 5 * tolerance);
  check_close(grads.bias, want.dbias, 5 * tolerance);
}

void check_rms_norm(const NDArray& x, const Shape& normalized, const NDArray& weight,
                    const NDArray& g) {
  const double tolerance = x.dtype() == DType::Float32 ? 2e-5 : 3e-14;
  const Expected want(x, numel(normalized), weight, {}, 1e-3, g, false);
  const LayerNorm got = rms_norm(x, normalized, weight, 1e-3);
  CHECK(got.y.shape() == x.shape());
  CHECK_FALSE(got.mean.defined());
  check_close(got.y, want.y, tolerance);
  check_close(got.rstd, want.rstd, tolerance);
  const LayerNormGrads grads = rms_norm_backward(g, x, normalized, weight, got.rstd);
  CHECK(grads.x.shape() == x.shape());
  CHECK(grads.weight.shape() == normalized);
  CHECK_FALSE(grads.bias.defined());
  check_close(grads.x, want.dx, tolerance);
  check_close(grads.weight, want.dweight, 5 * tolerance);
}

}  // namespace

TEST_CASE(
    "layer_norm, rms_norm and their derivatives follow their formulas, whatever the sizes and "
    "strides") {
  for (const kernels::Isa isa : kernels::supported_isas()) {
    const UseIsa with(isa);
    CAPTURE(kernels::name(isa));
    for (const DType dtype : {DType::Float32, DType::Float64})
      for (const Shape& shape : std::vector<Shape>{{7}, {3, 5}, {2, 3, 64}, {4, 1, 37}, {90, 70}}) {
        const Shape last{shape[-1]};
        const NDArray weight = scattered(last, dtype, -1, 2), bias = scattered(last, dtype, -2, 1);
        for (const Layout& x : layouts(scattered(shape, dtype)))
          for (const Layout& g : layouts(scattered(shape, dtype, -2, 1))) {
            CAPTURE(shape);
            CAPTURE(x.name);
            CAPTURE(g.name);
            check_layer_norm(x.array, last, weight, bias, g.array);
            check_rms_norm(x.array, last, weight, g.array);
          }
        const NDArray x = scattered(shape, dtype), g = scattered(shape, dtype, -2, 1);
        check_layer_norm(x, last, {}, {}, g);
        check_layer_norm(x, last, weight, {}, g);
        check_layer_norm(x, last, {}, bias, g);
        check_layer_norm(x, shape, scattered(shape, dtype), {}, g);
        check_rms_norm(x, last, {}, g);
        check_rms_norm(x, shape, scattered(shape, dtype), g);
      }
  }
}

TEST_CASE("layer_norm of a row far from zero keeps its digits") {
  NDArray x = NDArray::full({1, 64}, 4096, DType::Float32);
  x.mutable_data<float>()[0] += 1;
  const Expected want(x, 64, {}, {}, 1e-5, x);
  check_close(layer_norm(x, {64}, {}, {}, 1e-5).y, want.y, 1e-6);
}

TEST_CASE("layer_norm of nothing is empty, with derivatives of zero") {
  const NDArray x = NDArray::full({0, 3}, 0, DType::Float32);
  const NDArray weight = NDArray::full({3}, 2, DType::Float32);
  const LayerNorm got = layer_norm(x, {3}, weight, {}, 1e-5);
  CHECK(got.y.shape() == Shape{0, 3});
  CHECK(got.mean.shape() == Shape{0});
  const LayerNormGrads grads = layer_norm_backward(x, x, {3}, weight, got.mean, got.rstd);
  CHECK(elements(grads.weight) == Row(3, 0));
  CHECK(elements(grads.bias) == Row(3, 0));
  const LayerNorm rms = rms_norm(x, {3}, weight, 1e-5);
  CHECK(rms.y.shape() == Shape{0, 3});
  CHECK(elements(rms_norm_backward(x, x, {3}, weight, rms.rstd).weight) == Row(3, 0));
}

TEST_CASE("layer_norm has the same bits on any number of threads, and with AVX2 and AVX-512") {
  for (const DType dtype : {DType::Float32, DType::Float64})
    for (const Shape& shape : std::vector<Shape>{{700, 50}, {5000, 16}, {20, 1000}}) {
      const Shape last{shape[-1]};
      const NDArray x = scattered(shape, dtype), weight = scattered(last, dtype);
      same_bits([&] {
        const LayerNorm y = layer_norm(x, last, weight, weight, 1e-5);
        const LayerNormGrads g = layer_norm_backward(x, x, last, weight, y.mean, y.rstd);
        return std::vector{y.y, y.mean, y.rstd, g.x, g.weight, g.bias};
      });
      same_bits([&] {
        const LayerNorm y = rms_norm(x, last, weight, 1e-5);
        const LayerNormGrads g = rms_norm_backward(x, x, last, weight, y.rstd);
        return std::vector{y.y, y.rstd, g.x, g.weight};
      });
    }
}

TEST_CASE("what layer_norm refuses, it names with the way out") {
  const auto f = [](Shape shape) { return NDArray::full(shape, 1, DType::Float32); };
  const NDArray x = f({2, 3}), rows = f({2});
  CHECK_THROWS_WITH_AS(layer_norm(x, {2}, {}, {}, 1e-5),
                       "layer_norm: the last dimensions of (2, 3) must be (2); normalize over the "
                       "last sizes of x",
                       ShapeError);
  CHECK_THROWS_WITH_AS(layer_norm(x, {}, {}, {}, 1e-5),
                       "layer_norm: the shape to normalize over has no dimensions; give the last "
                       "sizes of (2, 3)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(layer_norm(x, {3}, f({2}), {}, 1e-5),
                       "layer_norm: weight must have shape (3), got (2)", ShapeError);
  CHECK_THROWS_WITH_AS(layer_norm(x, {3}, {}, NDArray::full({3}, 1, DType::Float64), 1e-5),
                       "layer_norm: bias must be Float32, got Float64; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      layer_norm(NDArray::full({3}, 1, DType::Int64), {3}, {}, {}, 1e-5),
      "layer_norm: expected Float32 or Float64, got Int64; convert with .to(Float32)", DTypeError);
  CHECK_THROWS_WITH_AS(rms_norm(x, {3}, f({2}), 1e-5),
                       "rms_norm: weight must have shape (3), got (2)", ShapeError);
  CHECK_THROWS_WITH_AS(layer_norm_backward(f({3, 2}), x, {3}, {}, rows, rows),
                       "layer_norm_backward: the gradient must have shape (2, 3), got (3, 2)",
                       ShapeError);
}
