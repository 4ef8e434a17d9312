// Rows: matrix products.
#include "draws.h"

namespace parity::rows {
namespace {

Drawn multiplied(Draw& d) {
  const Operand a = d.floating_of_rank(1, 4);
  const Indices shape = d.see(a).shape;
  if (shape.empty()) return Arguments{a, a};
  const Index inner = shape.back() + (d.rarely() ? 1 : 0);
  if (d.random.chance(0.2)) return Arguments{a, d.like(a, {inner})};
  Indices other(shape.begin(), shape.end() - 1);
  if (!other.empty()) other.pop_back();
  other = d.random.chance(0.4) ? Indices() : d.broadcastable(other);
  other.push_back(inner), other.push_back(d.random.between(1, 4));
  return Arguments{a, d.like(a, other)};
}
Drawn projected(Draw& d) {
  const Operand x = d.floating_of_rank(1, 4);
  const Index in = d.rank(x) == 0 ? 1 : d.see(x).shape.back() + (d.rarely() ? 1 : 0),
              out = d.random.between(1, 4);
  const Operand weight = d.like(x, {out, in});
  if (d.random.chance(0.3)) return Arguments{x, weight, std::monostate()};
  return Arguments{x, weight, d.like(x, {out + (d.rarely() ? 1 : 0)})};
}

}  // namespace

Rows products() {
  return {
      {"matmul", "matmul", multiplied, [](const Call& c) -> Results { return matmul(c[0], c[1]); }},
      {"linear", "linear", projected,
       [](const Call& c) -> Results { return linear(c[0], c[1], c[2]); }},
  };
}

}  // namespace parity::rows
