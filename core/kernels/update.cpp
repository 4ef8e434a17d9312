// PyTorch rounds a x + b once, in these places and no others; so fma is written out, and this file
// is compiled with -ffp-contract=off.
#include "update.h"

#include "isa.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float root(float x) { return __builtin_sqrtf(x); }
inline double root(double x) { return __builtin_sqrt(x); }

template <class T>
void sgd_plain(Index n, const typename UpdateKernels<T>::Sgd& step, T* __restrict p,
               const T* __restrict g) {
  const T minus_lr = step.minus_lr, decay = step.weight_decay;
  if (decay == 0)
    for (Index i = 0; i < n; ++i) p[i] = fma(g[i], minus_lr, p[i]);
  else
    for (Index i = 0; i < n; ++i) p[i] = fma(fma(p[i], decay, g[i]), minus_lr, p[i]);
}

template <bool nesterov, class T>
void sgd_momentum(Index n, const typename UpdateKernels<T>::Sgd& step, T* __restrict p,
                  const T* __restrict g, T* __restrict b) {
  const T minus_lr = step.minus_lr, decay = step.weight_decay, momentum = step.momentum,
          undamped = step.undamped;
  const bool first = step.first;
  for (Index i = 0; i < n; ++i) {
    const T d = decay == 0 ? g[i] : fma(p[i], decay, g[i]);
    b[i] = first ? d : fma(d, undamped, b[i] * momentum);
    p[i] = fma(nesterov ? fma(b[i], momentum, d) : b[i], minus_lr, p[i]);
  }
}

template <class T>
void sgd(Index n, const typename UpdateKernels<T>::Sgd& step, T* p, const T* g, T* b) {
  if (!b) return sgd_plain<T>(n, step, p, g);
  if (step.nesterov) return sgd_momentum<true>(n, step, p, g, b);
  sgd_momentum<false>(n, step, p, g, b);
}

template <class T>
void adam(Index n, const typename UpdateKernels<T>::Adam& step, T* __restrict p,
          const T* __restrict g, T* __restrict m, T* __restrict v) {
  const typename UpdateKernels<T>::Adam s = step;
  for (Index i = 0; i < n; ++i) {
    const T kept = p[i] * s.keep;
    const T d = s.l2 == 0 ? g[i] : fma(kept, s.l2, g[i]);
    m[i] = fma(d, s.one_minus_beta1, m[i] * s.beta1);
    v[i] = fma(s.one_minus_beta2 * d, d, v[i] * s.beta2);
    p[i] = kept + s.minus_step_size * m[i] / (root(v[i]) / s.root_correction + s.eps);
  }
}

constexpr Index lanes = 16;

template <class T>
double sum_of_squares(Index n, const T* x) {
  double total[lanes] = {};
  const Index whole = n - n % lanes;
  for (Index i = 0; i < whole; i += lanes)
    for (Index k = 0; k < lanes; ++k) {
      const auto value = static_cast<double>(x[i + k]);
      total[k] += value * value;
    }
  double result = 0;
  for (Index i = whole; i < n; ++i) result += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  for (Index k = 0; k < lanes; ++k) result += total[k];
  return result;
}

}  // namespace
}  // namespace TAPEHEAD_ISA

template <class T>
template <Isa>
const UpdateKernels<T>& UpdateKernels<T>::of() {
  namespace here = TAPEHEAD_ISA;
  static constexpr UpdateKernels table{here::sgd<T>, here::adam<T>, here::sum_of_squares<T>};
  return table;
}
template const UpdateKernels<float>& UpdateKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const UpdateKernels<double>& UpdateKernels<double>::of<Isa::TAPEHEAD_ISA>();

}  // namespace tapehead::core::kernels
