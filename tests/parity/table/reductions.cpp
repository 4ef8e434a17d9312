// Rows: reductions.
#include <algorithm>

#include "draws.h"

namespace parity::rows {
namespace {

// PyTorch 1.13 differentiates var over an empty list of dimensions as if it were of one element; of
// one element or none it gives infinity or an error where dimensions are None or missing.
Drawn spread(Draw& d) {
  const Operand x = d.floating();
  const Indices axes = d.axes(d.rank(x));
  const bool all = axes.empty() || d.rank(x) == 0;
  if (all && d.see(x).size() < 2) return {};
  return Arguments{x, axes.empty() ? Argument() : Argument(axes), d.flag(), d.flag()};
}
Drawn any_along(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.dim(d.rank(x))};
}
Drawn any_along_keeping(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.dim(d.rank(x)), d.flag()};
}
// Of a product with two zeros PyTorch's prod has no second derivative.
Drawn without_two_zeros(Draw& d, Drawn drawn) {
  const Reading x = d.see(std::get<Operand>((*drawn)[0]));
  if (x.floating() && std::count(x.values.begin(), x.values.end(), 0.0) > 1) return {};
  return drawn;
}
Drawn zeros_of_any(Draw& d) { return clear_of_zero(d, one_of_any(d)); }
Drawn zeros_along_keeping(Draw& d) { return clear_of_zero(d, any_along_keeping(d)); }
// The norm of power 0 has a gradient in PyTorch, which is zero; where the norm is 0, PyTorch 1.13
// has NaN for its second derivative.
Drawn of_some_power(Draw& d) {
  static const Numbers powers{1, 2, 2, 2, 3, 2.5};
  const Operand x = d.floating();
  const Numbers values = d.see(x).values;
  if (std::find(values.begin(), values.end(), 0.0) != values.end()) return {};
  return Arguments{x, d.random.pick(powers), d.axes(d.rank(x)), d.flag()};
}
Drawn along_or_all(Draw& d) {
  const Operand x = d.any();
  if (d.random.chance(0.2)) return Arguments{x, std::monostate(), d.flag()};
  return Arguments{x, d.dim(d.rank(x)), d.flag()};
}
// PyTorch 1.13 fails without any dimension.
Drawn over_some_axes(Draw& d) {
  Arguments drawn = *over_axes(d);
  Indices& axes = std::get<Indices>(drawn[1]);
  if (axes.empty()) axes.push_back(d.dim(d.rank(std::get<Operand>(drawn[0]))));
  return drawn;
}
Drawn summed_to(Draw& d) {
  const Operand x = d.floating();
  Indices shape = d.see(x).shape;
  for (Index& size : shape)
    if (d.random.chance(0.4)) size = 1;
  if (d.random.chance(0.4) && !shape.empty()) shape.erase(shape.begin());
  if (d.rarely()) shape.push_back(7);
  return Arguments{x, shape};
}

}  // namespace

Rows reductions() {
  return {
      {"std", "std.dim", spread,
       [](const Call& c) -> Results {
         return tapehead::std(c[0], c.dims(1), c.flag(2), c.flag(3));
       },
       nullptr, Row::Fresh, true},
      {"prod", "prod", [](Draw& d) { return without_two_zeros(d, one_of_any(d)); },
       [](const Call& c) -> Results { return prod(c[0]); }},
      {"prod", "prod.dim_int", [](Draw& d) { return without_two_zeros(d, any_along_keeping(d)); },
       [](const Call& c) -> Results { return prod(c[0], c.dim(1), c.flag(2)); }},
      {"cumsum", "cumsum", any_along,
       [](const Call& c) -> Results { return cumsum(c[0], c.dim(1)); }},
      {"norm", "norm.ScalarOpt_dim", of_some_power,
       [](const Call& c) -> Results { return norm(c[0], c.real(1), c.dims(2), c.flag(3)); }},
      {"all", "all", zeros_of_any, [](const Call& c) -> Results { return all(c[0]); }},
      {"all", "all.dim", zeros_along_keeping,
       [](const Call& c) -> Results { return all(c[0], c.dim(1), c.flag(2)); }},
      {"any", "any", zeros_of_any, [](const Call& c) -> Results { return any(c[0]); }},
      {"any", "any.dim", zeros_along_keeping,
       [](const Call& c) -> Results { return any(c[0], c.dim(1), c.flag(2)); }},
      {"count_nonzero", "count_nonzero.dim_IntList",
       [](Draw& d) -> Drawn {
         const Operand x = d.any();
         return clear_of_zero(d, Arguments{x, d.axes(d.rank(x))});
       },
       [](const Call& c) -> Results { return count_nonzero(c[0], c.dims(1)); }},
      {"sum", "sum", one_of_any, [](const Call& c) -> Results { return sum(c[0]); }},
      {"sum", "sum.dim_IntList", any_over_axes,
       [](const Call& c) -> Results { return sum(c[0], c.dims(1), c.flag(2)); }},
      {"mean", "mean", one, [](const Call& c) -> Results { return mean(c[0]); }},
      {"mean", "mean.dim", over_axes,
       [](const Call& c) -> Results { return mean(c[0], c.dims(1), c.flag(2)); }},
      {"var", "var.dim", spread,
       [](const Call& c) -> Results { return var(c[0], c.dims(1), c.flag(2), c.flag(3)); }, nullptr,
       Row::Fresh, true},
      {"amax", "amax", any_over_axes,
       [](const Call& c) -> Results { return amax(c[0], c.dims(1), c.flag(2)); }},
      {"amin", "amin", any_over_axes,
       [](const Call& c) -> Results { return amin(c[0], c.dims(1), c.flag(2)); }},
      {"max", "max", one_of_any, [](const Call& c) -> Results { return max(c[0]); }},
      {"min", "min", one_of_any, [](const Call& c) -> Results { return min(c[0]); }},
      {"max", "max.dim", one_along_keeping,
       [](const Call& c) -> Results { return max(c[0], c.dim(1), c.flag(2)); }},
      {"min", "min.dim", one_along_keeping,
       [](const Call& c) -> Results { return min(c[0], c.dim(1), c.flag(2)); }},
      {"argmax", "argmax", along_or_all,
       [](const Call& c) -> Results { return argmax(c[0], c.dim_or_none(1), c.flag(2)); }},
      {"argmin", "argmin", along_or_all,
       [](const Call& c) -> Results { return argmin(c[0], c.dim_or_none(1), c.flag(2)); }},
      {"sum_to", "sum_to_size", summed_to,
       [](const Call& c) -> Results { return sum_to(c[0], c.dims(1)); },
       [](Peer& p, const Arguments& a) {
         // Ours returns a tensor that has the shape already; theirs a view of it.
         return Operands{p.shape(std::get<Operand>(a[0])) == std::get<Indices>(a[1])
                             ? std::get<Operand>(a[0])
                             : p.one("sum_to_size", a)};
       }},
      {"logsumexp", "logsumexp", over_some_axes,
       [](const Call& c) -> Results { return logsumexp(c[0], c.dims(1), c.flag(2)); }},
  };
}

}  // namespace parity::rows
