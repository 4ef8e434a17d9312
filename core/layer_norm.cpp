#include "layer_norm.h"

#include "detail/inplace.h"
#include "detail/parallel.h"
#include "detail/workspace.h"
#include "kernels/dispatch.h"
#include "kernels/layer_norm.h"

namespace tapehead::core {
namespace {

// The shape of mean and rstd: x's without the normalised dimensions.
Shape outer_of(const char* op, const Shape& shape, const Shape& normalized) {
  if (normalized.rank() == 0)
    fail<ShapeError>(op, ": the shape to normalize over has no dimensions; give the last sizes of ",
                     shape);
  const int outer = shape.rank() - normalized.rank();
  bool fits = outer >= 0;
  for (int d = 1; fits && d <= normalized.rank(); ++d) fits = shape[-d] == normalized[-d];
  if (!fits)
    fail<ShapeError>(op, ": the last dimensions of ", shape, " must be ", normalized,
                     "; normalize over the last sizes of x");
  Shape result;
  for (int d = 0; d < outer; ++d) result.push_back(shape[d]);
  return result;
}

void check(const char* op, const char* what, const NDArray& x, const Shape& shape, DType dtype) {
  if (!x.defined()) return;
  if (x.shape() != shape)
    fail<ShapeError>(op, ": ", what, " must have shape ", shape, ", got ", x.shape());
  if (x.dtype() != dtype)
    fail<DTypeError>(op, ": ", what, " must be ", name(dtype), ", got ", name(x.dtype()),
                     "; convert with .to(", name(dtype), ")");
}

NDArray row_major_or_none(const NDArray& x) { return x.defined() ? x.contiguous() : x; }

template <class T>
const T* data_or_null(const NDArray& x) {
  return x.defined() ? x.data<T>() : nullptr;
}

// With layer norm's kernel or RMS norm's, which has no mean.
LayerNorm normalised(const char* op, const NDArray& x, const Shape& normalized,
                     const NDArray& weight, const NDArray& bias, double eps, bool centred) {
  const Shape outer = outer_of(op, x.shape(), normalized);
  check(op, "weight", weight, normalized, x.dtype());
  check(op, "bias", bias, normalized, x.dtype());
  const NDArray in = x.contiguous(), w = row_major_or_none(weight), b = row_major_or_none(bias);
  return dispatch_floating(op, x.dtype(), [&]<class T>() {
    const auto& table = kernels::kernels<kernels::LayerNormKernels<T>>();
    const auto forward = centred ? table.forward : table.rms_forward;
    LayerNorm result{NDArray::empty(x.shape(), x.dtype()),
                     centred ? NDArray::empty(outer, x.dtype()) : NDArray(),
                     NDArray::empty(outer, x.dtype())};
    const Index n = numel(normalized);
    T* const y = result.y.mutable_data<T>(op);
    T* const mean = mutable_data_or_null<T>(result.mean, op);
    T* const rstd = result.rstd.mutable_data<T>(op);
    parallel_for(numel(outer), grain_for(4 * n), [&](Index begin, Index end) {
      forward(end - begin, n, in.data<T>() + begin * n, data_or_null<T>(w), data_or_null<T>(b),
              static_cast<T>(eps), y + begin * n, mean ? mean + begin : nullptr, rstd + begin);
    });
    return result;
  });
}

// dweight and dbias are sums over rows: fixed chunks of rows, added up in order. RMS norm has
// neither mean nor bias.
LayerNormGrads slopes(const char* op, const NDArray& g, const NDArray& x, const Shape& normalized,
                      const NDArray& weight, const NDArray& mean, const NDArray& rstd) {
  const bool centred = mean.defined();
  const Shape outer = outer_of(op, x.shape(), normalized);
  check(op, "the gradient", g, x.shape(), x.dtype());
  check(op, "weight", weight, normalized, x.dtype());
  check(op, "mean", mean, outer, x.dtype());
  check(op, "rstd", rstd, outer, x.dtype());
  const NDArray gradient = g.contiguous(), in = x.contiguous(), w = row_major_or_none(weight),
                means = row_major_or_none(mean), rstds = rstd.contiguous();
  return dispatch_floating(op, x.dtype(), [&]<class T>() {
    const auto& table = kernels::kernels<kernels::LayerNormKernels<T>>();
    const auto backward = centred ? table.backward : table.rms_backward;
    LayerNormGrads result{NDArray::empty(x.shape(), x.dtype()),
                          NDArray::full(normalized, 0, x.dtype()),
                          centred ? NDArray::full(normalized, 0, x.dtype()) : NDArray()};
    const Index rows = numel(outer), n = numel(normalized), sums = (centred ? 2 : 1) * n;
    const Index chunk = std::max(grain_for(8 * n), (rows + 63) / 64);
    const Index chunks = (rows + chunk - 1) / chunk;
    const Workspace<T> partial(chunks * sums);
    std::fill_n(partial.data(), chunks * sums, T{0});
    T* const dx = result.x.mutable_data<T>(op);
    const T* const centres = data_or_null<T>(means);
    parallel_for(chunks, 1, [&](Index first, Index last) {
      for (Index c = first; c < last; ++c) {
        const Index begin = c * chunk, end = std::min(begin + chunk, rows);
        T* const dweight = partial.data() + c * sums;
        backward(end - begin, n, gradient.data<T>() + begin * n, in.data<T>() + begin * n,
                 data_or_null<T>(w), centred ? centres + begin : nullptr, rstds.data<T>() + begin,
                 dx + begin * n, dweight, centred ? dweight + n : nullptr);
      }
    });
    T* const dweight = result.weight.mutable_data<T>(op);
    T* const dbias = mutable_data_or_null<T>(result.bias, op);
    for (Index c = 0; c < chunks; ++c) {
      const T* const part = partial.data() + c * sums;
      for (Index i = 0; i < n; ++i) dweight[i] += part[i];
      for (Index i = n; i < sums; ++i) dbias[i - n] += part[i];
    }
    return result;
  });
}

}  // namespace

LayerNorm layer_norm(const NDArray& x, const Shape& normalized, const NDArray& weight,
                     const NDArray& bias, double eps) {
  return normalised("layer_norm", x, normalized, weight, bias, eps, true);
}
LayerNorm rms_norm(const NDArray& x, const Shape& normalized, const NDArray& weight, double eps) {
  return normalised("rms_norm", x, normalized, weight, {}, eps, false);
}

LayerNormGrads layer_norm_backward(const NDArray& g, const NDArray& x, const Shape& normalized,
                                   const NDArray& weight, const NDArray& mean,
                                   const NDArray& rstd) {
  return slopes("layer_norm_backward", g, x, normalized, weight, mean, rstd);
}
LayerNormGrads rms_norm_backward(const NDArray& g, const NDArray& x, const Shape& normalized,
                                 const NDArray& weight, const NDArray& rstd) {
  return slopes("rms_norm_backward", g, x, normalized, weight, {}, rstd);
}

}  // namespace tapehead::core
