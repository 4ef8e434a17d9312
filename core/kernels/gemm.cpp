#include "gemm.h"

#include "isa.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

template <class T>
Index workspace(Index, Index, Index) {
  return 0;
}

template <class T>
void gemm(const Product<T>& p, T*) {
  for (Index i = 0; i < p.m; ++i)
    for (Index j = 0; j < p.n; ++j) {
      T sum = p.accumulate ? p.c[i * p.c_row + j] : T{0};
      for (Index l = 0; l < p.k; ++l)
        sum += p.a[i * p.a_row + l * p.a_col] * p.b[l * p.b_row + j * p.b_col];
      p.c[i * p.c_row + j] = sum;
    }
}

}  // namespace
}  // namespace TAPEHEAD_ISA

template <class T>
template <Isa>
const GemmKernels<T>& GemmKernels<T>::of() {
  static constexpr GemmKernels table{TAPEHEAD_ISA::workspace<T>, TAPEHEAD_ISA::gemm<T>};
  return table;
}
template const GemmKernels<float>& GemmKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const GemmKernels<double>& GemmKernels<double>::of<Isa::TAPEHEAD_ISA>();

}  // namespace tapehead::core::kernels
