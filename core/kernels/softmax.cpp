#include "softmax.h"

#include <math.h>

#include "isa.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

inline float exp(float x) { return ::expf(x); }
inline double exp(double x) { return ::exp(x); }
inline float log(float x) { return ::logf(x); }
inline double log(double x) { return ::log(x); }

template <class T>
T maximum(Index n, const T* x) {
  T most = -__builtin_inff();
  for (Index i = 0; i < n; ++i) most = x[i] > most || x[i] != x[i] ? x[i] : most;
  return most;
}

template <class T>
void softmax(Index rows, Index n, const T* x, T* y) {
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    const T most = maximum(n, x);
    T total = 0;
    for (Index i = 0; i < n; ++i) total += y[i] = exp(x[i] - most);
    for (Index i = 0; i < n; ++i) y[i] /= total;
  }
}

template <class T>
void softmax_backward(Index rows, Index n, const T* g, const T* y, T* dx) {
  for (Index r = 0; r < rows; ++r, g += n, y += n, dx += n) {
    T dot = 0;
    for (Index i = 0; i < n; ++i) dot += g[i] * y[i];
    for (Index i = 0; i < n; ++i) dx[i] = y[i] * (g[i] - dot);
  }
}

template <class T>
T logsumexp_of(Index n, const T* x) {
  const T most = maximum(n, x);
  if (most - most != 0) return most;  // -inf, inf or NaN
  T total = 0;
  for (Index i = 0; i < n; ++i) total += exp(x[i] - most);
  return most + log(total);
}

template <class T>
void logsumexp(Index rows, Index n, const T* x, T* out) {
  for (Index r = 0; r < rows; ++r) out[r] = logsumexp_of(n, x + r * n);
}

template <class T>
void log_softmax(Index rows, Index n, const T* x, T* y) {
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    const T most = maximum(n, x);
    T total = 0;
    for (Index i = 0; i < n; ++i) total += exp(x[i] - most);
    const T shift = log(total);
    for (Index i = 0; i < n; ++i) y[i] = x[i] - most - shift;
  }
}

template <class T>
void log_softmax_backward(Index rows, Index n, const T* g, const T* y, T* dx) {
  for (Index r = 0; r < rows; ++r, g += n, y += n, dx += n) {
    T total = 0;
    for (Index i = 0; i < n; ++i) total += g[i];
    for (Index i = 0; i < n; ++i) dx[i] = g[i] - exp(y[i]) * total;
  }
}

template <class T>
void sum(Index rows, Index n, const T* x, T* out) {
  for (Index r = 0; r < rows; ++r) {
    T total = 0;
    for (Index i = 0; i < n; ++i) total += x[r * n + i];
    out[r] = total;
  }
}

template <class T>
void cross_entropy_backward(Index rows, Index n, const T* g, const T* x, const T* logsumexp,
                            T shift, T* dx) {
  for (Index r = 0; r < rows; ++r, x += n, dx += n)
    for (Index i = 0; i < n; ++i) dx[i] = g[r] * (exp(x[i] - logsumexp[r]) - shift);
}

}  // namespace
}  // namespace TAPEHEAD_ISA

template <class T>
template <Isa>
const SoftmaxKernels<T>& SoftmaxKernels<T>::of() {
  namespace here = TAPEHEAD_ISA;
  static constexpr SoftmaxKernels table{here::softmax<T>,
                                        here::softmax_backward<T>,
                                        here::log_softmax<T>,
                                        here::log_softmax_backward<T>,
                                        here::logsumexp<T>,
                                        here::sum<T>,
                                        here::cross_entropy_backward<T>};
  return table;
}
template const SoftmaxKernels<float>& SoftmaxKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const SoftmaxKernels<double>& SoftmaxKernels<double>::of<Isa::TAPEHEAD_ISA>();

}  // namespace tapehead::core::kernels
