// More shapes: dimensions moved, elements mirrored, shifted and repeated.
#include "../../core/rearrange.h"

#include "../../core/elementwise.h"
#include "../ops.h"
#include "check_defined.h"
#include "check_parts.h"

namespace tapehead {

Tensor ravel(const Tensor& x) {
  check_defined("ravel", x);
  return view(contiguous(x), {-1});
}

Tensor swapdims(const Tensor& x, int d0, int d1) {
  check_defined("swapdims", x);
  return composed(
      "swapdims", [&] { return transpose(x, d0, d1); }, unprinted(d0, d1));
}

static Tensor moved_to(const Tensor& x, const Dims& source, const Dims& destination) {
  if (source.rank() != destination.rank())
    fail<ShapeError>("movedim: source ", source, " and destination ", destination,
                     " must name as many dimensions");
  Dims order = Dims::filled(x.dim(), -1), moved = Dims::filled(x.dim(), 0);
  for (int k = 0; k < source.rank(); ++k) {
    const int from = core::dim_if_any("movedim", source[k], x.dim());
    const int to = core::dim_if_any("movedim", destination[k], x.dim());
    if (x.dim() == 0) return alias(x);
    if (moved[from] != 0 || order[to] != -1)
      fail<ShapeError>("movedim: source ", source, " and destination ", destination,
                       " must each name a dimension once");
    moved[from] = 1, order[to] = from;
  }
  int next = 0;
  for (int d = 0; d < x.dim(); ++d) {
    if (order[d] != -1) continue;
    while (moved[next] != 0) ++next;
    order[d] = next++;
  }
  return permute(x, order);
}
Tensor movedim(const Tensor& x, const Dims& source, const Dims& destination) {
  check_defined("movedim", x);
  return composed(
      "movedim", [&] { return moved_to(x, source, destination); }, unprinted(source, destination));
}
Tensor movedim(const Tensor& x, int source, int destination) {
  return movedim(x, Dims{source}, Dims{destination});
}

std::vector<Tensor> unbind(const Tensor& x, int d) {
  check_defined("unbind", x);
  d = core::dim("unbind", d, x.dim());
  check_parts("unbind", x.size(d));
  const auto value = [&] {
    std::vector<Tensor> slices;
    for (Index i = 0; i < x.size(d); ++i) slices.push_back(select(x, d, i));
    return slices;
  };
  return composed("unbind", value, unprinted(d));
}

Tensor diagonal(const Tensor& x, Index offset, int d0, int d1) {
  check_defined("diagonal", x);
  return record(
      "diagonal", [&] { return x.array().diagonal(offset, d0, d1); },
      wrt(x, [s = x.shape(), offset, d0,
              d1](const Tensor& g) { return diagonal_backward(g, s, offset, d0, d1); }),
      args(offset, d0, d1));
}

static Tensor diag_of(const Tensor& x, Index diagonal) {
  if (x.dim() == 2) return clone(tapehead::diagonal(x, diagonal));
  if (x.dim() != 1)
    fail<ShapeError>("diag: expected a vector or a matrix, got shape ", x.shape(),
                     "; diagonal() takes more dimensions");
  // Room for the longest diagonal that can be asked for; larger ones overflow as the matrix does.
  constexpr Index far = Index{1} << 62;
  const Index shift = std::clamp(diagonal, -far, far), n = x.size(0) + std::abs(shift);
  return diagonal_backward(x, {n, n}, shift, 0, 1);
}
Tensor diag(const Tensor& x, Index diagonal) {
  check_defined("diag", x);
  return composed(
      "diag", [&] { return diag_of(x, diagonal); }, unprinted(diagonal));
}

Tensor flip(const Tensor& x, const Dims& dims) {
  check_defined("flip", x);
  return record(
      "flip", [&] { return core::flip(x.array(), dims); },
      wrt(x, [dims](const Tensor& g) { return flip(g, dims); }), args(dims));
}

// ---- roll
// ----------------------------------------------------------------------------------------

static Tensor rolled(const Tensor& x, Index shift, int d) {
  const Index size = x.shape()[core::dim("roll", d, x.dim())];
  const Index by = size == 0 ? 0 : shift % size;
  return record(
      "roll", [&] { return core::roll(x.array(), by, d); },
      wrt(x, [by, d](const Tensor& g) { return rolled(g, -by, d); }), args(by, d));
}
Tensor roll(const Tensor& x, Index shift, std::optional<int> d) {
  check_defined("roll", x);
  return d ? rolled(x, shift, *d) : view(rolled(ravel(x), shift, 0), x.shape());
}
Tensor roll(const Tensor& x, const Dims& shifts, const Dims& dims) {
  check_defined("roll", x);
  if (shifts.rank() != dims.rank() || shifts.rank() == 0)
    fail<ShapeError>("roll: expected a shift for each dimension, got shifts ", shifts,
                     " and dimensions ", dims);
  Tensor result = x;
  for (int k = 0; k < dims.rank(); ++k)
    result = rolled(result, shifts[k], core::dim("roll", dims[k], x.dim()));
  return result;
}

// ---- repeat
// --------------------------------------------------------------------------------------

// x seen as (rows, 1, size), its middle repeated n times, in the end of this shape.
static Tensor repeated(const Tensor& x, Index rows, Index size, Index n, const Shape& shape) {
  return view(clone(expand(reshape(x, {rows, 1, size}), {rows, n, size})), shape);
}
static Index product(const Shape& shape, int begin, int end) {
  Index result = 1;
  for (int d = begin; d < end; ++d) result = core::checked_product(result, shape[d]);
  return result;
}

// From the last dimension on, so that little is copied more than once.
Tensor repeat(const Tensor& x, const Dims& repeats) {
  check_defined("repeat", x);
  const int added = repeats.rank() - x.dim();
  if (added < 0)
    fail<ShapeError>("repeat: expected a number for each dimension of ", x.shape(),
                     ", and more for new ones in front, got ", repeats, "; tile takes fewer");
  Shape shape = Shape::filled(added, 1);
  for (const Index size : x.shape()) shape.push_back(size);
  Tensor result = x;
  for (int d = repeats.rank(); d-- > 0;) {
    if (repeats[d] < 0) fail<ShapeError>("repeat: numbers cannot be negative, got ", repeats);
    if (repeats[d] == 1) continue;
    const Index rows = product(shape, 0, d), size = product(shape, d, shape.rank());
    shape[d] = core::checked_product(shape[d], repeats[d]);
    result = repeated(result, rows, size, repeats[d], shape);
  }
  return result.impl() != x.impl() ? result : view(clone(x), shape);
}

Tensor tile(const Tensor& x, const Dims& repeats) {
  check_defined("tile", x);
  Dims all = Dims::filled(std::max(0, x.dim() - repeats.rank()), 1);
  for (const Index n : repeats) all.push_back(n);
  return repeat(x, all);
}

Tensor repeat_interleave(const Tensor& x, Index repeats, std::optional<int> d) {
  check_defined("repeat_interleave", x);
  if (!d) return repeat_interleave(ravel(x), repeats, 0);
  if (repeats < 0) fail<ShapeError>("repeat_interleave: repeats cannot be negative, got ", repeats);
  const int along = core::dim("repeat_interleave", *d, x.dim());
  Shape shape = x.shape();
  const Index rows = product(shape, 0, along + 1), size = product(shape, along + 1, x.dim());
  shape[along] = core::checked_product(shape[along], repeats);
  return repeated(x, rows, size, repeats, shape);
}

Tensor repeat_interleave(const Tensor& repeats) {
  check_defined("repeat_interleave", repeats);
  return record(
      "repeat_interleave", [&] { return core::repeated_indices(repeats.array()); }, with(repeats));
}

Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, std::optional<int> d) {
  check_defined("repeat_interleave", x, repeats);
  if (!d) return repeat_interleave(ravel(x), repeats, 0);
  const int along = core::dim("repeat_interleave", *d, x.dim());
  if (repeats.dim() > 1 || (repeats.numel() != 1 && repeats.numel() != x.size(along)))
    fail<ShapeError>("repeat_interleave: expected one number, or one for each of the ",
                     x.size(along), " in dimension ", along, " of ", x.shape(),
                     ", got repeats of shape ", repeats.shape());
  const Tensor each = expand(reshape(repeats, {repeats.numel()}), {x.size(along)});
  return index_select(x, along, repeat_interleave(each));
}

}  // namespace tapehead
