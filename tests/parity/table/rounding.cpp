// Rows: rounding, remainders, what is asked of each element.
#include "draws.h"

namespace parity::rows {
namespace {

Drawn by_number(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, d.random.chance(0.9) ? d.fraction(0.3, 3) : d.scalar_for(x)};
}
Drawn by_other(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, d.like(x, d.broadcastable(d.see(x).shape), positive)};
}
// floor_divide has no derivative in PyTorch; ours is zero.
Drawn constant(Draw& d, Drawn drawn) {
  for (Argument& argument : *drawn)
    if (const auto* x = std::get_if<Operand>(&argument)) argument = *d.run("detach", {*x});
  return drawn;
}
Drawn two_bools(Draw& d) {
  const Operand x = d.random.chance(0.7) ? d.boolean() : d.any();
  return clear_of_zero(d, Arguments{x, d.like(x, d.broadcastable(d.see(x).shape))});
}

}  // namespace

Rows rounding() {
  return {
      {"floor_divide", "floor_divide", [](Draw& d) { return constant(d, by_other(d)); },
       [](const Call& c) -> Results { return floor_divide(c[0], c[1]); }},
      {"floor_divide", "floor_divide.Scalar", [](Draw& d) { return constant(d, by_number(d)); },
       [](const Call& c) -> Results { return floor_divide(c[0], c.scalar(1)); }},
      {"remainder", "remainder.Tensor", by_other,
       [](const Call& c) -> Results { return remainder(c[0], c[1]); }},
      {"remainder", "remainder.Scalar", by_number,
       [](const Call& c) -> Results { return remainder(c[0], c.scalar(1)); }},
      {"sign", "sign", one, [](const Call& c) -> Results { return sign(c[0]); }},
      {"floor", "floor", one, [](const Call& c) -> Results { return floor(c[0]); }},
      {"ceil", "ceil", one, [](const Call& c) -> Results { return ceil(c[0]); }},
      {"round", "round", one, [](const Call& c) -> Results { return round(c[0]); }},
      {"trunc", "trunc", one, [](const Call& c) -> Results { return trunc(c[0]); }},
      {"isnan", "isnan", one_of_any, [](const Call& c) -> Results { return isnan(c[0]); }},
      {"isinf", "isinf", one_of_any, [](const Call& c) -> Results { return isinf(c[0]); }},
      {"isfinite", "isfinite", one_of_any, [](const Call& c) -> Results { return isfinite(c[0]); }},
      {"isclose", "isclose",
       [](Draw& d) -> Drawn {  // PyTorch 1.13 fails where `equal_nan` meets broadcasting
         const Operand x = d.floating();
         const Operand y = d.like(x, d.broadcastable(d.see(x).shape));
         const bool same = d.see(x).shape == d.see(y).shape;
         return Arguments{x, y, d.fraction(0, 0.5), d.fraction(0, 2), same ? d.flag() : false};
       },
       [](const Call& c) -> Results {
         return isclose(c[0], c[1], c.real(2), c.real(3), c.flag(4));
       }},
      {"logical_xor", "logical_xor", two_bools,
       [](const Call& c) -> Results { return logical_xor(c[0], c[1]); }},
  };
}

}  // namespace parity::rows
