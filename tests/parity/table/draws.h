// Draws that many rows share.
#pragma once

#include <cmath>

#include "../draw.h"

namespace parity::rows {

using Drawn = std::optional<Arguments>;

inline Drawn one(Draw& d) { return Arguments{d.floating()}; }
inline Drawn one_positive(Draw& d) { return Arguments{d.floating(positive)}; }
inline Drawn one_of_any(Draw& d) { return Arguments{d.any()}; }
inline Drawn one_bool(Draw& d) { return Arguments{d.boolean()}; }
inline Drawn one_and_number(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, d.scalar_for(x)};
}
inline Drawn any_and_number(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.scalar_for(x)};
}
inline Drawn two(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, d.like(x, d.broadcastable(d.see(x).shape))};
}
inline Drawn two_of_any(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.like(x, d.broadcastable(d.see(x).shape))};
}
inline Drawn two_and_alpha(Draw& d) {
  Arguments drawn = *two_of_any(d);
  drawn.push_back(d.scalar_for(std::get<Operand>(drawn[0])));
  return drawn;
}
inline Drawn two_of_one_shape(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, d.like(x, d.see(x).shape)};
}
/// A tensor and a dimension of it.
inline Drawn one_along(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, d.dim(d.rank(x))};
}
inline Drawn one_along_keeping(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, d.dim(d.rank(x)), d.flag()};
}
/// A tensor, some of its dimensions, and whether to keep them.
inline Drawn over_axes(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, d.axes(d.rank(x)), d.flag()};
}
inline Drawn any_over_axes(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.axes(d.rank(x)), d.flag()};
}
/// For questions about zeros: nothing where an element is zero but for rounding.
inline Drawn clear_of_zero(Draw& d, Drawn drawn) {
  for (const Argument& argument : *drawn) {
    const auto* operand = std::get_if<Operand>(&argument);
    const Reading x = operand ? d.see(*operand) : Reading();
    if (x.floating())
      for (const double value : x.values)
        if (value != 0 && std::abs(value) < 1e-3) return {};
  }
  return drawn;
}

}  // namespace parity::rows
