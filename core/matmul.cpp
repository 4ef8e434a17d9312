#include "matmul.h"

#include "kernels/gemm.h"
#include "parallel.h"
#include "workspace.h"

namespace tapehead::core {
namespace {

void check_operands(const char* op, const NDArray& a, const NDArray& b) {
  if (a.dtype() != b.dtype())
    fail<DTypeError>(op, ": expected one dtype, got ", name(a.dtype()), " and ", name(b.dtype()),
                     "; convert one with .to(", name(a.dtype()), ")");
  if (a.rank() == 0 || b.rank() == 0)
    fail<ShapeError>(op, ": expected at least 1 dimension, got ", a.shape(), " and ", b.shape(),
                     "; use * for a scalar");
}

[[noreturn]] void refuse(const char* op, const Shape& a, const Shape& b) {
  const bool matrices = a.rank() >= 2 && b.rank() >= 2;
  const char* hint = matrices && a[-2] == b[-2]   ? "; did you mean a.mT()?"
                     : matrices && a[-1] == b[-1] ? "; did you mean b.mT()?"
                     : b.rank() == 1              ? "; the vector's length must match"
                                                  : "; the inner sizes must match";
  fail<ShapeError>(op, ": last dimension of ", a, " must equal ",
                   b.rank() == 1 ? "the length of " : "second-last of ", b, hint);
}

// Everything but the last two dimensions.
Dims batch_of(const Dims& dims) {
  Dims result;
  for (int d = 0; d + 2 < dims.rank(); ++d) result.push_back(dims[d]);
  return result;
}

// (..., n, k) times one (k, m) is a single product of all rows, if they lie evenly.
NDArray rows_joined(const NDArray& a) {
  const Shape joined{-1, a.shape()[-1]};
  return a.size() > 0 && a.viewable_as(joined) ? a.view(joined) : a;
}

// How far the batch with number `index` of `shape` lies from the first.
Index batch_offset(const Shape& shape, const Strides& strides, Index index) {
  Index offset = 0;
  for (int d = shape.rank(); d-- > 0; index /= shape[d]) offset += index % shape[d] * strides[d];
  return offset;
}

// Integers wrap around, which signed arithmetic would leave undefined.
void multiply_whole(const kernels::Product<Index>& p) {
  for (Index i = 0; i < p.m; ++i)
    for (Index j = 0; j < p.n; ++j) {
      auto sum = static_cast<std::uint64_t>(p.accumulate ? p.c[i * p.c_row + j] : 0);
      for (Index l = 0; l < p.k; ++l)
        sum += static_cast<std::uint64_t>(p.a[i * p.a_row + l * p.a_col]) *
               static_cast<std::uint64_t>(p.b[l * p.b_row + j * p.b_col]);
      p.c[i * p.c_row + j] = static_cast<Index>(sum);
    }
}

template <class T>
void multiply(const kernels::Product<T>& p) {
  if constexpr (std::is_same_v<T, Index>) {
    multiply_whole(p);
  } else {
    const auto& gemm = kernels::kernels<kernels::GemmKernels<T>>();
    const Workspace<T> workspace(gemm.workspace(p.m, p.n, p.k));
    gemm.gemm(p, workspace.data());
  }
}

// target (..., n, m) is row-major and starts with the batches of a and b, broadcast.
template <class T>
void multiply_batches(NDArray& target, const NDArray& a, const NDArray& b, bool accumulate,
                      const char* writer) {
  const Shape batch = batch_of(target.shape());
  const Strides a_batch = expanded("matmul", batch_of(a.shape()), batch_of(a.strides()), batch);
  const Strides b_batch = expanded("matmul", batch_of(b.shape()), batch_of(b.strides()), batch);
  const Index n = target.shape()[-2], m = target.shape()[-1], k = a.shape()[-1];
  const T *const a_data = a.data<T>(), *const b_data = b.data<T>();
  T* const c = target.mutable_data<T>(writer);
  parallel_for(numel(batch), grain_for(n * m * k), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      multiply<T>({n, m, k, a_data + batch_offset(batch, a_batch, i), a.strides()[-2],
                   a.strides()[-1], b_data + batch_offset(batch, b_batch, i), b.strides()[-2],
                   b.strides()[-1], c + i * n * m, m, accumulate});
  });
}

void multiply_any(NDArray& target, const NDArray& a, const NDArray& b, bool accumulate,
                  const char* op) {
  dispatch_numeric(op, a.dtype(),
                   [&]<class T>() { multiply_batches<T>(target, a, b, accumulate, op); });
}

// The leading dimensions of the result.
Shape common_batch(const Shape& a, const Shape& b) {
  for (int d = 3; d <= std::min(a.rank(), b.rank()); ++d)
    if (a[-d] != b[-d] && a[-d] != 1 && b[-d] != 1)
      fail<ShapeError>("matmul: leading dimensions of ", a, " and ", b,
                       " do not broadcast: ", a[-d], " against ", b[-d],
                       "; sizes must be equal, or one of them 1");
  return broadcast("matmul", batch_of(a), batch_of(b));
}

// Ranks of at least 2.
NDArray multiply_matrices(const NDArray& a, const NDArray& b) {
  Shape shape = common_batch(a.shape(), b.shape());
  shape.push_back(a.shape()[-2]);
  shape.push_back(b.shape()[-1]);
  NDArray result = NDArray::empty(shape, a.dtype());
  if (result.size() == 0) return result;
  const NDArray rows = b.rank() == 2 && a.rank() > 2 ? rows_joined(a) : a;
  NDArray joined = rows.rank() < a.rank() ? result.view({-1, shape[-1]}) : result;
  multiply_any(joined, rows, b, false, "matmul");
  return result;
}

}  // namespace

NDArray matmul(const NDArray& a, const NDArray& b) {
  check_operands("matmul", a, b);
  if (a.shape()[-1] != b.shape()[b.rank() == 1 ? 0 : -2]) refuse("matmul", a.shape(), b.shape());
  NDArray result =
      multiply_matrices(a.rank() == 1 ? a.unsqueeze(0) : a, b.rank() == 1 ? b.unsqueeze(1) : b);
  if (b.rank() == 1) result = result.squeeze(-1);
  return a.rank() == 1 ? result.squeeze(b.rank() == 1 ? -1 : -2) : result;
}

void matmul_add_(NDArray& target, const NDArray& a, const NDArray& b) {
  check_operands("matmul_add_", a, b);
  check_operands("matmul_add_", target, a);
  if (a.rank() != 2 || b.rank() != 2 || a.shape()[1] != b.shape()[0])
    refuse("matmul_add_", a.shape(), b.shape());
  if (target.shape() != Shape{a.shape()[0], b.shape()[1]} || !target.is_contiguous())
    fail<ShapeError>("matmul_add_: expected a row-major target of shape ",
                     Shape{a.shape()[0], b.shape()[1]}, ", got ", target.shape(), " with strides ",
                     target.strides(), "; call contiguous() first");
  if (target.size() > 0) multiply_any(target, a, b, true, "matmul_add_");
}

}  // namespace tapehead::core
