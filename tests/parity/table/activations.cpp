// Rows: activations, and other functions of each element.
#include <algorithm>

#include "draws.h"

namespace parity::rows {
namespace {

// log1p and its like: above -1.
Drawn above_minus_one(Draw& d) { return Arguments{d.floating(Domain{-0.9})}; }
Drawn between_two(Draw& d) {
  const Operand a = d.floating();
  return Arguments{a, d.like(a, d.broadcastable(d.see(a).shape)),
                   d.like(a, d.broadcastable(d.see(a).shape))};
}
Drawn between_two_by_number(Draw& d) {
  const Operand a = d.floating();
  return Arguments{a, d.like(a, d.broadcastable(d.see(a).shape)), d.fraction(-1, 2)};
}
Drawn two_and_value(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.like(x, d.broadcastable(d.see(x).shape)),
                   d.like(x, d.broadcastable(d.see(x).shape)), d.scalar_for(x)};
}
Drawn divisor_and_value(Draw& d) {
  const Operand x = d.floating();
  return Arguments{x, d.like(x, d.broadcastable(d.see(x).shape)),
                   d.like(x, d.broadcastable(d.see(x).shape), positive), d.scalar_for(x)};
}
// At 0 the second derivative of elu jumps: alpha on one side, 0 on the other.
Drawn away_from_zero(Draw& d) {
  const Operand x = d.floating();
  const Numbers values = d.see(x).values;
  if (std::find(values.begin(), values.end(), 0.0) != values.end()) return {};
  return Arguments{x, d.fraction(0.2, 2)};
}

}  // namespace

Rows activations() {
  return {
      {"lerp", "lerp.Tensor", between_two,
       [](const Call& c) -> Results { return lerp(c[0], c[1], c[2]); }},
      {"lerp", "lerp.Scalar", between_two_by_number,
       [](const Call& c) -> Results { return lerp(c[0], c[1], c.scalar(2)); }},
      {"addcmul", "addcmul", two_and_value,
       [](const Call& c) -> Results { return addcmul(c[0], c[1], c[2], c.scalar(3)); }},
      {"addcdiv", "addcdiv", divisor_and_value,
       [](const Call& c) -> Results { return addcdiv(c[0], c[1], c[2], c.scalar(3)); }},
      {"square", "square", one, [](const Call& c) -> Results { return square(c[0]); }},
      {"reciprocal", "reciprocal", one_positive,
       [](const Call& c) -> Results { return reciprocal(c[0]); }},
      {"expm1", "expm1", one, [](const Call& c) -> Results { return expm1(c[0]); }},
      {"log1p", "log1p", above_minus_one, [](const Call& c) -> Results { return log1p(c[0]); }},
      {"log2", "log2", one_positive, [](const Call& c) -> Results { return log2(c[0]); }},
      {"log10", "log10", one_positive, [](const Call& c) -> Results { return log10(c[0]); }},
      {"erf", "erf", one, [](const Call& c) -> Results { return erf(c[0]); }},
      {"logaddexp", "logaddexp", two,
       [](const Call& c) -> Results { return logaddexp(c[0], c[1]); }},
      {"silu", "silu", one, [](const Call& c) -> Results { return silu(c[0]); }},
      {"leaky_relu", "leaky_relu",
       [](Draw& d) -> Drawn {
         return Arguments{d.floating(), d.fraction(0, 0.5)};
       },
       [](const Call& c) -> Results { return leaky_relu(c[0], c.real(1)); }},
      {"elu", "elu", away_from_zero, [](const Call& c) -> Results { return elu(c[0], c.real(1)); }},
      {"softplus", "softplus",
       [](Draw& d) -> Drawn {
         return Arguments{d.floating(), d.fraction(0.5, 2), d.fraction(1, 20)};
       },
       [](const Call& c) -> Results { return softplus(c[0], c.real(1), c.real(2)); }},
      {"logsigmoid", "log_sigmoid", one, [](const Call& c) -> Results { return logsigmoid(c[0]); }},
  };
}

}  // namespace parity::rows
