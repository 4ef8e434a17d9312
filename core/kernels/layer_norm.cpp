#include "layer_norm.h"

#include "lanes.h"
#include "math.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

inline float sqrt(float x) { return __builtin_sqrtf(x); }
inline double sqrt(double x) { return __builtin_sqrt(x); }

// Each of these serves both: `centred` is layer norm, otherwise the mean is 0 and there is no bias.

template <class T>
void normalize(Index n, const T* x, T mean, T rstd, const T* weight, const T* bias, T* y) {
  const auto z = [=](auto v) { return (v - mean) * rstd; };
  if (weight && bias)
    map_along(
        n, y, [z](auto v, auto w, auto b) { return z(v) * w + b; }, x, weight, bias);
  else if (weight)
    map_along(
        n, y, [z](auto v, auto w) { return z(v) * w; }, x, weight);
  else if (bias)
    map_along(
        n, y, [z](auto v, auto b) { return z(v) + b; }, x, bias);
  else
    map_along(n, y, z, x);
}

// 1 / sqrt(squares / n + eps), where `squares` adds up those of x - center. What overflows T is
// added up once more in double, and what overflows that gives NaN, not 0.
template <class T>
T inverse_root(Index n, const T* x, T center, T squares, T eps) {
  const T variance = squares / static_cast<T>(n) + eps;
  if (variance < static_cast<T>(__builtin_inff())) return T{1} / sqrt(variance);
  double wide = 0;
  for (Index i = 0; i < n; ++i) {
    const double d = static_cast<double>(x[i]) - static_cast<double>(center);
    wide += d * d;
  }
  wide = wide / static_cast<double>(n) + static_cast<double>(eps);
  return static_cast<T>(wide < __builtin_inf() ? 1 / sqrt(wide) : __builtin_nan(""));
}

// The variance from the differences to the mean: no cancellation.
template <bool centred, class T>
void forward(Index rows, Index n, const T* x, const T* weight, const T* bias, T eps, T* y, T* mean,
             T* rstd) {
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    T center = 0;
    if constexpr (centred)
      center = mean[r] = sum_along(
                             n, [](auto v) { return v; }, x) /
                         static_cast<T>(n);
    const T squares = sum_along(
        n,
        [center](auto v) {
          const auto d = v - center;
          return d * d;
        },
        x);
    rstd[r] = inverse_root(n, x, center, squares, eps);
    normalize(n, x, center, rstd[r], weight, bias, y);
  }
}

// Sums of h and h z over the row, on the way adding g z to dweight and g to dbias.
template <class T>
struct RowSums {
  Lanes<T> h = all(T{0}), hz = all(T{0});
  T mean, rstd;

  void take(const Lanes<T>& g, const Lanes<T>& x, const Lanes<T>& w, Lanes<T>& dw) {
    for (int i = 0; i < parts; ++i) {
      const Vec<T> z = (x.part[i] - mean) * rstd, scaled = rounded(g.part[i] * w.part[i]);
      h.part[i] += scaled;
      hz.part[i] += scaled * z;
      dw.part[i] += g.part[i] * z;
    }
  }
};

template <bool centred, class T>
RowSums<T> add_row(Index n, const T* g, const T* x, const T* weight, T mean, T rstd, T* dweight,
                   T* dbias) {
  RowSums<T> sums{.mean = mean, .rstd = rstd};
  for (Index i = 0; i < n; i += lanes<T>) {
    const Index left = n - i;
    if (left >= lanes<T>) {
      const Lanes<T> slope = load_lanes(g + i);
      Lanes<T> dw = load_lanes(dweight + i);
      sums.take(slope, load_lanes(x + i), weight ? load_lanes(weight + i) : all(T{1}), dw);
      store_lanes(dweight + i, dw);
      if constexpr (centred) {
        Lanes<T> db = load_lanes(dbias + i);
        add(db, slope);
        store_lanes(dbias + i, db);
      }
    } else {
      const Lanes<T> slope = load_lanes(g + i, left);
      Lanes<T> dw = load_lanes(dweight + i, left);
      sums.take(slope, load_lanes(x + i, left, mean),
                weight ? load_lanes(weight + i, left) : all(T{1}), dw);
      store_lanes(dweight + i, left, dw);
      if constexpr (centred) {
        Lanes<T> db = load_lanes(dbias + i, left);
        add(db, slope);
        store_lanes(dbias + i, left, db);
      }
    }
  }
  return sums;
}

template <bool centred, class T>
void backward(Index rows, Index n, const T* g, const T* x, const T* weight, const T* mean,
              const T* rstd, T* dx, T* dweight, T* dbias) {
  for (Index r = 0; r < rows; ++r, g += n, x += n, dx += n) {
    T center = 0, mean_h = 0;
    const T scale = rstd[r];
    if constexpr (centred) center = mean[r];
    const RowSums<T> sums = add_row<centred>(n, g, x, weight, center, scale, dweight, dbias);
    if constexpr (centred) mean_h = sum(sums.h) / static_cast<T>(n);
    const T mean_hz = sum(sums.hz) / static_cast<T>(n);
    const auto slope = [=](auto h, auto v) {
      return scale * (h - mean_h - (v - center) * scale * mean_hz);
    };
    if (weight)
      map_along(
          n, dx, [slope](auto d, auto v, auto w) { return slope(rounded(d * w), v); }, g, x,
          weight);
    else
      map_along(n, dx, slope, g, x);
  }
}

}  // namespace
}  // namespace TAPEHEAD_ISA

template <class T>
template <Isa>
const LayerNormKernels<T>& LayerNormKernels<T>::of() {
  static constexpr LayerNormKernels table{
      TAPEHEAD_ISA::forward<true, T>, TAPEHEAD_ISA::backward<true, T>,
      TAPEHEAD_ISA::forward<false, T>, TAPEHEAD_ISA::backward<false, T>};
  return table;
}
template const LayerNormKernels<float>& LayerNormKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const LayerNormKernels<double>& LayerNormKernels<double>::of<Isa::TAPEHEAD_ISA>();

}  // namespace tapehead::core::kernels
