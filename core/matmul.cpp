#include "matmul.h"

#include <tuple>

#include "detail/parallel.h"
#include "detail/workspace.h"
#include "kernels/dispatch.h"
#include "kernels/gemm.h"

namespace tapehead::core {
namespace {

[[noreturn]] void refuse(const Shape& a, const Shape& b) {
  const bool matrices = a.rank() >= 2 && b.rank() >= 2;
  const char* hint = matrices && a[-2] == b[-2]   ? "; did you mean a.mT()?"
                     : matrices && a[-1] == b[-1] ? "; did you mean b.mT()?"
                     : b.rank() == 1              ? "; the vector's length must match"
                                                  : "; the inner sizes must match";
  fail<ShapeError>("matmul: last dimension of ", a, " must equal ",
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

// Integers wrap around, which signed arithmetic would leave undefined.
void multiply_whole(const kernels::Product<Index>& p) {
  for (Index i = 0; i < p.m; ++i)
    for (Index j = 0; j < p.n; ++j) {
      auto sum = std::uint64_t{0};
      for (Index l = 0; l < p.k; ++l)
        sum += static_cast<std::uint64_t>(p.a[i * p.a_row + l * p.a_col]) *
               static_cast<std::uint64_t>(p.b[l * p.b_row + j * p.b_col]);
      p.c[i * p.c_row + j] = static_cast<Index>(sum);
    }
}

// How many pieces the rows and the columns of each product are cut into, so that every thread has
// one: as square as can be, since a piece reads all of its rows and columns. An element's bits do
// not depend on the piece it is in.
struct Cuts {
  Index rows, columns;
};
Cuts cuts_for(Index n, Index m, Index k, Index batches) {
  constexpr Index enough = 1 << 19;  // multiplications that are worth waking a thread for
  const Index pieces = std::min((thread_count() + batches - 1) / batches, n * m * k / enough);
  Cuts best{1, 1};
  Index least = n + m;
  for (Index rows = 1; rows <= pieces; ++rows)
    if (pieces % rows == 0)
      if (const Index side = n / rows + m / (pieces / rows); rows == 1 || side < least)
        best = {rows, pieces / rows}, least = side;
  return best;
}

// Where piece `i` of `cuts` begins: at a multiple of what the tiles like.
Index cut_at(Index size, Index i, Index cuts) {
  constexpr Index unit = 48;
  return i == cuts ? size : (size / unit) * i / cuts * unit;
}

// Batches of products of one shape.
template <class T>
struct Batches {
  Shape shape;
  Strides a_strides, b_strides;
  kernels::Product<T> first;

  Index count() const { return numel(shape); }

  kernels::Product<T> product(Index batch) const {
    kernels::Product<T> p = first;
    p.a += offset_of(shape, a_strides, batch);
    p.b += offset_of(shape, b_strides, batch);
    p.c += batch * p.m * p.n;
    return p;
  }
};

template <class T>
kernels::Product<T> piece(const kernels::Product<T>& whole, Cuts cuts, Index i) {
  const Index row = i / cuts.columns, column = i % cuts.columns;
  const Index top = cut_at(whole.m, row, cuts.rows), left = cut_at(whole.n, column, cuts.columns);
  kernels::Product<T> p = whole;
  p.m = cut_at(whole.m, row + 1, cuts.rows) - top;
  p.n = cut_at(whole.n, column + 1, cuts.columns) - left;
  p.a += top * p.a_row, p.b += left * p.b_col, p.c += top * p.c_row + left;
  return p;
}

template <class T>
void run(const Batches<T>& batches) {
  const Index m = batches.first.m, n = batches.first.n, k = batches.first.k;
  const Cuts cuts = cuts_for(m, n, k, batches.count());
  const Index pieces = cuts.rows * cuts.columns;
  const auto& gemm = kernels::kernels<kernels::GemmKernels<T>>();
  parallel_for(batches.count() * pieces, pieces > 1 ? 1 : grain_for(m * n * k / 16),
               [&](Index begin, Index end) {
                 const Workspace<T> workspace(gemm.workspace(m, n, k));
                 for (Index i = begin; i < end; ++i)
                   gemm.gemm(piece(batches.product(i / pieces), cuts, i % pieces),
                             workspace.data());
               });
}
void run(const Batches<Index>& batches) {
  for (Index i = 0; i < batches.count(); ++i) multiply_whole(batches.product(i));
}

// target (..., n, m) is row-major and starts with the batches of a and b, broadcast.
template <class T>
void multiply_batches(NDArray& target, const NDArray& a, const NDArray& b) {
  const char* const op = "matmul";
  const Shape batch = batch_of(target.shape());
  const Index n = target.shape()[-2], m = target.shape()[-1], k = a.shape()[-1];
  run(Batches<T>{batch,
                 expanded(op, batch_of(a.shape()), batch_of(a.strides()), batch),
                 expanded(op, batch_of(b.shape()), batch_of(b.strides()), batch),
                 {n, m, k, a.data<T>(), a.strides()[-2], a.strides()[-1], b.data<T>(),
                  b.strides()[-2], b.strides()[-1], target.mutable_data<T>(op), m, false}});
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
  dispatch_numeric("matmul", a.dtype(), [&]<class T>() { multiply_batches<T>(joined, rows, b); });
  return result;
}

}  // namespace

void check_matmul(const NDArray& a, const NDArray& b) {
  check_same("matmul", a.dtype(), b.dtype());
  if (a.rank() == 0 || b.rank() == 0)
    fail<ShapeError>("matmul: expected at least 1 dimension, got ", a.shape(), " and ", b.shape(),
                     "; use * for a scalar");
  if (a.shape()[-1] != b.shape()[b.rank() == 1 ? 0 : -2]) refuse(a.shape(), b.shape());
}

NDArray matmul(const NDArray& a, const NDArray& b) {
  check_matmul(a, b);
  NDArray result =
      multiply_matrices(a.rank() == 1 ? a.unsqueeze(0) : a, b.rank() == 1 ? b.unsqueeze(1) : b);
  if (b.rank() == 1) result = result.squeeze(-1);
  return a.rank() == 1 ? result.squeeze(b.rank() == 1 ? -1 : -2) : result;
}

}  // namespace tapehead::core
