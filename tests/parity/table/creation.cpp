// Rows: tensors made in the image of others. Constants, whatever they are like: PyTorch's bernoulli
// has a gradient, which is zero. Of row-major copies, since PyTorch keeps other orders.
#include "draws.h"

namespace parity::rows {
namespace {

std::optional<Operand> model(Draw& d, Operand x) { return d.run(control("clone"), {x}, false); }

Drawn like_any(Draw& d) {
  const auto x = model(d, d.any());
  return x ? Arguments{*x} : Drawn();
}
Drawn like_floating(Draw& d) {
  const auto x = model(d, d.floating());
  return x ? Arguments{*x} : Drawn();
}
Drawn chances(Draw& d) {
  const auto x = model(d, d.floating(unit));
  return x ? Arguments{*x} : Drawn();
}
Drawn like_with_number(Draw& d) {
  const auto x = model(d, d.any());
  return x ? Arguments{*x, d.scalar_for(*x)} : Drawn();
}
Drawn like_with_range(Draw& d) {
  const auto x = model(d, d.floating());
  return x ? Arguments{*x, d.random.between(-9, 0), d.random.between(1, 30)} : Drawn();
}
Drawn like_with_chance(Draw& d) {
  const auto x = model(d, d.floating());
  return x ? Arguments{*x, d.fraction(0, 1)} : Drawn();
}

}  // namespace

Rows creation() {
  return {
      {"zeros_like", "zeros_like", like_any,
       [](const Call& c) -> Results { return zeros_like(c[0]); }},
      {"ones_like", "ones_like", like_any,
       [](const Call& c) -> Results { return ones_like(c[0]); }},
      {"full_like", "full_like", like_with_number,
       [](const Call& c) -> Results { return full_like(c[0], c.scalar(1)); }},
      {"empty_like", "empty_like(x).zero_()", like_any,
       [](const Call& c) -> Results { return empty_like(c[0]).zero_(); },
       [](Peer& p, const Arguments& a) {
         return Operands{p.one("zero_", {p.one("empty_like", {a[0]})})};
       }},
      {"rand_like", "rand_like", like_floating,
       [](const Call& c) -> Results { return rand_like(c[0]); }},
      {"randn_like", "randn_like", like_floating,
       [](const Call& c) -> Results { return randn_like(c[0]); }},
      {"randint_like", "randint_like.low_dtype", like_with_range,
       [](const Call& c) -> Results { return randint_like(c[0], c.whole(1), c.whole(2)); }},
      {"bernoulli", "bernoulli", chances, [](const Call& c) -> Results { return bernoulli(c[0]); }},
      {"bernoulli", "bernoulli.p", like_with_chance,
       [](const Call& c) -> Results { return bernoulli(c[0], c.real(1)); }},
  };
}

}  // namespace parity::rows
