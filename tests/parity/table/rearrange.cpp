// Rows: elements in other places.
#include <algorithm>

#include "draws.h"

namespace parity::rows {
namespace {

Drawn moved(Draw& d) {
  const Operand x = d.any();
  const Indices from = d.order(d.rank(x)), to = d.order(d.rank(x));
  const auto some = d.random.below(d.rank(x) + 1);
  return Arguments{x, Indices(from.begin(), from.begin() + some),
                   Indices(to.begin(), to.begin() + some)};
}
Drawn one_moved(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.dim(d.rank(x)), d.dim(d.rank(x))};
}
Drawn any_along(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.dim(d.rank(x))};
}
Drawn diagonals(Draw& d) {
  const Operand x = d.floating_of_rank(2);
  return Arguments{x, d.random.between(-2, 2), d.dim(d.rank(x)), d.dim(d.rank(x))};
}
// PyTorch 1.13 throws where a matrix has no such diagonal.
Drawn diagonal_of(Draw& d) {
  const Operand x = d.floating_of_rank(1, 2);
  const Indices shape = d.see(x).shape;
  if (shape.size() == 2 && count_of(shape) == 0) return {};
  return Arguments{x, shape.size() == 2 ? d.random.between(1 - shape[0], shape[1] - 1)
                                        : d.random.between(-2, 2)};
}
Drawn diagonal_undone(Draw& d) {
  const Operand g = d.floating_of_rank(1, 3);
  if (d.rank(g) == 0) return {};
  const Indices shape = d.see(g).shape;
  const Index n = shape.back(), offset = d.random.between(-2, 2);
  Indices whole{n + std::max<Index>(0, -offset), n + std::max<Index>(0, offset)};
  whole.insert(whole.end(), shape.begin(), shape.end() - 1);
  return Arguments{g, whole, offset, Index{0}, Index{1}};
}
Drawn flipped(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.axes(d.rank(x))};
}
Drawn rolled(Draw& d) {
  const Operand x = d.any();
  const Indices dims = d.axes(d.rank(x));
  Indices shifts;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, dims.size()); ++i)
    shifts.push_back(d.random.between(-4, 4));
  return Arguments{x, shifts, dims};
}
Drawn repeated(Draw& d) {
  const Operand x = d.any();
  Indices repeats;
  for (Index i = d.rank(x) + d.random.between(d.rarely() ? -1 : 0, 1); i > 0; --i)
    repeats.push_back(d.random.between(d.rarely() ? 0 : 1, 2));
  return Arguments{x, repeats};
}
Drawn interleaved(Draw& d) {
  const Operand x = d.any();
  const Argument dim =
      d.random.chance(0.2) || d.rank(x) == 0 ? Argument() : Argument(d.dim(d.rank(x)));
  return Arguments{x, d.random.between(0, 3), dim};
}

// A number for each element along a dimension, or one for all.
Drawn interleaved_by_tensor(Draw& d) {
  const Operand x = d.any();
  const Indices shape = d.see(x).shape;
  const bool flat = shape.empty() || d.random.chance(0.2);
  const Index dim = flat ? 0 : d.random.below(d.rank(x));
  const Index size =
      flat ? static_cast<Index>(count_of(shape)) : shape[static_cast<std::size_t>(dim)];
  const Indices one_or_each{d.random.chance(0.2) ? 1 : size};
  return Arguments{x, d.index(one_or_each, 3), flat ? Argument() : Argument(dim)};
}

}  // namespace

Rows rearrangements() {
  constexpr auto view_kind = Row::View;
  return {
      {"ravel", "ravel", one_of_any, [](const Call& c) -> Results { return ravel(c[0]); }, nullptr,
       view_kind},
      {"swapdims", "swapdims", one_moved,
       [](const Call& c) -> Results { return swapdims(c[0], c.dim(1), c.dim(2)); }, nullptr,
       view_kind},
      {"movedim", "movedim.intlist", moved,
       [](const Call& c) -> Results { return movedim(c[0], c.dims(1), c.dims(2)); }, nullptr,
       view_kind},
      {"movedim", "movedim.int", one_moved,
       [](const Call& c) -> Results { return movedim(c[0], c.dim(1), c.dim(2)); }, nullptr,
       view_kind},
      {"unbind", "unbind.int", any_along,
       [](const Call& c) -> Results { return unbind(c[0], c.dim(1)); }, nullptr, view_kind},
      {"diagonal", "diagonal", diagonals,
       [](const Call& c) -> Results { return diagonal(c[0], c.whole(1), c.dim(2), c.dim(3)); },
       nullptr, view_kind},
      {"diag", "diag", diagonal_of,
       [](const Call& c) -> Results { return diag(c[0], c.whole(1)); }},
      {"diagonal_backward", "diagonal_backward", diagonal_undone,
       [](const Call& c) -> Results {
         return diagonal_backward(c[0], c.dims(1), c.whole(2), c.dim(3), c.dim(4));
       }},
      {"flip", "flip", flipped, [](const Call& c) -> Results { return flip(c[0], c.dims(1)); }},
      {"roll", "roll", rolled,
       [](const Call& c) -> Results {
         return c.indices(2).empty() ? roll(c[0], c.indices(1)[0])
                                     : roll(c[0], c.dims(1), c.dims(2));
       }},
      {"repeat", "repeat", repeated,
       [](const Call& c) -> Results { return repeat(c[0], c.dims(1)); }},
      {"tile", "tile", repeated, [](const Call& c) -> Results { return tile(c[0], c.dims(1)); }},
      {"repeat_interleave", "repeat_interleave.self_int", interleaved,
       [](const Call& c) -> Results {
         return repeat_interleave(c[0], c.whole(1), c.dim_or_none(2));
       }},
      {"repeat_interleave", "repeat_interleave.self_Tensor", interleaved_by_tensor,
       [](const Call& c) -> Results { return repeat_interleave(c[0], c[1], c.dim_or_none(2)); }},
      {"repeat_interleave", "repeat_interleave.Tensor",
       [](Draw& d) -> Drawn { return Arguments{d.index({d.random.between(0, 4)}, 3)}; },
       [](const Call& c) -> Results { return repeat_interleave(c[0]); }},
  };
}

}  // namespace parity::rows
