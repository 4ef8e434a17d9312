// Rows: order and chance.
#include <algorithm>

#include "draws.h"

namespace parity::rows {
namespace {

// PyTorch's order of arguments: stable, dim, descending.
Drawn sorted(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, true, d.dim(d.rank(x)), d.flag()};
}
// PyTorch leaves open which of equal elements it takes.
Drawn largest(Draw& d) {
  const Operand x = d.floating();
  Numbers values = d.see(x).values;
  std::sort(values.begin(), values.end());
  if (std::adjacent_find(values.begin(), values.end()) != values.end()) return {};
  const Index dim = d.dim(d.rank(x)), rank = d.rank(x);
  const Index size = rank == 0 || dim < -rank || dim >= rank
                         ? 1
                         : d.see(x).shape[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)];
  return Arguments{x, d.random.between(rank == 0 ? 1 : 0, size + (d.rarely() ? 1 : 0)), dim,
                   d.flag(), true};
}
Drawn chances(Draw& d) {
  const Index categories = d.random.between(1, 5);
  Indices shape{categories};
  if (d.random.chance(0.5)) shape.insert(shape.begin(), d.random.between(1, 3));
  const Operand weights = d.leaf(shape, d.dtype(), positive);
  const bool replacement = d.random.chance(0.5);
  return Arguments{weights, d.random.between(1, replacement ? 6 : categories), replacement};
}

}  // namespace

Rows order() {
  return {
      {"sort", "sort.stable", sorted,
       [](const Call& c) -> Results { return sort(c[0], c.dim(2), c.flag(3), c.flag(1)); }},
      {"argsort", "argsort.stable", sorted,
       [](const Call& c) -> Results { return argsort(c[0], c.dim(2), c.flag(3), c.flag(1)); }},
      {"topk", "topk", largest,
       [](const Call& c) -> Results {
         return topk(c[0], c.whole(1), c.dim(2), c.flag(3), c.flag(4));
       }},
      {"multinomial", "multinomial", chances,
       [](const Call& c) -> Results { return multinomial(c[0], c.whole(1), c.flag(2)); }},
  };
}

}  // namespace parity::rows
