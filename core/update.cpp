#include "update.h"

#include <vector>

#include "detail/inplace.h"
#include "detail/parallel.h"
#include "elementwise.h"
#include "kernels/dispatch.h"
#include "kernels/update.h"

namespace tapehead::core {
namespace {

template <class T>
using StepKernels = kernels::UpdateKernels<T>;

constexpr Index step_cost = 8;  // of one element, in additions

// f(parameter) with a row-major parameter, which is written back where it was another layout.
template <class F>
void on_row_major(const char* op, NDArray& parameter, F f) {
  if (parameter.is_contiguous()) return f(parameter);
  NDArray copy = parameter.clone();
  f(copy);
  copy_(parameter, copy, op);
}

}  // namespace

void sgd_(NDArray& parameter, const NDArray& gradient, NDArray& buffer, const SgdUpdate& u) {
  const NDArray g = gradient.contiguous();
  on_row_major("SGD", parameter, [&](NDArray& row_major) {
    dispatch_floating("SGD", row_major.dtype(), [&]<class T>() {
      const typename StepKernels<T>::Sgd step{static_cast<T>(-u.lr),
                                              static_cast<T>(u.momentum),
                                              static_cast<T>(1 - u.dampening),
                                              static_cast<T>(u.weight_decay),
                                              u.nesterov,
                                              u.first};
      T* const p = row_major.mutable_data<T>("SGD");
      T* const b = mutable_data_or_null<T>(buffer, "SGD");
      parallel_for(row_major.size(), grain_for(step_cost), [&](Index begin, Index end) {
        kernels::kernels<StepKernels<T>>().sgd(end - begin, step, p + begin, g.data<T>() + begin,
                                               b ? b + begin : nullptr);
      });
    });
  });
}

void adam_(NDArray& parameter, const NDArray& gradient, NDArray& mean, NDArray& square,
           const AdamUpdate& u) {
  const NDArray g = gradient.contiguous();
  on_row_major("Adam", parameter, [&](NDArray& row_major) {
    dispatch_floating("Adam", row_major.dtype(), [&]<class T>() {
      const typename StepKernels<T>::Adam step{static_cast<T>(u.beta1),
                                               static_cast<T>(1 - u.beta1),
                                               static_cast<T>(u.beta2),
                                               static_cast<T>(1 - u.beta2),
                                               static_cast<T>(u.eps),
                                               static_cast<T>(-u.step_size),
                                               static_cast<T>(u.root_correction),
                                               static_cast<T>(u.l2),
                                               static_cast<T>(u.keep)};
      T* const p = row_major.mutable_data<T>("Adam");
      T* const m = mean.mutable_data<T>("Adam");
      T* const v = square.mutable_data<T>("Adam");
      parallel_for(row_major.size(), grain_for(step_cost), [&](Index begin, Index end) {
        kernels::kernels<StepKernels<T>>().adam(end - begin, step, p + begin, g.data<T>() + begin,
                                                m + begin, v + begin);
      });
    });
  });
}

// Blocks of a fixed size, added in order: the same bits for any number of threads.
double sum_of_squares(const NDArray& x) {
  constexpr Index block = 1 << 14;
  const NDArray row_major = x.contiguous();
  const Index n = x.size();
  std::vector<double> sums(static_cast<std::size_t>((n + block - 1) / block));
  dispatch_floating("sum_of_squares", x.dtype(), [&]<class T>() {
    const T* const values = row_major.data<T>();
    parallel_for(static_cast<Index>(sums.size()), 2, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        sums[static_cast<std::size_t>(i)] = kernels::kernels<StepKernels<T>>().sum_of_squares(
            std::min(block, n - i * block), values + i * block);
    });
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace tapehead::core
