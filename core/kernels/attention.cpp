// Attention of one head. A block of queries has its scores, all Tk of them, in the workspace; so
// softmax needs no second thoughts, forward and backward see the same weights, and a row without
// visible keys is uniform to the last bit. Keys that the whole block may not see, such as a causal
// mask's upper triangle, are left out; they would get weight 0.
#include "attention.h"

#include "gemm.h"
#include "gemm_pack.h"
#include "softmax_row.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

inline Index larger(Index a, Index b) { return a > b ? a : b; }

template <class T>
inline Matrix<T> from_row(Matrix<T> m, Index i) {
  return {m.data ? m.data + i * m.row : nullptr, m.row, m.col};
}

/// C (m, n) = A (m, k) B (k, n), or C += A B.
template <class T>
void multiply(Index m, Index n, Index k, Matrix<T> a, Matrix<T> b, T* c, Index c_row,
              bool accumulate, T* workspace) {
  const GemmKernels<T>& gemm = GemmKernels<T>::template of<Isa::TAPEHEAD_ISA>();
  gemm.gemm({m, n, k, a.data, a.row, a.col, b.data, b.row, b.col, c, c_row, accumulate}, workspace);
}

/// y_j = f(y_j, x_j) along row i of x.
template <class T, class X, class F>
inline void combine(Index n, T* __restrict y, Matrix<X> x, Index i, const F& f) {
  const X* const __restrict from = x.data + i * x.row;
  Index j = 0;
  if (x.col == 1)
    for (; j + lanes<T> <= n; j += lanes<T>)
      for (int l = 0; l < lanes<T>; ++l) y[j + l] = f(y[j + l], from[j + l]);
  for (; j < n; ++j) y[j] = f(y[j], from[j * x.col]);
}

/// One past the last key that query i may attend to; 0 if there is none.
inline Index visible(Matrix<bool> mask, Index i, Index tk) {
  const bool* const row = mask.data + i * mask.row;
  Index j = tk;
  if (mask.col == 1)
    for (std::uint64_t eight = 0; j >= 8; j -= 8) {
      __builtin_memcpy(&eight, row + j - 8, 8);
      if (eight != 0) break;
    }
  while (j > 0 && !row[(j - 1) * mask.col]) --j;
  return j;
}

/// Scores of hidden keys.
template <class T>
inline constexpr T hidden = T(-1e9);

/// A block of queries at work.
template <class T>
struct Block {
  const Head<T>& head;
  Index begin, rows;
  const T* k_transposed;  // (d, tk)
  T* weights;             // (rows, tk), to be filled
  T* inner;               // workspace of products

  T* row(Index r) const { return weights + r * head.tk; }

  /// Keys up to the last that some query sees; all, if some query sees none.
  Index keys() const {
    if (!head.mask.data) return head.tk;
    Index most = 0;
    for (Index r = 0; r < rows; ++r) {
      if (r > 0 && head.mask.row == 0) break;
      const Index seen = visible(head.mask, begin + r, head.tk);
      if (seen == 0) return head.tk;
      most = larger(most, seen);
    }
    return most;
  }

  /// Softmax of the scores of the first `keys` keys. False if a hidden key might matter, since some
  /// query's scores are all as low as that.
  bool softmax(Index keys) const {
    multiply(rows, keys, head.d, from_row(head.q, begin), {k_transposed, head.tk, 1}, weights,
             head.tk, false, inner);
    bool certain = true;
    for (Index r = 0; r < rows; ++r) {
      T* const s = row(r);
      const T scale = head.scale;
      if (head.bias.data)
        combine(keys, s, head.bias, begin + r, [scale](T x, T bias) { return x * scale + bias; });
      else
        map_along(
            keys, s, [scale](auto x) { return x * scale; }, s);
      if (head.mask.data)
        combine(keys, s, head.mask, begin + r, [](T x, bool seen) { return seen ? x : hidden<T>; });
      const T most = softmax_row(keys, s, s);
      certain = certain && most > hidden<T> / 2;
    }
    return certain;
  }

  /// The weights, before dropout; returns how many keys they are for.
  Index attend() const {
    const Index some = keys();
    if (softmax(some) || some == head.tk) return some;
    softmax(head.tk);
    return head.tk;
  }

  void drop(Index keys) const {
    if (!head.keep.data) return;
    for (Index r = 0; r < rows; ++r)
      combine(keys, row(r), head.keep, begin + r, [](T weight, T keep) { return weight * keep; });
  }
};

template <class T>
Index workspace(const Head<T>& h) {
  const GemmKernels<T>& gemm = GemmKernels<T>::template of<Isa::TAPEHEAD_ISA>();
  const Index wide = larger(h.d, h.d_v);
  const Index inner = larger(
      larger(gemm.workspace(query_block, h.tk, wide), gemm.workspace(query_block, wide, h.tk)),
      gemm.workspace(h.tk, wide, query_block));
  return (h.d + h.d_v + 2 * query_block) * h.tk + inner;
}

/// x (tk, d) as (d, tk).
template <class T>
void transpose_to(T* to, Matrix<T> x, Index tk, Index d) {
  pack(to, tk, tk, d, x.data, x.row, x.col);
}

template <class T>
void forward(const Head<T>& h, Index begin, Index end, T* out, T* weights, T* workspace) {
  T *const kt = workspace, *const s = kt + h.d * h.tk, *const inner = s + query_block * h.tk;
  transpose_to(kt, h.k, h.tk, h.d);
  for (Index i = begin; i < end; i += query_block) {
    const Block<T> block{h, i, smaller(query_block, end - i), kt, s, inner};
    const Index keys = block.attend();
    block.drop(keys);
    multiply(block.rows, h.d_v, keys, {s, h.tk, 1}, h.v, out + i * h.d_v, h.d_v, false, inner);
    if (!weights) continue;
    for (Index r = 0; r < block.rows; ++r) {
      T* const to = weights + (i + r) * h.tk;
      for (Index j = 0; j < keys; ++j) to[j] = block.row(r)[j];
      for (Index j = keys; j < h.tk; ++j) to[j] = 0;
    }
  }
}

template <class T>
T dot(Matrix<T> a, Matrix<T> b, Index i, Index n) {
  const T *const x = a.data + i * a.row, *const y = b.data + i * b.row;
  if (a.col == 1 && b.col == 1)
    return sum_along(
        n, [](auto p, auto q) { return p * q; }, x, y);
  T total = 0;
  for (Index j = 0; j < n; ++j) total += x[j * a.col] * y[j * b.col];
  return total;
}

/// Row r of ds, the gradient of the weights, becomes that of the scores: w (ds keep - mean), where
/// mean = sum(w ds keep) = g . out; and 0 where masked.
template <class T>
void score_gradient(const Block<T>& block, Index r, Index keys, T mean, T* ds) {
  const Index i = block.begin + r;
  const Head<T>& h = block.head;
  if (h.keep.data) combine(keys, ds, h.keep, i, [](T d, T keep) { return d * keep; });
  map_along(
      keys, ds, [mean](auto d, auto w) { return w * (d - mean); }, ds, block.row(r));
  if (h.mask.data) combine(keys, ds, h.mask, i, [](T d, bool seen) { return seen ? d : T{0}; });
}

template <class T>
void backward(const Head<T>& h, Matrix<T> g, Matrix<T> out, T* dq, T* dk, T* dv, T* dscores,
              T* workspace) {
  T *const kt = workspace, *const vt = kt + h.d * h.tk, *const p = vt + h.d_v * h.tk;
  T *const ds = p + query_block * h.tk, *const inner = ds + query_block * h.tk;
  transpose_to(kt, h.k, h.tk, h.d);
  transpose_to(vt, h.v, h.tk, h.d_v);
  for (Index j = 0; j < h.tk * h.d; ++j) dk[j] = 0;
  for (Index j = 0; j < h.tk * h.d_v; ++j) dv[j] = 0;
  for (Index i = 0; i < h.tq; i += query_block) {
    const Block<T> block{h, i, smaller(query_block, h.tq - i), kt, p, inner};
    const Index rows = block.rows, keys = block.attend();
    multiply(rows, keys, h.d_v, from_row(g, i), {vt, h.tk, 1}, ds, h.tk, false, inner);
    for (Index r = 0; r < rows; ++r) {
      T* const row = ds + r * h.tk;
      score_gradient(block, r, keys, dot(g, out, i + r, h.d_v), row);
      for (Index j = 0; dscores && j < h.tk; ++j)
        dscores[(i + r) * h.tk + j] = j < keys ? row[j] : T{0};
      map_along(
          keys, row, [scale = h.scale](auto d) { return d * scale; }, row);
    }
    block.drop(keys);
    multiply(keys, h.d_v, rows, {p, 1, h.tk}, from_row(g, i), dv, h.d_v, true, inner);
    multiply(rows, h.d, keys, {ds, h.tk, 1}, h.k, dq + i * h.d, h.d, false, inner);
    multiply(keys, h.d, rows, {ds, 1, h.tk}, from_row(h.q, i), dk, h.d, true, inner);
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
