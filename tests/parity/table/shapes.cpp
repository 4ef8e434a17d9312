// Rows: shapes.
#include <algorithm>

#include "draws.h"

namespace parity::rows {
namespace {

Drawn regrouped(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.regrouped(d.see(x).shape)};
}
Drawn flattened(Draw& d) {
  const Operand x = d.any();
  Index a = d.dim(d.rank(x)), b = d.dim(d.rank(x));
  const Index rank = std::max<Index>(1, d.rank(x));
  if ((a + rank) % rank > (b + rank) % rank && !d.rarely()) std::swap(a, b);
  return Arguments{x, a, b};
}
Drawn swapped(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.dim(d.rank(x)), d.dim(d.rank(x))};
}
Drawn permuted(Draw& d) {
  const Operand x = d.any();
  Indices order = d.order(d.rank(x));
  for (Index& o : order)
    if (d.random.chance(0.2)) o -= d.rank(x);
  if (d.rarely()) order.push_back(0);
  return Arguments{x, order};
}
Drawn along(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.dim(d.rank(x))};
}
Drawn widened(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.dim(d.rank(x) + 1)};
}
Index size_along(Draw& d, Operand x, Index dim) {
  const Index rank = d.rank(x);
  if (dim < -rank || dim >= rank) return 1;
  return d.see(x).shape[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)];
}
Drawn narrowed(Draw& d) {
  const Operand x = d.any();
  const Index dim = d.dim(d.rank(x)), size = size_along(d, x, dim);
  const Index start = d.random.between(d.rarely() ? -size : 0, size);
  return Arguments{x, dim, start,
                   d.random.between(0, std::max<Index>(0, size - start)) + (d.rarely() ? 2 : 0)};
}
Drawn selected(Draw& d) {
  const Operand x = d.any();
  const Index dim = d.dim(d.rank(x)), size = size_along(d, x, dim);
  return Arguments{x, dim, d.rarely() || size == 0 ? size : d.random.between(-size, size - 1)};
}
Drawn sliced(Draw& d) {
  const Operand x = d.any();
  const Index dim = d.dim(d.rank(x)), size = size_along(d, x, dim);
  return Arguments{x, dim, d.random.between(-size - 1, size + 1),
                   d.random.between(-size - 1, size + 2), d.random.between(d.rarely() ? 0 : 1, 3)};
}
Drawn split_evenly(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.random.between(d.rarely() ? 0 : 1, 3), d.dim(d.rank(x))};
}
Drawn split_up(Draw& d) {
  const Operand x = d.any();
  const Index dim = d.dim(d.rank(x)), size = size_along(d, x, dim);
  const Index first = d.random.between(0, size);
  Indices sizes{first, size - first};
  if (d.rarely()) sizes.push_back(1);
  return Arguments{x, sizes, dim};
}
Drawn joined(Draw& d) {
  const Operand x = d.any();
  if (d.see(x).shape == Indices{0}) return {};  // which PyTorch's cat overlooks, at any dimension
  const Index dim = d.dim(d.rank(x)), rank = d.rank(x);
  Operands list{x};
  for (Index more = d.random.between(0, 2); more > 0; --more) {
    Indices shape = d.see(x).shape;
    if (dim >= -rank && dim < rank)
      shape[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)] = d.random.between(0, 3);
    if (d.rarely() && !shape.empty()) shape[0] += 1;
    list.push_back(d.like(x, shape));
  }
  return Arguments{list, dim};
}
Drawn stacked(Draw& d) {
  const Operand x = d.any();
  Operands list{x};
  for (Index more = d.random.between(0, 2); more > 0; --more)
    list.push_back(d.like(x, d.rarely() ? d.shape() : d.see(x).shape));
  return Arguments{list, d.dim(d.rank(x) + 1)};
}
Drawn converted(Draw& d) {
  static const std::vector<DType> dtypes{DType::Float32, DType::Float64, DType::Float64,
                                         DType::Int64, DType::Bool};
  return Arguments{d.any(), d.random.pick(dtypes)};
}
// PyTorch 1.13 takes anything without elements.
Drawn triangle(Draw& d) {
  const Operand x = d.floating_of_rank(2);
  if (d.rank(x) < 2 && d.see(x).size() == 0) return {};
  return Arguments{x, d.random.between(-3, 3)};
}

}  // namespace

Rows shapes() {
  constexpr auto view_kind = Row::View;
  return {
      {"view", "view", regrouped, [](const Call& c) -> Results { return view(c[0], c.dims(1)); },
       nullptr, view_kind},
      {"reshape", "reshape", regrouped,
       [](const Call& c) -> Results { return reshape(c[0], c.dims(1)); }, nullptr, view_kind},
      {"flatten", "flatten.using_ints", flattened,
       [](const Call& c) -> Results { return flatten(c[0], c.dim(1), c.dim(2)); }, nullptr,
       view_kind},
      {"transpose", "transpose.int", swapped,
       [](const Call& c) -> Results { return transpose(c[0], c.dim(1), c.dim(2)); }, nullptr,
       view_kind},
      {"t", "t", [](Draw& d) -> Drawn { return Arguments{d.floating_of_rank(0, 2)}; },
       [](const Call& c) -> Results { return t(c[0]); }, nullptr, view_kind},
      {"mT", "mT",
       [](Draw& d) -> Drawn {  // PyTorch 1.13 still takes one without dimensions, later ones don't
         const Operand x = d.floating_of_rank(2);
         if (d.rank(x) == 0) return {};
         return Arguments{x};
       },
       [](const Call& c) -> Results { return mT(c[0]); }, nullptr, view_kind},
      {"permute", "permute", permuted,
       [](const Call& c) -> Results { return permute(c[0], c.dims(1)); }, nullptr, view_kind},
      {"expand", "expand",
       [](Draw& d) -> Drawn {
         const Operand x = d.any();
         return Arguments{x, d.expanded(d.see(x).shape)};
       },
       [](const Call& c) -> Results { return expand(c[0], c.dims(1)); }, nullptr, view_kind},
      {"squeeze", "squeeze", one_of_any, [](const Call& c) -> Results { return squeeze(c[0]); },
       nullptr, view_kind},
      {"squeeze", "squeeze.dim", along,
       [](const Call& c) -> Results { return squeeze(c[0], c.dim(1)); }, nullptr, view_kind},
      {"unsqueeze", "unsqueeze", widened,
       [](const Call& c) -> Results { return unsqueeze(c[0], c.dim(1)); }, nullptr, view_kind},
      {"narrow", "narrow", narrowed,
       [](const Call& c) -> Results { return narrow(c[0], c.dim(1), c.whole(2), c.whole(3)); },
       nullptr, view_kind},
      {"select", "select.int", selected,
       [](const Call& c) -> Results { return select(c[0], c.dim(1), c.whole(2)); }, nullptr,
       view_kind},
      {"slice", "slice.Tensor", sliced,
       [](const Call& c) -> Results {
         return slice(c[0], c.dim(1), c.whole(2), c.whole(3), c.whole(4));
       },
       nullptr, view_kind},
      {"split", "split.Tensor", split_evenly,
       [](const Call& c) -> Results { return split(c[0], c.whole(1), c.dim(2)); }, nullptr,
       view_kind},
      {"split", "split_with_sizes", split_up,
       [](const Call& c) -> Results { return split(c[0], c.indices(1), c.dim(2)); }, nullptr,
       view_kind},
      {"chunk", "chunk", split_evenly,
       [](const Call& c) -> Results { return chunk(c[0], c.whole(1), c.dim(2)); }, nullptr,
       view_kind},
      {"alias", "alias", one_of_any, [](const Call& c) -> Results { return alias(c[0]); }, nullptr,
       view_kind},
      {"cat", "cat", joined, [](const Call& c) -> Results { return cat(c.tensors(0), c.dim(1)); }},
      {"stack", "stack", stacked,
       [](const Call& c) -> Results { return stack(c.tensors(0), c.dim(1)); }},
      {"contiguous", "contiguous", one_of_any,
       [](const Call& c) -> Results { return contiguous(c[0]); }},
      {"clone", "clone", one_of_any, [](const Call& c) -> Results { return clone(c[0]); }},
      {"to", "to.dtype", converted, [](const Call& c) -> Results { return to(c[0], c.dtype(1)); }},
      {"tril", "tril", triangle, [](const Call& c) -> Results { return tril(c[0], c.whole(1)); }},
      {"triu", "triu", triangle, [](const Call& c) -> Results { return triu(c[0], c.whole(1)); }},
  };
}

}  // namespace parity::rows
