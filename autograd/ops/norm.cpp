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

// Powers of what Float32 can hold, it cannot: they are added up in Float64.
NDArray length(const NDArray& x, double p, const Axes& axes, bool keepdim) {
  const NDArray size = core::abs(x);
  if (x.size() == 0 || p == 1) return core::sum(size, axes, keepdim);
  if (p == 0) return core::cast(core::sum(core::ne(size, 0), axes, keepdim), x.dtype());
  if (p == INFINITY) return core::amax(size, axes, keepdim);
  if (p == -INFINITY) return core::amin(size, axes, keepdim);
  const NDArray powers = core::pow(core::cast(size, Float64), p);
  return core::cast(core::pow(core::sum(powers, axes, keepdim), 1 / p), x.dtype());
}

// y = (sum |x|^p)^(1/p)  gives  dx = sign(x) (|x| / y)^(p-1) g, and 0 where x or y is 0: there a
// number is put in their place that has a finite power.
Tensor slope(const Tensor& x, const Tensor& y, double p) {
  if (p == 1) return sign(x);
  const Tensor no_length = eq(y, 0);
  if (p == 2) return x / masked_fill(y, no_length, INFINITY);
  const Tensor none = logical_or(eq(x, 0), no_length);
  const Tensor part = masked_fill(abs(x) / masked_fill(y, no_length, 1), none, 1);
  return masked_fill(sign(x) * pow(part, p - 1), none, 0);
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
  const auto direction = [&](const Tensor& v) { return v / clamp(norm(v, 2, {d}, true), eps); };
  return composed(
      "cosine_similarity", [&] { return sum(direction(x) * direction(y), {d}); },
      unprinted(d, eps));
}

}  // namespace tapehead
