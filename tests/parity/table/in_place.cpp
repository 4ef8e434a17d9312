// Rows: in place, on whatever may be changed: fresh copies, views of them, leaves under no_grad.
#include "draws.h"

namespace parity::rows {
namespace {

// Mostly a copy, or a view of one, that nobody else shows; else anything.
Operand target(Draw& d) {
  const Operand x = d.random.chance(0.9) ? d.floating() : d.any();
  const Index kind = d.random.below(20);
  if (kind == 0) return x;
  const auto copy = d.run(control("clone"), {x}, true);
  if (!copy) return x;
  return *copy;
}
Drawn with_other(Draw& d) {
  const Operand x = target(d);
  Indices shape = d.broadcastable(d.see(x).shape);
  while (!d.rarely() && shape.size() > d.see(x).shape.size()) shape.erase(shape.begin());
  for (std::size_t i = 1; i <= std::min(shape.size(), d.see(x).shape.size()); ++i)
    if (!d.rarely() && shape[shape.size() - i] != 1)
      shape[shape.size() - i] = d.see(x).shape[d.see(x).shape.size() - i];
  return Arguments{x, d.like(x, shape, positive)};
}
Drawn with_other_and_alpha(Draw& d) {
  Arguments drawn = *with_other(d);
  drawn.push_back(d.scalar_for(std::get<Operand>(drawn[0])));
  return drawn;
}
Drawn with_number(Draw& d) {
  const Operand x = target(d);
  return Arguments{x, d.scalar_for(x)};
}
Drawn with_divisor(Draw& d) { return Arguments{target(d), d.fraction(0.3, 3)}; }
Drawn alone(Draw& d) { return Arguments{target(d)}; }
Drawn with_mask(Draw& d) {
  const Operand x = target(d);
  Indices shape = d.see(x).shape;
  if (d.random.chance(0.3) && !shape.empty()) shape.erase(shape.begin());
  for (Index& size : shape)
    if (d.random.chance(0.2)) size = 1;
  return Arguments{x, d.leaf(shape, DType::Bool), d.scalar_for(x)};
}

}  // namespace

Rows in_place() {
  constexpr auto kind = Row::InPlace;
  return {
      {"add_", "add_.Tensor", with_other_and_alpha,
       [](const Call& c) -> Results { return c[0].add_(c[1], c.scalar(2)); }, nullptr, kind},
      {"add_", "add_.Scalar", with_number,
       [](const Call& c) -> Results { return c[0].add_(c.scalar(1)); }, nullptr, kind},
      {"sub_", "sub_.Tensor", with_other_and_alpha,
       [](const Call& c) -> Results { return c[0].sub_(c[1], c.scalar(2)); }, nullptr, kind},
      {"sub_", "sub_.Scalar", with_number,
       [](const Call& c) -> Results { return c[0].sub_(c.scalar(1)); }, nullptr, kind},
      {"mul_", "mul_.Tensor", with_other, [](const Call& c) -> Results { return c[0].mul_(c[1]); },
       nullptr, kind},
      {"mul_", "mul_.Scalar", with_number,
       [](const Call& c) -> Results { return c[0].mul_(c.scalar(1)); }, nullptr, kind},
      {"div_", "div_.Tensor", with_other, [](const Call& c) -> Results { return c[0].div_(c[1]); },
       nullptr, kind},
      {"div_", "div_.Scalar", with_divisor,
       [](const Call& c) -> Results { return c[0].div_(c.scalar(1)); }, nullptr, kind},
      {"masked_fill_", "masked_fill_.Scalar", with_mask,
       [](const Call& c) -> Results { return c[0].masked_fill_(c[1], c.scalar(2)); }, nullptr,
       kind},
      {"copy_", "copy_", with_other, [](const Call& c) -> Results { return c[0].copy_(c[1]); },
       nullptr, kind},
      {"fill_", "fill_.Scalar", with_number,
       [](const Call& c) -> Results { return c[0].fill_(c.scalar(1)); }, nullptr, kind},
      {"zero_", "zero_", alone, [](const Call& c) -> Results { return c[0].zero_(); }, nullptr,
       kind},
  };
}

}  // namespace parity::rows
