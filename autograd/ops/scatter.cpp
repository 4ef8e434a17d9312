// Elements and slices put where an index says. What was overwritten, of x or by a later element of
// the source, has no gradient.
#include "../../core/creation.h"
#include "../../core/elementwise.h"
#include "../../core/indexing.h"
#include "../create.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {
namespace {

// Where a later element of the source goes to the same place.
Tensor overwritten(const Shape& shape, int d, const Tensor& index) {
  const NDArray order = core::arange(0, index.numel(), 1, Int64).view(index.shape());
  NDArray last = NDArray::full(shape, 0, Int64);
  core::scatter_(last, d, index.array(), order);
  return Tensor(core::ne(core::gather(last, d, index.array()), order));
}

// The gradient of a source of this shape, of which the index may have left out the ends.
Tensor of_source(const Tensor& g, int d, const Tensor& index, const Shape& shape, bool adding) {
  if (index.numel() == 0) return zeros(shape, g.dtype());
  Tensor taken = gather(g, d, index);
  if (!adding) taken = masked_fill(taken, overwritten(g.shape(), d, index), 0);
  if (taken.dim() != shape.rank()) return reshape(taken, shape);
  for (int k = 0; k < shape.rank(); ++k) {
    Shape grown = taken.shape();
    grown[k] = shape[k];
    if (grown != taken.shape()) taken = slice_backward(taken, grown, k, 0, 1);
  }
  return taken;
}

auto source_rule(const Tensor& index, int d, const Tensor& src, bool adding) {
  return [index = saved(index), s = src.shape(), d, adding](const Tensor& g) {
    return of_source(g, d, index(), s, adding);
  };
}
auto cleared_rule(const Tensor& index, int d) {
  return [index = saved(index), d](const Tensor& g) { return scatter(g, d, index(), 0); };
}

// y = x + alpha src at the index  gives  dsrc = alpha g there.
auto slices_rule(const Tensor& index, int d, const Tensor& src, Scalar alpha) {
  return [index = saved(index), s = src.shape(), d, alpha](const Tensor& g) {
    const Tensor taken = index_select(g.dim() == 0 ? unsqueeze(g, 0) : g, d, index());
    return reshape(alpha.real() == 1 ? taken : taken * alpha, s);
  };
}
void add_slices(const char* op, NDArray& x, int d, const Tensor& index, const Tensor& src,
                Scalar alpha) {
  core::dispatch_numeric(op, x.dtype(), [&]<class T>() { alpha.to<T>(op); });
  core::check_same(op, x.dtype(), src.dtype(), x.dtype());
  const NDArray source = alpha.real() == 1 ? src.array() : core::mul(src.array(), alpha);
  core::index_add_(x, d, index.array(), source, op);
}

// change(x) of a copy of x.
template <class Change>
auto on_copy(const Tensor& x, Change change) {
  return [&x, change] {
    NDArray result = x.array().clone();
    change(result);
    return result;
  };
}

Tensor unchanged(const Tensor& g) { return g; }

}  // namespace

static Tensor scattered(const char* op, const Tensor& x, int d, const Tensor& index,
                        const Tensor& src) {
  const auto put = [&](NDArray& to) { core::scatter_(to, d, index.array(), src.array(), op); };
  return record(op, on_copy(x, put), wrt(x, cleared_rule(index, d)),
                wrt(src, source_rule(index, d, src, false)), with(index), args(d));
}
Tensor scatter(const Tensor& x, int d, const Tensor& index, const Tensor& src) {
  check_defined("scatter", x, index, src);
  return scattered("scatter", x, d, index, src);
}
Tensor scatter(const Tensor& x, int d, const Tensor& index, Scalar value) {
  check_defined("scatter", x, index);
  const auto put = [&](NDArray& to) { core::scatter_(to, d, index.array(), value, "scatter"); };
  return record("scatter", on_copy(x, put), wrt(x, cleared_rule(index, d)), with(index),
                args(d, value));
}
Tensor& Tensor::scatter_(int d, const Tensor& index, const Tensor& src) {
  check_defined("scatter_", *this, index, src);
  const auto put = [&](NDArray& x) { core::scatter_(x, d, index.array(), src.array()); };
  return record_in_place("scatter_", *this, put, wrt(*this, cleared_rule(index, d)),
                         wrt(src, source_rule(index, d, src, false)), with(index), args(d));
}
Tensor& Tensor::scatter_(int d, const Tensor& index, Scalar value) {
  check_defined("scatter_", *this, index);
  const auto put = [&](NDArray& x) { core::scatter_(x, d, index.array(), value); };
  return record_in_place("scatter_", *this, put, wrt(*this, cleared_rule(index, d)), with(index),
                         args(d, value));
}

Tensor scatter_add(const Tensor& x, int d, const Tensor& index, const Tensor& src) {
  check_defined("scatter_add", x, index, src);
  const auto put = [&](NDArray& to) {
    core::scatter_add_(to, d, index.array(), src.array(), "scatter_add");
  };
  return record("scatter_add", on_copy(x, put), wrt(x, unchanged),
                wrt(src, source_rule(index, d, src, true)), with(index), args(d));
}
Tensor& Tensor::scatter_add_(int d, const Tensor& index, const Tensor& src) {
  check_defined("scatter_add_", *this, index, src);
  const auto put = [&](NDArray& x) { core::scatter_add_(x, d, index.array(), src.array()); };
  return record_in_place("scatter_add_", *this, put, wrt(*this, unchanged),
                         wrt(src, source_rule(index, d, src, true)), with(index), args(d));
}

Tensor index_add(const Tensor& x, int d, const Tensor& index, const Tensor& src, Scalar alpha) {
  check_defined("index_add", x, index, src);
  const auto put = [&](NDArray& to) { add_slices("index_add", to, d, index, src, alpha); };
  return record("index_add", on_copy(x, put), wrt(x, unchanged),
                wrt(src, slices_rule(index, d, src, alpha)), with(index), args(d, alpha));
}
Tensor& Tensor::index_add_(int d, const Tensor& index, const Tensor& src, Scalar alpha) {
  check_defined("index_add_", *this, index, src);
  const auto put = [&](NDArray& x) { add_slices("index_add_", x, d, index, src, alpha); };
  return record_in_place("index_add_", *this, put, wrt(*this, unchanged),
                         wrt(src, slices_rule(index, d, src, alpha)), with(index), args(d, alpha));
}

// A scatter whose index repeats itself along the other dimensions.
static Tensor slices_index(const char* op, const Tensor& x, int d, const Tensor& index,
                           const Tensor& src) {
  Shape expected = x.dim() == 0 ? Shape{1} : x.shape();
  Shape row = Shape::filled(expected.rank(), 1);
  expected[d] = row[d] = index.numel();
  const bool fits = src.shape() == expected || (src.dim() == 0 && expected == Shape{1});
  if (index.dim() > 1 || !fits)
    fail<ShapeError>(op, ": expected an index of 1 dimension and a source of shape ", expected,
                     ", got ", index.shape(), " and ", src.shape());
  return Tensor(index.array().view(row).expand(expected));
}
Tensor index_copy(const Tensor& x, int d, const Tensor& index, const Tensor& src) {
  check_defined("index_copy", x, index, src);
  d = core::dim_if_any("index_copy", d, x.dim());
  return scattered("index_copy", x, d, slices_index("index_copy", x, d, index, src), src);
}
Tensor& Tensor::index_copy_(int d, const Tensor& index, const Tensor& src) {
  check_defined("index_copy_", *this, index, src);
  d = core::dim_if_any("index_copy_", d, dim());
  Tensor at = slices_index("index_copy_", *this, d, index, src);
  const auto put = [&](NDArray& x) {
    core::scatter_(x, d, at.array(), src.array(), "index_copy_");
  };
  return record_in_place("index_copy_", *this, put, wrt(*this, cleared_rule(at, d)),
                         wrt(src, source_rule(at, d, src, false)), with(at), args(d));
}

}  // namespace tapehead
