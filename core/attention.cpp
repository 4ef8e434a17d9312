#include "attention.h"

#include "detail/inplace.h"
#include "detail/parallel.h"
#include "detail/workspace.h"
#include "kernels/attention.h"
#include "kernels/dispatch.h"

namespace tapehead::core {
namespace {

using kernels::query_block;

void check_rank(const char* op, const char* what, const NDArray& x) {
  if (x.rank() != 4)
    fail<ShapeError>(op, ": ", what, " must have the 4 dimensions (B, H, T, d), got ", x.shape());
}

void check_dtype(const char* op, const char* what, const NDArray& x, DType dtype) {
  if (x.dtype() != dtype)
    fail<DTypeError>(op, ": ", what, " must be ", name(dtype), ", got ", name(x.dtype()),
                     "; convert with .to(", name(dtype), ")");
}

void check_shape(const char* op, const char* what, const NDArray& x, const Shape& shape) {
  if (x.shape() != shape)
    fail<ShapeError>(op, ": ", what, " must have shape ", shape, ", got ", x.shape());
}

// What attention works on, checked; mask, bias and keep_scale are expanded to (B, H, Tq, Tk).
struct Inputs {
  NDArray q, k, v, mask, bias, keep;
  Shape scores;
  double scale;

  Index heads() const { return scores[0] * scores[1]; }
  Index d_v() const { return v.shape()[-1]; }
  Shape out_shape() const { return {scores[0], scores[1], scores[2], d_v()}; }
};

NDArray fitted(const char* op, const char* what, const NDArray& x, DType dtype,
               const Shape& scores) {
  if (!x.defined()) return x;
  check_dtype(op, what, x, dtype);
  bool fits = x.rank() <= 4;
  for (int d = 1; fits && d <= x.rank(); ++d)
    fits = x.shape()[-d] == scores[-d] || x.shape()[-d] == 1;
  if (!fits)
    fail<ShapeError>(op, ": ", what, " must broadcast to (B, H, Tq, Tk) = ", scores, ", got ",
                     x.shape());
  return x.expand(scores);
}

Inputs checked(const char* op, const NDArray& q, const NDArray& k, const NDArray& v,
               const NDArray& mask, const NDArray& bias, const NDArray& keep, double scale) {
  check_rank(op, "q", q), check_rank(op, "k", k), check_rank(op, "v", v);
  const Index B = q.shape()[0], H = q.shape()[1], Tq = q.shape()[2], Tk = k.shape()[2];
  check_dtype(op, "k", k, q.dtype()), check_dtype(op, "v", v, q.dtype());
  check_shape(op, "k", k, {B, H, Tk, q.shape()[3]});
  check_shape(op, "v", v, {B, H, Tk, v.shape()[3]});
  const Shape scores{B, H, Tq, Tk};
  return {q,
          k,
          v,
          fitted(op, "mask", mask, DType::Bool, scores),
          fitted(op, "bias", bias, q.dtype(), scores),
          fitted(op, "keep_scale", keep, q.dtype(), scores),
          scores,
          scale};
}

// The matrix of head number `head` of (B, H, rows, columns).
template <class T>
kernels::Matrix<T> matrix(const NDArray& x, Index head) {
  if (!x.defined()) return {};
  const Index H = x.shape()[1];
  return {x.data<T>() + head / H * x.strides()[0] + head % H * x.strides()[1], x.strides()[2],
          x.strides()[3]};
}

template <class T>
kernels::Head<T> head_of(const Inputs& in, Index head) {
  return {in.scores[2],
          in.scores[3],
          in.q.shape()[-1],
          in.d_v(),
          matrix<T>(in.q, head),
          matrix<T>(in.k, head),
          matrix<T>(in.v, head),
          matrix<bool>(in.mask, head),
          matrix<T>(in.bias, head),
          matrix<T>(in.keep, head),
          static_cast<T>(in.scale)};
}

// What one query costs, in additions of one array to another: products run 16 times as fast.
Index cost(const Inputs& in) { return in.scores[3] * ((in.q.shape()[-1] + in.d_v()) / 16 + 8); }

template <class T>
void run_forward(const Inputs& in, Attention& result) {
  const auto& table = kernels::kernels<kernels::AttentionKernels<T>>();
  const Index Tq = in.scores[2], Tk = in.scores[3], d_v = in.d_v();
  T* const out = result.out.mutable_data<T>("attention");
  T* const weights = mutable_data_or_null<T>(result.weights, "attention");
  // Heads with few others are cut between blocks of queries.
  const Index heads = in.heads(), blocks = (Tq + query_block - 1) / query_block;
  const Index cuts =
      std::clamp<Index>(thread_count() / std::max<Index>(heads, 1), 1, std::max<Index>(blocks, 1));
  parallel_for(heads * cuts, grain_for(cost(in) * Tq / cuts), [&](Index begin, Index end) {
    const Workspace<T> workspace(table.workspace(head_of<T>(in, 0)));
    for (Index i = begin; i < end; ++i) {
      const Index head = i / cuts, cut = i % cuts;
      table.forward(head_of<T>(in, head), blocks * cut / cuts * query_block,
                    std::min(blocks * (cut + 1) / cuts * query_block, Tq), out + head * Tq * d_v,
                    weights ? weights + head * Tq * Tk : nullptr, workspace.data());
    }
  });
}

template <class T>
void run_backward(const Inputs& in, const NDArray& g, const NDArray& out, AttentionGrads& result) {
  const auto& table = kernels::kernels<kernels::AttentionKernels<T>>();
  const Index Tq = in.scores[2], Tk = in.scores[3], d = in.q.shape()[-1], d_v = in.d_v();
  T* const dq = result.q.mutable_data<T>("attention_backward");
  T* const dk = result.k.mutable_data<T>("attention_backward");
  T* const dv = result.v.mutable_data<T>("attention_backward");
  T* const dscores = mutable_data_or_null<T>(result.scores, "attention_backward");
  parallel_for(in.heads(), grain_for(3 * cost(in) * Tq), [&](Index begin, Index end) {
    const Workspace<T> workspace(table.workspace(head_of<T>(in, 0)));
    for (Index head = begin; head < end; ++head)
      table.backward(head_of<T>(in, head), matrix<T>(g, head), matrix<T>(out, head),
                     dq + head * Tq * d, dk + head * Tk * d, dv + head * Tk * d_v,
                     dscores ? dscores + head * Tq * Tk : nullptr, workspace.data());
  });
}

}  // namespace

Attention attention(const NDArray& q, const NDArray& k, const NDArray& v, const NDArray& mask,
                    const NDArray& bias, const NDArray& keep_scale, double scale,
                    bool want_weights) {
  const Inputs in = checked("attention", q, k, v, mask, bias, keep_scale, scale);
  const DType dtype = q.dtype();
  return dispatch_floating("attention", dtype, [&]<class T>() {
    Attention result{NDArray::empty(in.out_shape(), dtype),
                     want_weights ? NDArray::empty(in.scores, dtype) : NDArray()};
    run_forward<T>(in, result);
    return result;
  });
}

AttentionGrads attention_backward(const NDArray& g, const NDArray& q, const NDArray& k,
                                  const NDArray& v, const NDArray& mask, const NDArray& bias,
                                  const NDArray& keep_scale, double scale, const NDArray& out,
                                  bool want_scores) {
  const char* const op = "attention_backward";
  const Inputs in = checked(op, q, k, v, mask, bias, keep_scale, scale);
  const DType dtype = q.dtype();
  check_dtype(op, "the gradient", g, dtype), check_dtype(op, "out", out, dtype);
  check_shape(op, "the gradient", g, in.out_shape());
  check_shape(op, "out", out, in.out_shape());
  return dispatch_floating(op, dtype, [&]<class T>() {
    AttentionGrads result{NDArray::empty(q.shape(), dtype), NDArray::empty(k.shape(), dtype),
                          NDArray::empty(v.shape(), dtype),
                          want_scores ? NDArray::empty(in.scores, dtype) : NDArray()};
    run_backward<T>(in, g, out, result);
    return result;
  });
}

}  // namespace tapehead::core
