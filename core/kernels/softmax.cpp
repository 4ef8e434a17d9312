#include "softmax.h"

#include "softmax_row.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

template <class T>
T exp_sum(Index n, const T* x, T most) {
  return sum_along(
      n, [most](auto v) { return exp(v - most); }, x);
}

template <class T>
void softmax(Index rows, Index n, const T* x, T* y) {
  for (Index r = 0; r < rows; ++r, x += n, y += n) softmax_row(n, x, y);
}

template <class T>
void softmax_backward(Index rows, Index n, const T* g, const T* y, T* dx) {
  for (Index r = 0; r < rows; ++r, g += n, y += n, dx += n) {
    const T dot = sum_along(
        n, [](auto a, auto b) { return a * b; }, g, y);
    map_along(
        n, dx, [dot](auto a, auto b) { return b * (a - dot); }, g, y);
  }
}

// Where the largest is infinite or all is NaN: what adding up would give.
template <class T>
T limit(Index n, const T* x, T most) {
  for (Index i = 0; i < n; ++i)
    if (x[i] != x[i]) return x[i];
  return most;
}

template <class T>
void logsumexp(Index rows, Index n, const T* x, T* out) {
  for (Index r = 0; r < rows; ++r, x += n) {
    const T most = largest_along(n, x);
    out[r] = most - most == 0 ? most + log(exp_sum(n, x, most)) : limit(n, x, most);
  }
}

template <class T>
void log_softmax(Index rows, Index n, const T* x, T* y) {
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    const T most = largest_along(n, x), shift = log(exp_sum(n, x, most));
    map_along(
        n, y, [most, shift](auto v) { return v - most - shift; }, x);
  }
}

template <class T>
void log_softmax_backward(Index rows, Index n, const T* g, const T* y, T* dx) {
  for (Index r = 0; r < rows; ++r, g += n, y += n, dx += n) {
    const T total = sum_along(
        n, [](auto v) { return v; }, g);
    map_along(
        n, dx, [total](auto a, auto b) { return a - exp(b) * total; }, g, y);
  }
}

template <class T>
void sum_rows(Index rows, Index n, const T* x, T* out) {
  for (Index r = 0; r < rows; ++r)
    out[r] = sum_along(
        n, [](auto v) { return v; }, x + r * n);
}

template <class T>
void cross_entropy_backward(Index rows, Index n, const T* g, const T* y, T shift, T* dx) {
  for (Index r = 0; r < rows; ++r, y += n, dx += n)
    map_along(
        n, dx, [shift, factor = g[r]](auto v) { return factor * (exp(v) - shift); }, y);
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
                                        here::sum_rows<T>,
                                        here::cross_entropy_backward<T>};
  return table;
}
template const SoftmaxKernels<float>& SoftmaxKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const SoftmaxKernels<double>& SoftmaxKernels<double>::of<Isa::TAPEHEAD_ISA>();

}  // namespace tapehead::core::kernels
