#include "softmax.h"

#include "detail/parallel.h"
#include "detail/reduce_plan.h"
#include "kernels/dispatch.h"
#include "kernels/softmax.h"

namespace tapehead::core {
namespace {

constexpr Index exp_cost = 8;  // of exp and what goes with it, in additions

template <class T>
using RowKernels = kernels::SoftmaxKernels<T>;

// The array with dimension d last, row-major; a 0-d array as one element. And the way back.
NDArray with_last(const NDArray& x, int d) {
  return (x.rank() == 0 ? x.unsqueeze(0) : x.transpose(d, -1)).contiguous();
}
NDArray restored(const NDArray& y, int d, int rank) {
  return rank == 0 ? y.squeeze(0) : y.transpose(d, -1).contiguous();
}

// y from the rows of the inputs along d, all of one shape, by the kernel that `pick` takes from a
// table.
template <class Pick, class... Inputs>
NDArray by_rows(const char* op, int d, const Pick& pick, const NDArray& first,
                const Inputs&... others) {
  d = dim_if_any(op, d, first.rank());
  return dispatch_floating(op, first.dtype(), [&]<class T>() {
    const auto run = [&](const auto&... in) {
      const Shape& shape = std::get<0>(std::tie(in...)).shape();
      NDArray result = NDArray::empty(shape, first.dtype());
      if (result.size() == 0) return result;
      const auto kernel = pick(kernels::kernels<RowKernels<T>>());
      T* const out = result.mutable_data<T>(op);
      const Index n = shape[-1];
      parallel_for(result.size() / n, grain_for(exp_cost * n), [&](Index begin, Index end) {
        kernel(end - begin, n, (in.template data<T>() + begin * n)..., out + begin * n);
      });
      return result;
    };
    return restored(run(with_last(first, d), with_last(others, d)...), d, first.rank());
  });
}

void check_gradient(const char* op, const NDArray& g, const NDArray& y) {
  if (g.shape() != y.shape())
    fail<ShapeError>(op, ": the gradient must have the output's shape ", y.shape(), ", got ",
                     g.shape());
  if (g.dtype() != y.dtype())
    fail<DTypeError>(op, ": the gradient must have the output's dtype ", name(y.dtype()), ", got ",
                     name(g.dtype()), "; convert with .to(", name(y.dtype()), ")");
}

void check_classes(const NDArray& logits, const NDArray& target, double label_smoothing) {
  if (logits.rank() != 2 || target.rank() != 1 || target.shape()[0] != logits.shape()[0])
    fail<ShapeError>("cross_entropy: expected logits (N, C) and targets (N), got ", logits.shape(),
                     " and ", target.shape(), "; flatten leading dimensions with view({-1, C})");
  if (target.dtype() != DType::Int64)
    fail<DTypeError>("cross_entropy: targets are class numbers of dtype Int64, got ",
                     name(target.dtype()), "; convert with .to(Int64)");
  if (!(label_smoothing >= 0 && label_smoothing <= 1))
    fail("cross_entropy: label_smoothing must be between 0 and 1, got ", label_smoothing);
}

void check_target(const char* op, Index target, Index row, Index classes) {
  if (classes == 0)
    fail<ShapeError>(op, ": target ", target, " of row ", row,
                     " cannot be met, since the input has no classes; give it one at least");
  if (target < 0 || target >= classes)
    fail<ShapeError>(op, ": target ", target, " of row ", row, " is not one of ", classes,
                     " classes; use 0 to ", classes - 1, ", or ignore_index to skip a row");
}

}  // namespace

NDArray softmax(const NDArray& x, int d) {
  return by_rows(
      "softmax", d, [](const auto& table) { return table.softmax; }, x);
}

NDArray softmax_backward(const NDArray& g, const NDArray& y, int d) {
  check_gradient("softmax_backward", g, y);
  const auto pick = [](const auto& table) { return table.softmax_backward; };
  return by_rows("softmax_backward", d, pick, g, y);
}

NDArray log_softmax(const NDArray& x, int d) {
  return by_rows(
      "log_softmax", d, [](const auto& table) { return table.log_softmax; }, x);
}

NDArray log_softmax_backward(const NDArray& g, const NDArray& y, int d) {
  check_gradient("log_softmax_backward", g, y);
  const auto pick = [](const auto& table) { return table.log_softmax_backward; };
  return by_rows("log_softmax_backward", d, pick, g, y);
}

NDArray logsumexp(const NDArray& x, const Axes& axes, bool keepdim) {
  const auto reduced = named_axes("logsumexp", axes, x.rank());
  Dims order, last;
  Shape outer, kept;
  Index n = 1;
  for (int d = 0; d < x.rank(); ++d) {
    const bool reduce = reduced.at(static_cast<std::size_t>(d));
    (reduce ? last : order).push_back(d);
    if (reduce) n = checked_product(n, x.shape()[d]);
    if (!reduce) outer.push_back(x.shape()[d]);
    if (!reduce || keepdim) kept.push_back(reduce ? 1 : x.shape()[d]);
  }
  for (const Index d : last) order.push_back(d);
  return dispatch_floating("logsumexp", x.dtype(), [&]<class T>() {
    const NDArray rows = x.permute(order).contiguous();
    NDArray result = NDArray::empty(kept, x.dtype());
    const T* const in = rows.data<T>();
    T* const out = result.mutable_data<T>("logsumexp");
    parallel_for(result.size(), grain_for(exp_cost * n), [&](Index begin, Index end) {
      kernels::kernels<RowKernels<T>>().logsumexp(end - begin, n, in + begin * n, out + begin);
    });
    return result;
  });
}

void check_targets(const char* op, const NDArray& target, Index classes, Index ignore_index) {
  const NDArray rows = target.contiguous();
  for (Index r = 0; r < rows.size(); ++r)
    if (const Index label = rows.data<Index>()[r]; label != ignore_index)
      check_target(op, label, r, classes);
}

// With l = log_softmax(x) and smoothing s, the loss is  -(1 - s) l_target - s / C sum_c l_c.
CrossEntropy cross_entropy(const NDArray& logits, const NDArray& target, Index ignore_index,
                           double label_smoothing) {
  check_classes(logits, target, label_smoothing);
  const Index rows = logits.shape()[0], classes = logits.shape()[1];
  const NDArray y = target.contiguous();
  const Index* const labels = y.data<Index>();
  CrossEntropy result{NDArray::empty({rows}, logits.dtype()), log_softmax(logits, 1)};
  check_targets("cross_entropy", y, classes, ignore_index);
  dispatch_floating("cross_entropy", logits.dtype(), [&]<class T>() {
    const T* const l = result.log_softmax.data<T>();
    const T smooth = static_cast<T>(label_smoothing);
    T* const loss = result.loss.mutable_data<T>("cross_entropy");
    parallel_for(rows, grain_for(smooth > 0 ? classes : 1), [&](Index begin, Index end) {
      if (smooth > 0)
        kernels::kernels<RowKernels<T>>().sum(end - begin, classes, l + begin * classes,
                                              loss + begin);
      for (Index r = begin; r < end; ++r) {
        if (labels[r] == ignore_index) {
          loss[r] = 0;
          continue;
        }
        const T hit = -l[r * classes + labels[r]];
        const T all = smooth > 0 ? -loss[r] / static_cast<T>(classes) : T{0};
        loss[r] = smooth > 0 ? (1 - smooth) * hit + smooth * all : hit;
      }
    });
  });
  return result;
}

// d loss / d x_c = softmax(x)_c - (1 - s) [c = target] - s / C, for smoothing s.
NDArray cross_entropy_backward(const NDArray& g, const NDArray& log_softmax, const NDArray& target,
                               Index ignore_index, double label_smoothing) {
  check_classes(log_softmax, target, label_smoothing);
  const Index rows = log_softmax.shape()[0], classes = log_softmax.shape()[1];
  if (g.shape() != target.shape() || g.dtype() != log_softmax.dtype())
    fail<ShapeError>("cross_entropy_backward: the gradient must be ", name(log_softmax.dtype()),
                     " of shape ", target.shape(), ", got ", name(g.dtype()), " of shape ",
                     g.shape());
  const NDArray l = log_softmax.contiguous(), y = target.contiguous(), gradient = g.contiguous();
  NDArray result = NDArray::empty(l.shape(), l.dtype());
  dispatch_floating("cross_entropy_backward", l.dtype(), [&]<class T>() {
    const T smooth = static_cast<T>(label_smoothing), shift = smooth / static_cast<T>(classes);
    const auto kernel = kernels::kernels<RowKernels<T>>().cross_entropy_backward;
    const Index* const labels = y.data<Index>();
    T* const dx = result.mutable_data<T>("cross_entropy_backward");
    parallel_for(rows, grain_for(exp_cost * classes), [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) {
        T* const row = dx + r * classes;
        if (labels[r] == ignore_index) {
          std::fill_n(row, classes, T{0});
          continue;
        }
        check_target("cross_entropy", labels[r], r, classes);
        const T factor = gradient.data<T>()[r];
        kernel(1, classes, &factor, l.data<T>() + r * classes, shift, row);
        row[labels[r]] -= factor * (1 - smooth);
      }
    });
  });
  return result;
}

}  // namespace tapehead::core
