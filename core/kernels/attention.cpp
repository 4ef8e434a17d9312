#include "attention.h"

#include <math.h>

#include "gemm.h"
#include "isa.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

inline float exp(float x) { return ::expf(x); }
inline double exp(double x) { return ::exp(x); }
inline float log(float x) { return ::logf(x); }
inline double log(double x) { return ::log(x); }

template <class T>
T at(Matrix<T> m, Index i, Index j) {
  return m.data[i * m.row + j * m.col];
}
template <class T>
Matrix<T> from_row(Matrix<T> m, Index i) {
  return {m.data ? m.data + i * m.row : nullptr, m.row, m.col};
}
template <class T>
Matrix<T> transposed(Matrix<T> m) {
  return {m.data, m.col, m.row};
}

// C (m, n) = A (m, k) B (k, n), or C += A B.
template <class T>
void multiply(Index m, Index n, Index k, Matrix<T> a, Matrix<T> b, T* c, bool accumulate,
              T* workspace) {
  const GemmKernels<T>& gemm = GemmKernels<T>::template of<Isa::TAPEHEAD_ISA>();
  gemm.gemm({m, n, k, a.data, a.row, a.col, b.data, b.row, b.col, c, n, accumulate}, workspace);
}

Index larger(Index a, Index b) { return a > b ? a : b; }
Index smaller(Index a, Index b) { return a < b ? a : b; }

template <class T>
Index workspace(const Head<T>& h) {
  const GemmKernels<T>& gemm = GemmKernels<T>::template of<Isa::TAPEHEAD_ISA>();
  const Index width = larger(h.d, h.d_v);
  const Index inner = larger(
      larger(gemm.workspace(query_block, h.tk, width), gemm.workspace(query_block, width, h.tk)),
      gemm.workspace(h.tk, width, query_block));
  return 2 * query_block * h.tk + inner;
}

template <class T>
bool hidden(const Head<T>& h, Index i, Index j) {
  return h.mask.data && !at(h.mask, i, j);
}

// Turns row i of q k^T into the softmax of its scores; returns their log sum exp.
template <class T>
T softmax_row(const Head<T>& h, Index i, T* s) {
  T most = -__builtin_inff(), total = 0;
  for (Index j = 0; j < h.tk; ++j) {
    s[j] = s[j] * h.scale + (h.bias.data ? at(h.bias, i, j) : T{0});
    if (hidden(h, i, j)) s[j] = T(-1e9);
    if (s[j] > most || s[j] != s[j]) most = s[j];
  }
  for (Index j = 0; j < h.tk; ++j) total += s[j] = exp(s[j] - most);
  for (Index j = 0; j < h.tk; ++j) s[j] /= total;
  return h.tk ? most + log(total) : most;
}

template <class T>
void scores(const Head<T>& h, Index i, Index rows, T* s, T* workspace) {
  multiply(rows, h.tk, h.d, from_row(h.q, i), transposed(h.k), s, false, workspace);
}

template <class T>
void forward(const Head<T>& h, Index begin, Index end, T* out, T* logsumexp, T* weights,
             T* workspace) {
  T *const s = workspace, *const inner = workspace + 2 * query_block * h.tk;
  for (Index i = begin; i < end; i += query_block) {
    const Index rows = smaller(query_block, end - i);
    scores(h, i, rows, s, inner);
    for (Index r = 0; r < rows; ++r) {
      logsumexp[i + r] = softmax_row(h, i + r, s + r * h.tk);
      for (Index j = 0; j < h.tk; ++j) {
        if (h.keep.data) s[r * h.tk + j] *= at(h.keep, i + r, j);
        if (weights) weights[(i + r) * h.tk + j] = s[r * h.tk + j];
      }
    }
    multiply(rows, h.d_v, h.tk, {s, h.tk, 1}, h.v, out + i * h.d_v, false, inner);
  }
}

template <class T>
void backward(const Head<T>& h, Matrix<T> g, Matrix<T> out, T* dq, T* dk, T* dv, T* dscores,
              T* workspace) {
  T *const p = workspace, *const ds = p + query_block * h.tk,
           *const inner = ds + query_block * h.tk;
  for (Index j = 0; j < h.tk * h.d; ++j) dk[j] = 0;
  for (Index j = 0; j < h.tk * h.d_v; ++j) dv[j] = 0;
  for (Index i = 0; i < h.tq; i += query_block) {
    const Index rows = smaller(query_block, h.tq - i);
    scores(h, i, rows, p, inner);
    multiply(rows, h.tk, h.d_v, from_row(g, i), transposed(h.v), ds, false, inner);
    for (Index r = 0; r < rows; ++r) {
      softmax_row(h, i + r, p + r * h.tk);
      T dot = 0;
      for (Index c = 0; c < h.d_v; ++c) dot += at(g, i + r, c) * at(out, i + r, c);
      for (Index j = 0; j < h.tk; ++j) {
        const T keep = h.keep.data ? at(h.keep, i + r, j) : T{1};
        T& weight = p[r * h.tk + j];
        T& score = ds[r * h.tk + j];
        score = hidden(h, i + r, j) ? T{0} : weight * (score * keep - dot);
        if (dscores) dscores[(i + r) * h.tk + j] = score;
        score *= h.scale, weight *= keep;
      }
    }
    multiply(h.tk, h.d_v, rows, {p, 1, h.tk}, from_row(g, i), dv, true, inner);
    multiply(rows, h.d, h.tk, {ds, h.tk, 1}, h.k, dq + i * h.d, false, inner);
    multiply(h.tk, h.d, rows, {ds, 1, h.tk}, from_row(h.q, i), dk, true, inner);
  }
}

}  // namespace
}  // namespace TAPEHEAD_ISA

template <class T>
template <Isa>
const AttentionKernels<T>& AttentionKernels<T>::of() {
  namespace here = TAPEHEAD_ISA;
  static constexpr AttentionKernels table{here::workspace<T>, here::forward<T>, here::backward<T>};
  return table;
}
template const AttentionKernels<float>& AttentionKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const AttentionKernels<double>& AttentionKernels<double>::of<Isa::TAPEHEAD_ISA>();

}  // namespace tapehead::core::kernels
