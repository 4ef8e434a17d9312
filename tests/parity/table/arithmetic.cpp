// Rows: arithmetic and comparisons.
#include <algorithm>

#include "draws.h"

namespace parity::rows {
namespace {

Drawn divided(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, d.like(x, d.broadcastable(d.see(x).shape), positive)};
}
Drawn divided_by_number(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, d.random.chance(0.9) ? d.fraction(0.3, 3) : d.scalar_for(x)};
}
// How the slope by the base depends on an exponent of 0 is 1 / a; PyTorch says that it does not.
Drawn raised(Draw& d) {
  const Operand x = d.floating(positive);
  const Operand exponent = d.like(x, d.broadcastable(d.see(x).shape));
  const Numbers values = d.see(exponent).values;
  if (std::find(values.begin(), values.end(), 0.0) != values.end()) return {};
  return Arguments{x, exponent};
}
Drawn number_raised(Draw& d) { return Arguments{d.fraction(0.2, 3), d.floating()}; }
Drawn raised_to_number(Draw& d) {
  if (d.random.chance(0.5)) return Arguments{d.floating(), d.random.between(0, 4)};
  return Arguments{d.floating(positive), d.scalar()};
}
Drawn two_bools(Draw& d) {
  const Operand x = d.boolean();
  return Arguments{x, d.like(x, d.broadcastable(d.see(x).shape))};
}
// Ours says no to two dtypes; PyTorch refuses, unless both are empty.
Drawn two_of_one_dtype(Draw& d) {
  Arguments drawn = *two_of_any(d);
  if (d.see(std::get<Operand>(drawn[0])).dtype != d.see(std::get<Operand>(drawn[1])).dtype)
    return {};
  return drawn;
}

}  // namespace

Rows arithmetic() {
  return {
      {"add", "add.Tensor", two_and_alpha,
       [](const Call& c) -> Results { return add(c[0], c[1], c.scalar(2)); }},
      {"add", "add.Scalar", any_and_number,
       [](const Call& c) -> Results { return add(c[0], c.scalar(1)); }},
      {"sub", "sub.Tensor", two_and_alpha,
       [](const Call& c) -> Results { return sub(c[0], c[1], c.scalar(2)); }},
      {"sub", "sub.Scalar", one_and_number,
       [](const Call& c) -> Results { return sub(c[0], c.scalar(1)); }},
      {"sub", "rsub.Scalar", one_and_number,
       [](const Call& c) -> Results { return sub(c.scalar(1), c[0]); }},
      {"mul", "mul.Tensor", two_of_any, [](const Call& c) -> Results { return mul(c[0], c[1]); }},
      {"mul", "mul.Scalar", any_and_number,
       [](const Call& c) -> Results { return mul(c[0], c.scalar(1)); }},
      {"div", "div.Tensor", divided, [](const Call& c) -> Results { return div(c[0], c[1]); }},
      {"div", "div.Scalar", divided_by_number,
       [](const Call& c) -> Results { return div(c[0], c.scalar(1)); }},
      {"div", "1 / x",
       [](Draw& d) -> Drawn {
         return Arguments{d.floating(positive), d.scalar()};
       },
       [](const Call& c) -> Results { return div(c.scalar(1), c[0]); },
       [](Peer& p, const Arguments& a) {
         return Operands{p.one("mul.Scalar", {p.one("reciprocal", {a[0]}), a[1]})};
       }},
      {"pow", "pow.Tensor_Tensor", raised,
       [](const Call& c) -> Results { return pow(c[0], c[1]); }},
      {"pow", "pow.Tensor_Scalar", raised_to_number,
       [](const Call& c) -> Results { return pow(c[0], c.scalar(1)); }},
      {"pow", "pow.Scalar", number_raised,
       [](const Call& c) -> Results { return pow(c.scalar(0), c[1]); }},
      {"neg", "neg", one_of_any, [](const Call& c) -> Results { return neg(c[0]); }},
  };
}

Rows comparisons() {
  return {
      {"eq", "eq.Tensor", two_of_any, [](const Call& c) -> Results { return eq(c[0], c[1]); }},
      {"ne", "ne.Tensor", two_of_any, [](const Call& c) -> Results { return ne(c[0], c[1]); }},
      {"lt", "lt.Tensor", two_of_any, [](const Call& c) -> Results { return lt(c[0], c[1]); }},
      {"le", "le.Tensor", two_of_any, [](const Call& c) -> Results { return le(c[0], c[1]); }},
      {"gt", "gt.Tensor", two_of_any, [](const Call& c) -> Results { return gt(c[0], c[1]); }},
      {"ge", "ge.Tensor", two_of_any, [](const Call& c) -> Results { return ge(c[0], c[1]); }},
      {"eq", "eq.Scalar", any_and_number,
       [](const Call& c) -> Results { return eq(c[0], c.scalar(1)); }},
      {"ne", "ne.Scalar", any_and_number,
       [](const Call& c) -> Results { return ne(c[0], c.scalar(1)); }},
      {"lt", "lt.Scalar", any_and_number,
       [](const Call& c) -> Results { return lt(c[0], c.scalar(1)); }},
      {"le", "le.Scalar", any_and_number,
       [](const Call& c) -> Results { return le(c[0], c.scalar(1)); }},
      {"gt", "gt.Scalar", any_and_number,
       [](const Call& c) -> Results { return gt(c[0], c.scalar(1)); }},
      {"ge", "ge.Scalar", any_and_number,
       [](const Call& c) -> Results { return ge(c[0], c.scalar(1)); }},
      {"logical_not", "logical_not", one_bool,
       [](const Call& c) -> Results { return logical_not(c[0]); }},
      {"logical_and", "logical_and", two_bools,
       [](const Call& c) -> Results { return logical_and(c[0], c[1]); }},
      {"logical_or", "logical_or", two_bools,
       [](const Call& c) -> Results { return logical_or(c[0], c[1]); }},
      {"equal", "equal", two_of_one_dtype,
       [](const Call& c) -> Results { return equal(c[0], c[1]); }},
      {"allclose", "allclose",
       [](Draw& d) -> Drawn {
         const Operand x = d.floating();
         return Arguments{x, d.like(x, d.see(x).shape), d.fraction(0, 0.5), d.fraction(0, 2),
                          d.flag()};
       },
       [](const Call& c) -> Results {
         return allclose(c[0], c[1], c.real(2), c.real(3), c.flag(4));
       }},
  };
}

}  // namespace parity::rows
