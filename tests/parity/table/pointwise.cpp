// Rows: functions of each element.
#include "draws.h"

namespace parity::rows {
namespace {

Drawn clamped(Draw& d) {
  const Operand x = d.floating();
  const Argument none;
  return Arguments{x, d.random.chance(0.7) ? d.fraction(-2, 1) : none,
                   d.random.chance(0.7) ? d.fraction(-1, 2) : none};
}
// In PyTorch 1 + tanh(u) cancels where x is far below 0.
Drawn activated(Draw& d) {
  return Arguments{d.floating(Domain{-2.5}), std::string(d.random.chance(0.5) ? "none" : "tanh")};
}
Drawn chosen(Draw& d) {
  const Operand x = d.any();
  return Arguments{d.mask(d.see(x).shape), x, d.like(x, d.broadcastable(d.see(x).shape))};
}
Drawn masked(Draw& d) {
  const Operand x = d.any();
  return Arguments{x, d.mask(d.see(x).shape), d.scalar_for(x)};
}

}  // namespace

Rows pointwise() {
  return {
      {"abs", "abs", one_of_any, [](const Call& c) -> Results { return abs(c[0]); }},
      {"exp", "exp", one, [](const Call& c) -> Results { return exp(c[0]); }},
      {"log", "log", one_positive, [](const Call& c) -> Results { return log(c[0]); }},
      {"sqrt", "sqrt", one_positive, [](const Call& c) -> Results { return sqrt(c[0]); }},
      {"rsqrt", "rsqrt", one_positive, [](const Call& c) -> Results { return rsqrt(c[0]); }},
      {"sin", "sin", one, [](const Call& c) -> Results { return sin(c[0]); }},
      {"cos", "cos", one, [](const Call& c) -> Results { return cos(c[0]); }},
      {"tanh", "tanh", one, [](const Call& c) -> Results { return tanh(c[0]); }},
      {"sigmoid", "sigmoid", one, [](const Call& c) -> Results { return sigmoid(c[0]); }},
      {"relu", "relu", one_of_any, [](const Call& c) -> Results { return relu(c[0]); }},
      {"gelu", "gelu", activated, [](const Call& c) -> Results { return gelu(c[0], c.text(1)); }},
      {"clamp", "clamp", clamped,
       [](const Call& c) -> Results {
         return clamp(c[0], c.scalar_or_none(1), c.scalar_or_none(2));
       }},
      {"maximum", "maximum", two_of_any,
       [](const Call& c) -> Results { return maximum(c[0], c[1]); }},
      {"minimum", "minimum", two_of_any,
       [](const Call& c) -> Results { return minimum(c[0], c[1]); }},
      {"where", "where.self", chosen,
       [](const Call& c) -> Results { return where(c[0], c[1], c[2]); }},
      {"where", "where.ScalarOther",
       [](Draw& d) -> Drawn {
         const Operand x = d.floating();
         return Arguments{d.mask(d.see(x).shape), x, d.scalar()};
       },
       [](const Call& c) -> Results { return where(c[0], c[1], c.scalar(2)); }},
      {"where", "where.ScalarSelf",
       [](Draw& d) -> Drawn {
         const Operand x = d.floating();
         return Arguments{d.mask(d.see(x).shape), d.scalar(), x};
       },
       [](const Call& c) -> Results { return where(c[0], c.scalar(1), c[2]); }},
      {"where", "where.Scalar",
       [](Draw& d) -> Drawn {
         return Arguments{d.boolean(), d.scalar(), d.scalar()};
       },
       [](const Call& c) -> Results { return where(c[0], c.scalar(1), c.scalar(2)); }},
      {"masked_fill", "masked_fill.Scalar", masked,
       [](const Call& c) -> Results { return masked_fill(c[0], c[1], c.scalar(2)); }},
  };
}

}  // namespace parity::rows
