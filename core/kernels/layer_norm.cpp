#include "layer_norm.h"

#include "isa.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

inline float sqrt(float x) { return __builtin_sqrtf(x); }
inline double sqrt(double x) { return __builtin_sqrt(x); }

template <class T>
void forward(Index rows, Index n, const T* x, const T* weight, const T* bias, T eps, T* y, T* mean,
             T* rstd) {
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    T total = 0, squares = 0;
    for (Index i = 0; i < n; ++i) total += x[i];
    const T center = mean[r] = total / static_cast<T>(n);
    for (Index i = 0; i < n; ++i) squares += (x[i] - center) * (x[i] - center);
    const T scale = rstd[r] = T{1} / sqrt(squares / static_cast<T>(n) + eps);
    for (Index i = 0; i < n; ++i)
      y[i] = (x[i] - center) * scale * (weight ? weight[i] : T{1}) + (bias ? bias[i] : T{0});
  }
}

template <class T>
void backward(Index rows, Index n, const T* g, const T* x, const T* weight, const T* mean,
              const T* rstd, T* dx, T* dweight, T* dbias) {
  for (Index r = 0; r < rows; ++r, g += n, x += n, dx += n) {
    T sum_h = 0, sum_hz = 0;
    for (Index i = 0; i < n; ++i) {
      const T z = (x[i] - mean[r]) * rstd[r], h = weight ? g[i] * weight[i] : g[i];
      sum_h += h, sum_hz += h * z;
      dweight[i] += g[i] * z, dbias[i] += g[i];
    }
    const T mean_h = sum_h / static_cast<T>(n), mean_hz = sum_hz / static_cast<T>(n);
    for (Index i = 0; i < n; ++i) {
      const T z = (x[i] - mean[r]) * rstd[r], h = weight ? g[i] * weight[i] : g[i];
      dx[i] = rstd[r] * (h - mean_h - z * mean_hz);
    }
  }
}

}  // namespace
}  // namespace TAPEHEAD_ISA

template <class T>
template <Isa>
const LayerNormKernels<T>& LayerNormKernels<T>::of() {
  static constexpr LayerNormKernels table{TAPEHEAD_ISA::forward<T>, TAPEHEAD_ISA::backward<T>};
  return table;
}
template const LayerNormKernels<float>& LayerNormKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const LayerNormKernels<double>& LayerNormKernels<double>::of<Isa::TAPEHEAD_ISA>();

}  // namespace tapehead::core::kernels
