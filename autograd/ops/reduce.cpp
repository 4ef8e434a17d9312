// Reductions. The gradient of a reduced element goes back to all it was made from.
#include "../../core/reduce.h"

#include "../../core/elementwise.h"
#include "../ops.h"
#include "check_defined.h"
#include "chosen.h"

namespace tapehead {
namespace {

// `shape` with 1 where it was reduced: what keepdim gives.
Shape kept(const char* op, Shape shape, const Axes& axes) {
  if (axes.rank() == 0) return Shape::filled(shape.rank(), 1);
  if (shape.rank() == 0) return shape;
  for (const Index axis : axes) shape[core::dim(op, axis, shape.rank())] = 1;
  return shape;
}

double count(const Shape& full, const Shape& reduced) {
  double n = 1;
  for (int d = 0; d < full.rank(); ++d)
    if (reduced[d] != full[d]) n *= static_cast<double>(full[d]);
  return n;
}

// Where an element of x is the extreme y, NaN too.
Tensor equal_or_nan(const Tensor& x, const Tensor& y) {
  return logical_or(eq(x, y), logical_and(ne(x, x), ne(y, y)));
}

// Refuses in the name of `op` what would leave nothing to choose from: all elements or, if `d` is
// given, those along d.
void check_choice(const char* op, const Tensor& x, std::optional<int> d = {}) {
  const int along = d ? core::dim_if_any(op, *d, x.dim()) : 0;
  if ((d && x.dim() ? x.size(along) : x.numel()) == 0)
    fail<ShapeError>(op, ": nothing to choose from in shape ", x.shape(),
                     "; reduce only dimensions that are not empty");
}

// Each extreme element's gradient, shared equally by its `ties`.
template <class Extreme, class Ties>
Tensor extreme(const char* op, const Tensor& x, const Axes& axes, bool keepdim, Extreme value,
               Ties ties) {
  return record(
      op, [&] { return value(x.array(), axes, keepdim); },
      wrt(x,
          [x = saved(x), s = kept(op, x.shape(), axes), axes, ties](const Tensor& g,
                                                                    const Tensor& y) {
            const Tensor share = ties(x(), view(y, s)).to(x().dtype());
            return view(g, s) / sum(share, axes, true) * share;
          }),
      args(axes));
}

}  // namespace

// y = sum(x)  gives  dx = g, repeated.
Tensor sum(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("sum", x);
  return record(
      "sum", [&] { return core::sum(x.array(), axes, keepdim); },
      wrt(x, [s = x.shape(), k = kept("sum", x.shape(), axes)](
                 const Tensor& g) { return expand(reshape(g, k), s); }),
      args(axes));
}

// y = sum(x) / n  gives  dx = g / n, repeated.
Tensor mean(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("mean", x);
  core::check_floating("mean", x.dtype());
  return sum(x, axes, keepdim) / count(x.shape(), kept("mean", x.shape(), axes));
}

// The mean squared distance from the mean; unbiased: over n - 1.
Tensor var(const Tensor& x, const Axes& axes, bool unbiased, bool keepdim) {
  check_defined("var", x);
  core::check_floating("var", x.dtype());
  const Tensor centred = x - mean(x, axes, true);
  const double n = count(x.shape(), kept("var", x.shape(), axes));
  return sum(centred * centred, axes, keepdim) / std::max(0.0, unbiased ? n - 1 : n);
}

// As in PyTorch, a NaN gives all elements the gradient NaN here, and none but NaNs in max and min.
constexpr auto equals = [](const Tensor& x, const Tensor& y) { return eq(x, y); };
Tensor amax(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("amax", x);
  return extreme("amax", x, axes, keepdim, core::amax, equals);
}
Tensor amin(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("amin", x);
  return extreme("amin", x, axes, keepdim, core::amin, equals);
}
Tensor max(const Tensor& x) {
  check_defined("max", x);
  check_choice("max", x);
  return extreme("max", x, {}, false, core::amax, equal_or_nan);
}
Tensor min(const Tensor& x) {
  check_defined("min", x);
  check_choice("min", x);
  return extreme("min", x, {}, false, core::amin, equal_or_nan);
}
ValuesIndices max(const Tensor& x, int d, bool keepdim) {
  check_defined("max", x);
  return chosen("max", x, d, keepdim, core::max);
}
ValuesIndices min(const Tensor& x, int d, bool keepdim) {
  check_defined("min", x);
  return chosen("min", x, d, keepdim, core::min);
}

// Where the extreme is, along a dimension or counted over all elements.
template <class Extreme>
static Tensor place(const char* op, const Tensor& x, std::optional<int> d, bool keepdim,
                    Extreme extreme) {
  core::check_numeric(op, x.dtype());
  check_choice(op, x, d);
  if (d)
    return record(
        op, [&] { return extreme(x.array(), *d, keepdim).indices; }, with(x), args(*d));
  return record(
      op,
      [&] {
        const NDArray index = extreme(x.array().contiguous().view({-1}), 0, false).indices;
        return keepdim ? index.view(Shape::filled(x.dim(), 1)) : index;
      },
      with(x));
}
Tensor argmax(const Tensor& x, std::optional<int> d, bool keepdim) {
  check_defined("argmax", x);
  return place("argmax", x, d, keepdim, core::max);
}
Tensor argmin(const Tensor& x, std::optional<int> d, bool keepdim) {
  check_defined("argmin", x);
  return place("argmin", x, d, keepdim, core::min);
}

// Sums what broadcasting repeated, so dx = g, repeated again.
Tensor sum_to(const Tensor& x, const Shape& shape) {
  check_defined("sum_to", x);
  if (shape == x.shape()) return x;
  return record(
      "sum_to",
      [&] {
        if constexpr (mutation::planted) return mutation::Rule::sum_to(x.array(), shape);
        return core::sum_to(x.array(), shape);
      },
      wrt(x, [s = x.shape()](const Tensor& g) { return expand(g, s); }), args(shape));
}

}  // namespace tapehead
