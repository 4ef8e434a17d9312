// Rows: by index.
#include <algorithm>

#include "draws.h"

namespace parity::rows {
namespace {

Index size_along(const Indices& shape, Index dim) {
  const Index rank = static_cast<Index>(shape.size());
  return dim < -rank || dim >= rank ? 1
                                    : shape[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)];
}
Indices with_size(Indices shape, Index dim, Index size) {
  const Index rank = static_cast<Index>(shape.size());
  if (dim >= -rank && dim < rank)
    shape[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)] = size;
  return shape;
}

Drawn rows_picked(Draw& d) {
  const Operand x = d.any();
  const Index dim = d.dim(d.rank(x));
  // Given several indices into no dimensions, PyTorch 1.13 writes them all over one element.
  const Index count = d.rank(x) == 0 ? 1 : d.random.between(0, 4);
  const Indices shape = d.random.chance(0.1) ? Indices() : Indices{count};
  return Arguments{x, dim, d.index(shape, size_along(d.see(x).shape, dim))};
}
Drawn gathered(Draw& d) {
  const Operand x = d.any();
  const Index dim = d.dim(d.rank(x)), size = size_along(d.see(x).shape, dim);
  Indices shape = d.see(x).shape;
  for (Index& s : shape)
    if (s > 1 && d.random.chance(0.3)) s -= 1;
  shape = with_size(shape, dim, size == 0 ? 0 : d.random.between(0, 4));
  if (d.rarely() && !shape.empty()) shape[0] += 2;
  return Arguments{x, dim, d.index(shape, size)};
}
// PyTorch 1.13 fails in the second derivative where there is no index.
Drawn looked_up(Draw& d) {
  const Operand weight = d.floating_of_rank(2, 2);
  Indices shape = d.shape();
  for (Index& size : shape) size = std::max<Index>(size, 1);
  return Arguments{weight, d.index(shape, d.rank(weight) == 2 ? d.see(weight).shape[0] : 1)};
}

// The gradient of a slice of something: g fills [start, start + n step) of dimension dim.
Drawn slice_undone(Draw& d) {
  const Operand g = d.floating_of_rank(1);
  if (d.rank(g) == 0) return {};
  const Index dim = d.random.between(-d.rank(g), d.rank(g) - 1),
              n = size_along(d.see(g).shape, dim), start = d.random.between(0, 2),
              step = d.random.between(1, 3);
  const Index end = n == 0 ? start : start + (n - 1) * step + 1;
  return Arguments{
      g, with_size(d.see(g).shape, dim, end + d.random.between(0, 2)), dim, start, end, step};
}
Drawn rows_put_back(Draw& d) {
  const Operand g = d.floating_of_rank(1);
  if (d.rank(g) == 0) return {};
  const Index dim = d.random.between(-d.rank(g), d.rank(g) - 1), size = d.random.between(1, 4);
  return Arguments{g, with_size(d.see(g).shape, dim, size), dim,
                   d.index({size_along(d.see(g).shape, dim)}, size)};
}
Drawn gather_undone(Draw& d) {
  const Operand g = d.floating_of_rank(1);
  if (d.rank(g) == 0) return {};
  const Index dim = d.random.between(-d.rank(g), d.rank(g) - 1), size = d.random.between(1, 4);
  const Indices shape = with_size(d.see(g).shape, dim, size);
  return Arguments{g, d.leaf(shape, d.see(g).dtype), dim, d.index(d.see(g).shape, size), false};
}

}  // namespace

Rows indexing() {
  return {
      {"index_select", "index_select", rows_picked,
       [](const Call& c) -> Results { return index_select(c[0], c.dim(1), c[2]); }},
      {"gather", "gather", gathered,
       [](const Call& c) -> Results { return gather(c[0], c.dim(1), c[2]); }},
      {"embedding", "embedding", looked_up,
       [](const Call& c) -> Results { return embedding(c[1], c[0]); }},
      {"slice_backward", "slice_backward", slice_undone,
       [](const Call& c) -> Results {
         return slice_backward(c[0], c.dims(1), c.dim(2), c.whole(3), c.whole(5));
       }},
      {"index_select_backward", "index_select_backward", rows_put_back,
       [](const Call& c) -> Results {
         return index_select_backward(c[0], c.dims(1), c.dim(2), c[3]);
       }},
      {"gather_backward", "gather_backward", gather_undone,
       [](const Call& c) -> Results {
         return gather_backward(c[0], c[1].shape(), c.dim(2), c[3]);
       }},
  };
}

}  // namespace parity::rows
