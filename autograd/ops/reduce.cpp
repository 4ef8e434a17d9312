// Reductions. The gradient of a reduced element goes back to all it was made from.
#include "../../core/reduce.h"

#include "../../core/elementwise.h"
#include "../ops.h"
#include "check_defined.h"
#include "chosen.h"
#include "kept.h"

namespace tapehead {
namespace {

double count(const Shape& full, const Shape& reduced) {
  double n = 1;
  for (int d = 0; d < full.rank(); ++d)
    if (reduced[d] != full[d]) n *= static_cast<double>(full[d]);
  return n;
}

// What the squares of n elements are divided by.
double divisor(double n, bool unbiased) { return std::max(0.0, unbiased ? n - 1 : n); }

// sum((x - mean(x))^2) / m, the mean that of n.
NDArray variance(const NDArray& x, const Axes& axes, double n, double m, bool keepdim) {
  const NDArray centred = core::sub(x, core::div(core::sum(x, axes, true), n));
  return core::div(core::sum(core::mul(centred, centred), axes, keepdim), m);
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
      args(axes), unprinted(keepdim));
}

}  // namespace

// y = sum(x)  gives  dx = g, repeated.
Tensor sum(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("sum", x);
  return record(
      "sum", [&] { return core::sum(x.array(), axes, keepdim); },
      wrt(x, [s = x.shape(), k = kept("sum", x.shape(), axes)](
                 const Tensor& g) { return expand(reshape(g, k), s); }),
      args(axes), unprinted(keepdim));
}

// y = sum(x) / n  gives  dx = g / n, repeated; not at all if n = 0, where g / 0 would be NaN.
Tensor mean(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("mean", x);
  core::check_floating("mean", x.dtype());
  const Shape k = kept("mean", x.shape(), axes);
  const double n = count(x.shape(), k);
  return record(
      "mean", [&] { return core::div(core::sum(x.array(), axes, keepdim), n); },
      wrt(x, [s = x.shape(), k,
              n](const Tensor& g) { return expand(reshape(n > 0 ? g / n : g, k), s); }),
      args(axes), unprinted(keepdim));
}

// y = sum((x - mean(x))^2) / m  gives  dx = 2 / m (x - mean(x)) g.
Tensor var(const Tensor& x, const Axes& axes, bool unbiased, bool keepdim) {
  check_defined("var", x);
  core::check_floating("var", x.dtype());
  const Shape k = kept("var", x.shape(), axes);
  const double n = count(x.shape(), k);
  return record(
      "var", [&] { return variance(x.array(), axes, n, divisor(n, unbiased), keepdim); },
      wrt(x,
          [x = saved(x), axes, k, m = divisor(n, unbiased)](const Tensor& g) {
            return (x() - mean(x(), axes, true)) * (reshape(g, k) * (2 / m));
          }),
      args(axes), unprinted(unbiased, keepdim));
}

// y = sqrt(sum((x - mean(x))^2) / m)  gives  dx = (x - mean(x)) / y g / m, and 0 where y is 0.
// Squares of what Float32 can hold, it cannot: they are added up in Float64.
Tensor std(const Tensor& x, const Axes& axes, bool unbiased, bool keepdim) {
  check_defined("std", x);
  core::check_floating("std", x.dtype());
  const Shape k = kept("std", x.shape(), axes);
  const double n = count(x.shape(), k);
  return record(
      "std",
      [&] {
        const NDArray wide = core::cast(x.array(), Float64);
        return core::cast(core::sqrt(variance(wide, axes, n, divisor(n, unbiased), keepdim)),
                          x.dtype());
      },
      wrt(x,
          [x = saved(x), axes, k, m = divisor(n, unbiased)](const Tensor& g, const Tensor& y) {
            const Tensor deviation = view(y, k);
            return (x() - mean(x(), axes, true)) /
                   masked_fill(deviation, eq(deviation, 0), INFINITY) * (reshape(g, k) / m);
          }),
      args(axes), unprinted(unbiased, keepdim));
}

// How many elements are not 0, or are 0.
static NDArray counted(const Tensor& x, const Axes& axes, bool keepdim, bool zeros) {
  const NDArray zero = core::logical_not(x.array());
  return core::sum(zeros ? zero : core::logical_not(zero), axes, keepdim);
}
Tensor count_nonzero(const Tensor& x, const Axes& axes) {
  check_defined("count_nonzero", x);
  kept("count_nonzero", x.shape(), axes);
  return record(
      "count_nonzero", [&] { return counted(x, axes, false, false); }, with(x), args(axes));
}
static Tensor all(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("all", x);
  kept("all", x.shape(), axes);
  return record(
      "all", [&] { return core::eq(counted(x, axes, keepdim, true), 0); }, with(x), args(axes),
      unprinted(keepdim));
}
static Tensor any(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("any", x);
  kept("any", x.shape(), axes);
  return record(
      "any", [&] { return core::gt(counted(x, axes, keepdim, false), 0); }, with(x), args(axes),
      unprinted(keepdim));
}
Tensor all(const Tensor& x) { return all(x, Axes{}, false); }
Tensor all(const Tensor& x, int d, bool keepdim) { return all(x, Axes{d}, keepdim); }
Tensor any(const Tensor& x) { return any(x, Axes{}, false); }
Tensor any(const Tensor& x, int d, bool keepdim) { return any(x, Axes{d}, keepdim); }

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
        op, [&] { return extreme(x.array(), *d, keepdim).indices; }, with(x), args(*d),
        unprinted(keepdim));
  return record(
      op,
      [&] {
        const NDArray index = extreme(x.array().contiguous().view({-1}), 0, false).indices;
        return keepdim ? index.view(Shape::filled(x.dim(), 1)) : index;
      },
      with(x), unprinted(keepdim));
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
