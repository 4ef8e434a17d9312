// Lengths of vectors, and the angle between two.
#include <cmath>

#include "../../core/elementwise.h"
#include "../../core/reduce.h"
#include "../create.h"
#include "../ops.h"
#include "check_defined.h"
#include "kept.h"

namespace tapehead {
namespace {

NDArray length(const NDArray& x, double p, const Axes& axes, bool keepdim) {
  const NDArray size = core::abs(x);
  if (x.size() == 0 || p == 1) return core::sum(size, axes, keepdim);
  if (p == 0) return core::cast(core::sum(core::ne(size, 0), axes, keepdim), x.dtype());
  if (p == INFINITY) return core::amax(size, axes, keepdim);
  if (p == -INFINITY) return core::amin(size, axes, keepdim);
  return core::pow(core::sum(core::pow(size, p), axes, keepdim), 1 / p);
}

// y = (sum |x|^p)^(1/p)  gives  dx = sign(x) |x|^(p-1) y^(1-p) g, and 0 where x or y is 0: there a
// number is put in their place that has a finite power.
Tensor slope(const Tensor& x, const Tensor& y, double p) {
  if (p == 1) return sign(x);
  const Tensor no_length = eq(y, 0), length = masked_fill(y, no_length, 1);
  if (p == 2) return x * masked_fill(reciprocal(length), no_length, 0);
  const Tensor size = masked_fill(abs(x), eq(x, 0), 1);
  return sign(x) * pow(size, p - 1) * masked_fill(pow(length, 1 - p), no_length, 0);
}

// y = max |x| or min |x|  gives  dx = sign(x) g where |x| = y, NaN too, shared by all of these.
Tensor extreme_slope(const Tensor& x, const Tensor& y, const Axes& axes) {
  const Tensor same = logical_or(eq(abs(x), y), logical_and(isnan(x), isnan(y)));
  const Tensor share = to(same, x.dtype());
  return sign(x) * share / sum(share, axes, true);
}

}  // namespace

Tensor norm(const Tensor& x, double p, const Axes& axes, bool keepdim) {
  check_defined("norm", x);
  core::check_floating("norm", x.dtype());
  const Shape k = kept("norm", x.shape(), axes);
  const auto value = [&] { return length(x.array(), p, axes, keepdim); };
  if (p == 0) return record("norm", value, with(x), args(p, axes), unprinted(keepdim));
  return record("norm", value,
                wrt(x,
                    [x = saved(x), p, axes, k](const Tensor& g, const Tensor& y) {
                      const Tensor top = reshape(y, k);
                      return reshape(g, k) *
                             (std::isinf(p) ? extreme_slope(x(), top, axes) : slope(x(), top, p));
                    }),
                args(p, axes), unprinted(keepdim));
}

// Its gradient is that of what it is made of.
Tensor cosine_similarity(const Tensor& a, const Tensor& b, int d, double eps) {
  check_defined("cosine_similarity", a, b);
  core::check_floating("cosine_similarity", a.dtype());
  core::check_same("cosine_similarity", a.dtype(), b.dtype());
  const Shape shape = core::broadcast("cosine_similarity", a.shape(), b.shape());
  core::dim_if_any("cosine_similarity", d, shape.rank());
  const Tensor x = expand(a, shape), y = expand(b, shape);
  const auto bounded_norm = [&](const Tensor& v) {
    return sqrt(clamp(sum(square(v), {d}), eps * eps));
  };
  return composed(
      "cosine_similarity", [&] { return sum(x * y, {d}) / (bounded_norm(x) * bounded_norm(y)); },
      unprinted(d, eps));
}

}  // namespace tapehead
