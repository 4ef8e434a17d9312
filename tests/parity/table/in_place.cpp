// Rows: in place, on whatever may be changed: fresh copies, views of them, leaves under no_grad.
#include <algorithm>

#include "draws.h"

namespace parity::rows {
namespace {

// A view of a view of a copy without a history, all of which go on being seen.
Operand view_of_copy(Draw& d, Operand x) {
  const auto copy = d.run(control("clone"), {x}, false);
  if (!copy) return x;
  Operand view = *copy;
  for (int moves = 0; moves < 2 && d.rank(view) > 0; ++moves) {
    const Index dim = d.random.below(d.rank(view));
    const Index size = d.see(view).shape[static_cast<std::size_t>(dim)];
    std::optional<Operand> next;
    switch (d.random.below(4)) {
      case 0:
        next = d.run(row_of("transpose.int"), {view, dim, Index{0}});
        break;
      case 1:
        next = d.run(row_of("slice.Tensor"), {view, dim, d.random.below(2), size, Index{2}});
        break;
      case 2:
        next = d.run(row_of("select.int"), {view, dim, d.random.below(std::max<Index>(1, size))});
        break;
      default:
        next = d.run(row_of("narrow"), {view, dim, Index{0}, (size + 1) / 2});
    }
    if (next) view = *next;
  }
  return view;
}

// Mostly a copy that nobody else shows, or such a view; else anything.
Operand target(Draw& d) {
  const Operand x = d.random.chance(0.9) ? d.floating() : d.any();
  const Index kind = d.random.below(20);
  if (kind == 0) return x;
  if (kind < 7) return view_of_copy(d, x);
  const auto copy = d.run(control("clone"), {x}, true);
  return copy ? *copy : x;
}
// Beside what has no history, another that mostly has none: a change that is not recorded.
Operand beside(Draw& d, Operand x, Operand other) {
  if (d.see(x).requires_grad || !d.see(other).requires_grad || d.random.chance(0.1)) return other;
  const auto constant = d.run("detach", {other});
  return constant ? *constant : other;
}
Drawn with_other(Draw& d) {
  const Operand x = target(d);
  Indices shape = d.broadcastable(d.see(x).shape);
  while (!d.rarely() && shape.size() > d.see(x).shape.size()) shape.erase(shape.begin());
  for (std::size_t i = 1; i <= std::min(shape.size(), d.see(x).shape.size()); ++i)
    if (!d.rarely() && shape[shape.size() - i] != 1)
      shape[shape.size() - i] = d.see(x).shape[d.see(x).shape.size() - i];
  return Arguments{x, beside(d, x, d.like(x, shape, positive))};
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
Operand copied(Draw& d, Operand x) {
  const auto copy = d.run(control("clone"), {x});
  return copy ? *copy : x;
}
// A copy or, now and then, a view of one whose elements are not side by side.
Operand copied_or_view(Draw& d, Operand x) {
  return d.random.chance(0.3) ? view_of_copy(d, x) : copied(d, x);
}
Operand positive_target(Draw& d) { return copied_or_view(d, d.floating(positive)); }
Drawn positive_alone(Draw& d) { return Arguments{positive_target(d)}; }
// As pow's row: how the slope by the base depends on an exponent of 0 is 1 / a, which PyTorch
// loses.
Drawn positive_with_exponent(Draw& d) {
  const Operand x = positive_target(d);
  const Operand exponent = d.like(x, d.see(x).shape);
  const Numbers values = d.see(exponent).values;
  if (std::find(values.begin(), values.end(), 0.0) != values.end()) return {};
  return Arguments{x, exponent};
}
Drawn positive_with_number(Draw& d) { return Arguments{positive_target(d), d.scalar()}; }
Drawn with_end(Draw& d) {
  const Operand x = target(d);
  return Arguments{x, d.like(x, d.see(x).shape), d.fraction(-1, 2)};
}
Drawn with_two(Draw& d) {
  const Operand x = target(d);
  return Arguments{x, d.like(x, d.see(x).shape), d.like(x, d.see(x).shape)};
}
Drawn with_two_and_value(Draw& d) {
  Arguments drawn = *with_two(d);
  drawn.push_back(d.scalar_for(std::get<Operand>(drawn[0])));
  return drawn;
}
Drawn with_divisor_and_value(Draw& d) {
  const Operand x = target(d);
  const Indices shape = d.see(x).shape;
  return Arguments{x, d.like(x, shape), d.like(x, shape, positive), d.scalar_for(x)};
}
Drawn with_bounds(Draw& d) { return Arguments{target(d), d.fraction(-2, 0), d.fraction(0, 2)}; }
// Of no elements PyTorch does not ask how many dimensions they have.
Drawn with_diagonal(Draw& d) {
  const Operand x = copied_or_view(d, d.floating_of_rank(2));
  if (d.rank(x) < 2 && d.see(x).values.empty()) return {};
  return Arguments{x, d.random.between(-2, 2)};
}
Drawn with_dim(Draw& d) {
  const Operand x = target(d);
  return Arguments{x, d.dim(d.rank(x))};
}
// New factors: one that shows what is changed would have PyTorch read what it writes.
Drawn with_factors(Draw& d, Index rank) {
  const Operand x = copied_or_view(d, d.floating_of_rank(rank, rank));
  const DType dtype = d.see(x).dtype;
  Indices left = d.see(x).shape, right = left;
  if (d.rank(x) != rank) return {};
  left[left.size() - 1] = right[right.size() - 2] = d.random.between(0, 3);
  return Arguments{x, d.leaf(left, dtype), d.leaf(right, dtype), d.scalar_for(x), d.scalar_for(x)};
}
Drawn with_mask_and_source(Draw& d) {
  Arguments drawn = *with_mask(d);
  const Reading x = d.see(std::get<Operand>(drawn[0]));
  const Index enough = static_cast<Index>(x.values.size());
  // PyTorch takes the source's elements in the order of the target's memory.
  drawn[0] = copied(d, std::get<Operand>(drawn[0]));
  drawn[2] = d.leaf({d.rarely() ? enough / 2 : enough + d.random.below(2)}, x.dtype);
  return drawn;
}
Drawn with_whole_range(Draw& d) {
  return Arguments{target(d), d.random.between(-9, 0), d.random.between(1, 30)};
}
Drawn with_range(Draw& d) { return Arguments{target(d), d.fraction(-1, 0), d.fraction(0.5, 2)}; }
Drawn with_chance(Draw& d) { return Arguments{target(d), d.fraction(0, 1)}; }

// floor_divide has no derivative in PyTorch; ours is zero.
Operand constant(Draw& d) {
  const auto copy = d.run(control("clone"), {d.floating()}, false);
  return copy ? *copy : d.whole();
}
Drawn constant_with_other(Draw& d) {
  const Operand x = constant(d);
  return Arguments{x, *d.run("detach", {d.like(x, d.see(x).shape, positive)})};
}
// Nor have logical ops in place: PyTorch 1.13 keeps the history of what was there before.
Drawn constant_alone(Draw& d) { return clear_of_zero(d, Arguments{constant(d)}); }
Drawn constant_with_any(Draw& d) {
  const Operand x = constant(d);
  const auto other = d.run("detach", {d.like(x, d.see(x).shape)});
  return other ? clear_of_zero(d, Arguments{x, *other}) : Drawn();
}
Drawn constant_with_number(Draw& d) {
  const Operand x = constant(d);
  return Arguments{x, d.scalar_for(x)};
}
// A tensor of its own, with its history: PyTorch does not detach views, and rewrites their bases'.
Operand own(Draw& d, Index least_rank = 0, Index most_rank = 8) {
  return copied(d, d.floating_of_rank(least_rank, most_rank));
}
Drawn own_alone(Draw& d) { return Arguments{own(d)}; }
Drawn own_matrix(Draw& d) { return Arguments{own(d, 0, d.rarely() ? 3 : 2)}; }
Drawn own_with_dim(Draw& d) {
  const Operand x = own(d);
  return Arguments{x, d.dim(d.rank(x))};
}
Drawn own_with_dims(Draw& d) {
  const Operand x = own(d);
  return Arguments{x, d.dim(d.rank(x)), d.dim(d.rank(x))};
}
Drawn own_with_new_dim(Draw& d) {
  const Operand x = own(d);
  return Arguments{x, d.dim(d.rank(x) + 1)};
}
Drawn constant_with_divisor(Draw& d) { return Arguments{constant(d), d.fraction(0.3, 3)}; }

}  // namespace

Rows in_place() {
  constexpr auto kind = Row::InPlace;
  return {
      {"neg_", "neg_", alone, [](const Call& c) -> Results { return c[0].neg_(); }, nullptr, kind},
      {"abs_", "abs_", alone, [](const Call& c) -> Results { return c[0].abs_(); }, nullptr, kind},
      {"exp_", "exp_", alone, [](const Call& c) -> Results { return c[0].exp_(); }, nullptr, kind},
      {"expm1_", "expm1_", alone, [](const Call& c) -> Results { return c[0].expm1_(); }, nullptr,
       kind},
      {"sin_", "sin_", alone, [](const Call& c) -> Results { return c[0].sin_(); }, nullptr, kind},
      {"cos_", "cos_", alone, [](const Call& c) -> Results { return c[0].cos_(); }, nullptr, kind},
      {"tanh_", "tanh_", alone, [](const Call& c) -> Results { return c[0].tanh_(); }, nullptr,
       kind},
      {"sigmoid_", "sigmoid_", alone, [](const Call& c) -> Results { return c[0].sigmoid_(); },
       nullptr, kind},
      {"relu_", "relu_", alone, [](const Call& c) -> Results { return c[0].relu_(); }, nullptr,
       kind},
      {"square_", "square_", alone, [](const Call& c) -> Results { return c[0].square_(); },
       nullptr, kind},
      {"erf_", "erf_", alone, [](const Call& c) -> Results { return c[0].erf_(); }, nullptr, kind},
      {"sign_", "sign_", alone, [](const Call& c) -> Results { return c[0].sign_(); }, nullptr,
       kind},
      {"floor_", "floor_", alone, [](const Call& c) -> Results { return c[0].floor_(); }, nullptr,
       kind},
      {"ceil_", "ceil_", alone, [](const Call& c) -> Results { return c[0].ceil_(); }, nullptr,
       kind},
      {"round_", "round_", alone, [](const Call& c) -> Results { return c[0].round_(); }, nullptr,
       kind},
      {"trunc_", "trunc_", alone, [](const Call& c) -> Results { return c[0].trunc_(); }, nullptr,
       kind},
      {"log_", "log_", positive_alone, [](const Call& c) -> Results { return c[0].log_(); },
       nullptr, kind},
      {"log1p_", "log1p_", positive_alone, [](const Call& c) -> Results { return c[0].log1p_(); },
       nullptr, kind},
      {"log2_", "log2_", positive_alone, [](const Call& c) -> Results { return c[0].log2_(); },
       nullptr, kind},
      {"log10_", "log10_", positive_alone, [](const Call& c) -> Results { return c[0].log10_(); },
       nullptr, kind},
      {"sqrt_", "sqrt_", positive_alone, [](const Call& c) -> Results { return c[0].sqrt_(); },
       nullptr, kind},
      {"rsqrt_", "rsqrt_", positive_alone, [](const Call& c) -> Results { return c[0].rsqrt_(); },
       nullptr, kind},
      {"reciprocal_", "reciprocal_", positive_alone,
       [](const Call& c) -> Results { return c[0].reciprocal_(); }, nullptr, kind},
      {"pow_", "pow_.Tensor", positive_with_exponent,
       [](const Call& c) -> Results { return c[0].pow_(c[1]); }, nullptr, kind},
      {"pow_", "pow_.Scalar", positive_with_number,
       [](const Call& c) -> Results { return c[0].pow_(c.scalar(1)); }, nullptr, kind},
      {"floor_divide_", "floor_divide_.Tensor", constant_with_other,
       [](const Call& c) -> Results { return c[0].floor_divide_(c[1]); }, nullptr, kind},
      {"floor_divide_", "floor_divide_.Scalar", constant_with_divisor,
       [](const Call& c) -> Results { return c[0].floor_divide_(c.scalar(1)); }, nullptr, kind},
      {"remainder_", "remainder_.Tensor", with_other,
       [](const Call& c) -> Results { return c[0].remainder_(c[1]); }, nullptr, kind},
      {"remainder_", "remainder_.Scalar", with_divisor,
       [](const Call& c) -> Results { return c[0].remainder_(c.scalar(1)); }, nullptr, kind},
      {"lerp_", "lerp_.Tensor", with_two,
       [](const Call& c) -> Results { return c[0].lerp_(c[1], c[2]); }, nullptr, kind},
      {"lerp_", "lerp_.Scalar", with_end,
       [](const Call& c) -> Results { return c[0].lerp_(c[1], c.scalar(2)); }, nullptr, kind},
      {"addcmul_", "addcmul_", with_two_and_value,
       [](const Call& c) -> Results { return c[0].addcmul_(c[1], c[2], c.scalar(3)); }, nullptr,
       kind},
      {"addcdiv_", "addcdiv_", with_divisor_and_value,
       [](const Call& c) -> Results { return c[0].addcdiv_(c[1], c[2], c.scalar(3)); }, nullptr,
       kind},
      {"clamp_", "clamp_", with_bounds,
       [](const Call& c) -> Results {
         return c[0].clamp_(c.scalar_or_none(1), c.scalar_or_none(2));
       },
       nullptr, kind},
      {"addmm_", "addmm_", [](Draw& d) { return with_factors(d, 2); },
       [](const Call& c) -> Results { return c[0].addmm_(c[1], c[2], c.scalar(3), c.scalar(4)); },
       nullptr, kind},
      {"baddbmm_", "baddbmm_", [](Draw& d) { return with_factors(d, 3); },
       [](const Call& c) -> Results { return c[0].baddbmm_(c[1], c[2], c.scalar(3), c.scalar(4)); },
       nullptr, kind},
      {"cumsum_", "cumsum_", with_dim,
       [](const Call& c) -> Results { return c[0].cumsum_(c.dim(1)); }, nullptr, kind},
      {"logical_not_", "logical_not_", constant_alone,
       [](const Call& c) -> Results { return c[0].logical_not_(); }, nullptr, kind},
      {"logical_and_", "logical_and_", constant_with_any,
       [](const Call& c) -> Results { return c[0].logical_and_(c[1]); }, nullptr, kind},
      {"logical_or_", "logical_or_", constant_with_any,
       [](const Call& c) -> Results { return c[0].logical_or_(c[1]); }, nullptr, kind},
      {"logical_xor_", "logical_xor_", constant_with_any,
       [](const Call& c) -> Results { return c[0].logical_xor_(c[1]); }, nullptr, kind},
      {"eq_", "eq_.Tensor", constant_with_other,
       [](const Call& c) -> Results { return c[0].eq_(c[1]); }, nullptr, kind},
      {"eq_", "eq_.Scalar", constant_with_number,
       [](const Call& c) -> Results { return c[0].eq_(c.scalar(1)); }, nullptr, kind},
      {"ne_", "ne_.Tensor", constant_with_other,
       [](const Call& c) -> Results { return c[0].ne_(c[1]); }, nullptr, kind},
      {"ne_", "ne_.Scalar", constant_with_number,
       [](const Call& c) -> Results { return c[0].ne_(c.scalar(1)); }, nullptr, kind},
      {"lt_", "lt_.Tensor", constant_with_other,
       [](const Call& c) -> Results { return c[0].lt_(c[1]); }, nullptr, kind},
      {"lt_", "lt_.Scalar", constant_with_number,
       [](const Call& c) -> Results { return c[0].lt_(c.scalar(1)); }, nullptr, kind},
      {"le_", "le_.Tensor", constant_with_other,
       [](const Call& c) -> Results { return c[0].le_(c[1]); }, nullptr, kind},
      {"le_", "le_.Scalar", constant_with_number,
       [](const Call& c) -> Results { return c[0].le_(c.scalar(1)); }, nullptr, kind},
      {"gt_", "gt_.Tensor", constant_with_other,
       [](const Call& c) -> Results { return c[0].gt_(c[1]); }, nullptr, kind},
      {"gt_", "gt_.Scalar", constant_with_number,
       [](const Call& c) -> Results { return c[0].gt_(c.scalar(1)); }, nullptr, kind},
      {"ge_", "ge_.Tensor", constant_with_other,
       [](const Call& c) -> Results { return c[0].ge_(c[1]); }, nullptr, kind},
      {"ge_", "ge_.Scalar", constant_with_number,
       [](const Call& c) -> Results { return c[0].ge_(c.scalar(1)); }, nullptr, kind},
      {"squeeze_", "squeeze_", own_alone, [](const Call& c) -> Results { return c[0].squeeze_(); },
       nullptr, kind, false, true},
      {"squeeze_", "squeeze_.dim", own_with_dim,
       [](const Call& c) -> Results { return c[0].squeeze_(c.dim(1)); }, nullptr, kind, false,
       true},
      {"unsqueeze_", "unsqueeze_", own_with_new_dim,
       [](const Call& c) -> Results { return c[0].unsqueeze_(c.dim(1)); }, nullptr, kind, false,
       true},
      {"transpose_", "transpose_", own_with_dims,
       [](const Call& c) -> Results { return c[0].transpose_(c.dim(1), c.dim(2)); }, nullptr, kind,
       false, true},
      {"swapdims_", "swapdims_", own_with_dims,
       [](const Call& c) -> Results { return c[0].swapdims_(c.dim(1), c.dim(2)); }, nullptr, kind,
       false, true},
      {"t_", "t_", own_matrix, [](const Call& c) -> Results { return c[0].t_(); }, nullptr, kind,
       false, true},
      {"detach_", "detach_", own_alone, [](const Call& c) -> Results { return c[0].detach_(); },
       nullptr, kind},
      {"tril_", "tril_", with_diagonal,
       [](const Call& c) -> Results { return c[0].tril_(c.whole(1)); }, nullptr, kind},
      {"triu_", "triu_", with_diagonal,
       [](const Call& c) -> Results { return c[0].triu_(c.whole(1)); }, nullptr, kind},
      {"uniform_", "uniform_", with_range,
       [](const Call& c) -> Results { return c[0].uniform_(c.real(1), c.real(2)); }, nullptr, kind},
      {"normal_", "normal_", with_range,
       [](const Call& c) -> Results { return c[0].normal_(c.real(1), c.real(2)); }, nullptr, kind},
      {"bernoulli_", "bernoulli_.float", with_chance,
       [](const Call& c) -> Results { return c[0].bernoulli_(c.real(1)); }, nullptr, kind},
      {"random_", "random_.from", with_whole_range,
       [](const Call& c) -> Results { return c[0].random_(c.whole(1), c.whole(2)); }, nullptr,
       kind},
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
      {"masked_scatter_", "masked_scatter_", with_mask_and_source,
       [](const Call& c) -> Results { return c[0].masked_scatter_(c[1], c[2]); }, nullptr, kind},
      {"copy_", "copy_", with_other, [](const Call& c) -> Results { return c[0].copy_(c[1]); },
       nullptr, kind},
      {"fill_", "fill_.Scalar", with_number,
       [](const Call& c) -> Results { return c[0].fill_(c.scalar(1)); }, nullptr, kind},
      {"zero_", "zero_", alone, [](const Call& c) -> Results { return c[0].zero_(); }, nullptr,
       kind},
  };
}

}  // namespace parity::rows
