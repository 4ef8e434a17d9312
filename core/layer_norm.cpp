#include "layer_norm.h"

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

}  // namespace

LayerNorm layer_norm(const NDArray& x, const Shape& normalized, const NDArray& weight,
                     const NDArray& bias, double eps) {
  const Shape outer = outer_of("layer_norm", x.shape(), normalized);
  check("layer_norm", "weight", weight, normalized, x.dtype());
  check("layer_norm", "bias", bias, normalized, x.dtype());
  const NDArray in = x.contiguous(), w = row_major_or_none(weight), b = row_major_or_none(bias);
  return dispatch_floating("layer_norm", x.dtype(), [&]<class T>() {
    LayerNorm result{NDArray::empty(x.shape(), x.dtype()), NDArray::empty(outer, x.dtype()),
                     NDArray::empty(outer, x.dtype())};
    const Index n = numel(normalized);
    T* const y = result.y.mutable_data<T>("layer_norm");
    T* const mean = result.mean.mutable_data<T>("layer_norm");
    T* const rstd = result.rstd.mutable_data<T>("layer_norm");
    parallel_for(numel(outer), grain_for(4 * n), [&](Index begin, Index end) {
      kernels::kernels<kernels::LayerNormKernels<T>>().forward(
          end - begin, n, in.data<T>() + begin * n, data_or_null<T>(w), data_or_null<T>(b),
          static_cast<T>(eps), y + begin * n, mean + begin, rstd + begin);
    });
    return result;
  });
}

// dweight and dbias are sums over rows: fixed chunks of rows, added up in order.
LayerNormGrads layer_norm_backward(const NDArray& g, const NDArray& x, const Shape& normalized,
                                   const NDArray& weight, const NDArray& mean,
                                   const NDArray& rstd) {
  const Shape outer = outer_of("layer_norm_backward", x.shape(), normalized);
  check("layer_norm_backward", "the gradient", g, x.shape(), x.dtype());
  check("layer_norm_backward", "weight", weight, normalized, x.dtype());
  check("layer_norm_backward", "mean", mean, outer, x.dtype());
  check("layer_norm_backward", "rstd", rstd, outer, x.dtype());
  const NDArray gradient = g.contiguous(), in = x.contiguous(), w = row_major_or_none(weight),
                means = mean.contiguous(), rstds = rstd.contiguous();
  return dispatch_floating("layer_norm_backward", x.dtype(), [&]<class T>() {
    LayerNormGrads result{NDArray::empty(x.shape(), x.dtype()),
                          NDArray::full(normalized, 0, x.dtype()),
                          NDArray::full(normalized, 0, x.dtype())};
    const Index rows = numel(outer), n = numel(normalized);
    const Index chunk = std::max(grain_for(8 * n), (rows + 63) / 64);
    const Index chunks = (rows + chunk - 1) / chunk;
    const Workspace<T> partial(chunks * 2 * n);
    std::fill_n(partial.data(), chunks * 2 * n, T{0});
    T* const dx = result.x.mutable_data<T>("layer_norm_backward");
    parallel_for(chunks, 1, [&](Index first, Index last) {
      for (Index c = first; c < last; ++c) {
        const Index begin = c * chunk, end = std::min(begin + chunk, rows);
        T* const sums = partial.data() + c * 2 * n;
        kernels::kernels<kernels::LayerNormKernels<T>>().backward(
            end - begin, n, gradient.data<T>() + begin * n, in.data<T>() + begin * n,
            data_or_null<T>(w), means.data<T>() + begin, rstds.data<T>() + begin, dx + begin * n,
            sums, sums + n);
      }
    });
    T* const dweight = result.weight.mutable_data<T>("layer_norm_backward");
    T* const dbias = result.bias.mutable_data<T>("layer_norm_backward");
    for (Index c = 0; c < chunks; ++c)
      for (Index i = 0; i < n; ++i) {
        dweight[i] += partial.data()[c * 2 * n + i];
        dbias[i] += partial.data()[c * 2 * n + n + i];
      }
    return result;
  });
}

}  // namespace tapehead::core
