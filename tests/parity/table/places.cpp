// Rows: into places, out of places.
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

// Some of 0..size-1, each once: of places named twice PyTorch leaves open which counts.
Operand distinct(Draw& d, Index size, Index count) {
  const Indices order = d.order(size);
  Numbers numbers;
  for (Index i = 0; i < count; ++i)
    numbers.push_back(static_cast<double>(order[static_cast<std::size_t>(i)]));
  return *d.run("leaf", {Indices{count}, DType::Int64, numbers});
}
// The same along dimension dim of a shape: element (…, i, …) is order[i].
Operand distinct_along(Draw& d, const Indices& shape, Index dim, Index size) {
  const Index rank = static_cast<Index>(shape.size());
  const Indices order = d.order(std::max<Index>(1, size));
  const std::size_t along = static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
  Index inner = 1;
  for (std::size_t k = along + 1; k < shape.size(); ++k) inner *= shape[k];
  Numbers numbers(count_of(shape));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Index at = static_cast<Index>(i) / std::max<Index>(1, inner) %
                     std::max<Index>(1, shape.empty() ? 1 : shape[along]);
    numbers[i] = static_cast<double>(order[static_cast<std::size_t>(at)]);
  }
  return *d.run("leaf", {shape, DType::Int64, numbers});
}

Drawn scattered(Draw& d) {
  const Operand x = d.floating_of_rank(1);
  if (d.rank(x) == 0) return {};
  const Index dim = d.random.between(-d.rank(x), d.rank(x) - 1),
              size = size_along(d.see(x).shape, dim);
  Indices shape = d.see(x).shape;
  for (Index& s : shape)
    if (s > 1 && d.random.chance(0.3)) s -= 1;
  const Operand index = distinct_along(d, shape, dim, size);
  return Arguments{x, dim, index, d.like(x, shape)};
}
Drawn number_scattered(Draw& d) {
  auto drawn = scattered(d);
  if (drawn) (*drawn)[3] = d.scalar_for(std::get<Operand>((*drawn)[0]));
  return drawn;
}
Drawn scattered_and_added(Draw& d) {
  const Operand x = d.floating_of_rank(1);
  if (d.rank(x) == 0) return {};
  const Index dim = d.random.between(-d.rank(x), d.rank(x) - 1),
              size = size_along(d.see(x).shape, dim);
  const Indices shape = with_size(d.see(x).shape, dim, size == 0 ? 0 : d.random.between(0, 4));
  return Arguments{x, dim, d.index(shape, size), d.like(x, shape)};
}
Drawn slices_added(Draw& d) {
  const Operand x = d.floating_of_rank(1);
  if (d.rank(x) == 0) return {};
  const Index dim = d.random.between(-d.rank(x), d.rank(x) - 1),
              size = size_along(d.see(x).shape, dim);
  const Index count = size == 0 ? 0 : d.random.between(1, 4);
  return Arguments{x, dim, d.index({count}, size), d.like(x, with_size(d.see(x).shape, dim, count)),
                   d.scalar_for(x)};
}
Drawn slices_copied(Draw& d) {
  const Operand x = d.floating_of_rank(1);
  if (d.rank(x) == 0) return {};
  const Index dim = d.random.between(-d.rank(x), d.rank(x) - 1),
              size = size_along(d.see(x).shape, dim);
  const Index count = d.random.between(0, size);
  return Arguments{x, dim, distinct(d, size, count),
                   d.like(x, with_size(d.see(x).shape, dim, count))};
}
// Of an index into nothing PyTorch does not ask whether it is out of range.
Drawn slices_filled(Draw& d) {
  const Operand x = d.floating_of_rank(1);
  if (d.rank(x) == 0 || count_of(d.see(x).shape) == 0) return {};
  const Index dim = d.random.between(-d.rank(x), d.rank(x) - 1),
              size = size_along(d.see(x).shape, dim);
  return Arguments{x, dim, d.index({size == 0 ? 0 : d.random.between(0, 3)}, size),
                   d.scalar_for(x)};
}
Drawn taken(Draw& d) {
  const Operand x = d.floating_of_rank(1);
  if (d.rank(x) == 0) return {};
  const Index dim = d.random.between(-d.rank(x), d.rank(x) - 1),
              size = size_along(d.see(x).shape, dim);
  if (count_of(d.see(x).shape) == 0) return {};
  return Arguments{x, d.index(with_size(d.see(x).shape, dim, d.random.between(1, 4)), size), dim};
}
// PyTorch 1.13 puts the gradient back in the order of memory: wrong unless that is row-major.
Drawn masked(Draw& d) {
  const auto x = d.run(control("clone"), {d.any()});
  if (!x) return {};
  return Arguments{*x, d.mask(d.see(*x).shape)};
}

// Indices for the first dimensions, which meet in one shape; None leaves a dimension whole.
Operands some_indices(Draw& d, Operand x, bool distinct_places) {
  Operands all;
  const Indices shape = d.see(x).shape;
  const Index count = d.random.between(1, 3);
  const Index used = d.random.between(1, d.rank(x));
  bool any = false;
  for (Index k = 0; k < used; ++k) {
    const Index size = shape[static_cast<std::size_t>(k)];
    if (k + 1 < used && d.random.chance(0.3)) {
      all.push_back({});
    } else if (distinct_places && !any) {
      all.push_back(distinct(d, size, std::min(size, count)));
      any = true;
    } else {
      all.push_back(d.index({distinct_places ? Index{1} : count}, size));
      any = true;
    }
  }
  return all;
}
Drawn indexed(Draw& d) {
  const Operand x = d.floating_of_rank(1);
  if (d.rank(x) == 0 || count_of(d.see(x).shape) == 0) return {};
  if (d.random.chance(0.3)) return Arguments{x, Operands{d.leaf(d.see(x).shape, DType::Bool)}};
  return Arguments{x, some_indices(d, x, false)};
}
Drawn put(Draw& d) {
  const Operand x = d.floating_of_rank(1);
  if (d.rank(x) == 0 || count_of(d.see(x).shape) == 0) return {};
  const bool accumulate = d.random.chance(0.5);
  return Arguments{x, some_indices(d, x, !accumulate), d.like(x, {}), accumulate};
}
// The same on a copy of what is changed.
Drawn copied(Draw& d, Drawn drawn) {
  if (!drawn) return {};
  if (const auto copy = d.run(control("clone"), {(*drawn)[0]})) (*drawn)[0] = *copy;
  return drawn;
}
Drawn masked_scattered(Draw& d) {
  const Operand x = d.floating();
  const Index enough = static_cast<Index>(d.see(x).values.size());
  return Arguments{x, d.mask(d.see(x).shape),
                   d.like(x, {d.rarely() ? enough / 2 : 8 * enough + d.random.below(2)})};
}

std::vector<tapehead::TensorIndex> to_indices(const Call& c) {
  std::vector<tapehead::TensorIndex> all;
  for (const Tensor& t : c.tensors(1)) {
    if (t.defined())
      all.emplace_back(t);
    else
      all.emplace_back(tapehead::indexing::Slice());
  }
  return all;
}

}  // namespace

Rows places() {
  return {
      {"scatter", "scatter.src", scattered,
       [](const Call& c) -> Results { return scatter(c[0], c.dim(1), c[2], c[3]); }},
      {"scatter", "scatter.value", number_scattered,
       [](const Call& c) -> Results { return scatter(c[0], c.dim(1), c[2], c.scalar(3)); }},
      {"scatter_add", "scatter_add", scattered_and_added,
       [](const Call& c) -> Results { return scatter_add(c[0], c.dim(1), c[2], c[3]); }},
      {"index_add", "index_add", slices_added,
       [](const Call& c) -> Results { return index_add(c[0], c.dim(1), c[2], c[3], c.scalar(4)); }},
      {"index_copy", "index_copy", slices_copied,
       [](const Call& c) -> Results { return index_copy(c[0], c.dim(1), c[2], c[3]); }},
      {"index_fill", "index_fill.int_Scalar", slices_filled,
       [](const Call& c) -> Results { return index_fill(c[0], c.dim(1), c[2], c.scalar(3)); }},
      {"take_along_dim", "take_along_dim", taken,
       [](const Call& c) -> Results { return take_along_dim(c[0], c[1], c.dim_or_none(2)); }},
      {"masked_select", "masked_select", masked,
       [](const Call& c) -> Results { return masked_select(c[0], c[1]); }},
      {"masked_scatter", "masked_scatter", masked_scattered,
       [](const Call& c) -> Results { return masked_scatter(c[0], c[1], c[2]); }},
      {"nonzero", "nonzero", [](Draw& d) { return clear_of_zero(d, one_of_any(d)); },
       [](const Call& c) -> Results { return nonzero(c[0]); }},
      {"one_hot", "one_hot",
       [](Draw& d) -> Drawn {
         return Arguments{d.index(d.shape(), 4), d.rarely() ? Index{3} : Index{5}};
       },
       [](const Call& c) -> Results { return one_hot(c[0], c.whole(1)); }},
      {"index", "index.Tensor", indexed,
       [](const Call& c) -> Results { return index(c[0], to_indices(c)); }},
      {"index_put", "index_put", put,
       [](const Call& c) -> Results { return index_put(c[0], to_indices(c), c[2], c.flag(3)); }},
  };
}

Rows in_place_places() {
  constexpr auto kind = Row::InPlace;
  return {
      {"scatter_", "scatter_.src", [](Draw& d) { return copied(d, scattered(d)); },
       [](const Call& c) -> Results { return c[0].scatter_(c.dim(1), c[2], c[3]); }, nullptr, kind},
      {"scatter_add_", "scatter_add_", [](Draw& d) { return copied(d, scattered_and_added(d)); },
       [](const Call& c) -> Results { return c[0].scatter_add_(c.dim(1), c[2], c[3]); }, nullptr,
       kind},
      {"index_add_", "index_add_", [](Draw& d) { return copied(d, slices_added(d)); },
       [](const Call& c) -> Results { return c[0].index_add_(c.dim(1), c[2], c[3], c.scalar(4)); },
       nullptr, kind},
      {"index_copy_", "index_copy_", [](Draw& d) { return copied(d, slices_copied(d)); },
       [](const Call& c) -> Results { return c[0].index_copy_(c.dim(1), c[2], c[3]); }, nullptr,
       kind},
      {"index_fill_", "index_fill_.int_Scalar", [](Draw& d) { return copied(d, slices_filled(d)); },
       [](const Call& c) -> Results { return c[0].index_fill_(c.dim(1), c[2], c.scalar(3)); },
       nullptr, kind},
      {"index_put_", "index_put_", [](Draw& d) { return copied(d, put(d)); },
       [](const Call& c) -> Results { return c[0].index_put_(to_indices(c), c[2], c.flag(3)); },
       nullptr, kind},
  };
}

}  // namespace parity::rows
