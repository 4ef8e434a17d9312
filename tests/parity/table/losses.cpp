// Rows: losses.
#include <algorithm>

#include "draws.h"

namespace parity::rows {
namespace {

using tapehead::Reduction;

Reduction reduction(Index i) {
  return i == 0 ? Reduction::None : i == 1 ? Reduction::Mean : Reduction::Sum;
}
Argument some_reduction(Draw& d) { return d.random.below(3); }

Drawn compared(Draw& d) {
  Arguments drawn = *two_of_one_shape(d);
  drawn.push_back(some_reduction(d));
  return drawn;
}
Drawn compared_beyond(Draw& d) {
  Arguments drawn = *compared(d);
  drawn.push_back(d.fraction(0.2, 2));
  return drawn;
}
Drawn classified(Draw& d) {
  const Operand x = d.floating_of_rank(1, 4);
  Indices shape = d.see(x).shape;
  if (shape.empty()) return {};
  const std::size_t class_dim = shape.size() == 1 ? 0 : 1;
  const Index classes = shape[class_dim];
  if (classes == 0) return {};
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(class_dim));
  const Index ignored = d.random.chance(0.5) ? -100 : d.random.below(classes);
  return Arguments{x, d.index(shape, classes), std::monostate(), some_reduction(d), ignored};
}
Drawn diverging(Draw& d) {
  const bool log_target = d.random.chance(0.5);
  const Operand x = d.floating();
  return Arguments{x, d.like(x, d.see(x).shape, log_target ? anywhere : positive),
                   some_reduction(d), log_target};
}
// Weights and targets of a probability; constants, since in PyTorch weights have no gradient.
Argument weight(Draw& d, Operand x) {
  if (d.random.chance(0.5)) return std::monostate();
  const Operand w = d.like(x, d.see(x).shape, positive);
  return *d.run("detach", {w});
}
Drawn probable(Draw& d) {
  const Operand x = d.floating(unit);
  const Operand target = d.like(x, d.see(x).shape, unit);
  return Arguments{x, target, weight(d, x), some_reduction(d)};
}
// Composed: PyTorch adds 1e-12 in its second derivative.
Operands as_probable(Peer& p, const Arguments& a) {
  const Argument &x = a[0], &t = a[1], &w = a[2], &how = a[3];
  if (p.shape(std::get<Operand>(x)) != p.shape(std::get<Operand>(t)) ||
      p.dtype(std::get<Operand>(x)) != p.dtype(std::get<Operand>(t)))
    return p.call("binary_cross_entropy", a);
  const auto log_times = [&p](const Argument& of, const Argument& times) {
    return p.one("mul.Tensor", {p.one("log", {of}), times});
  };
  const Operand hit = log_times(x, t);
  const Operand miss =
      log_times(p.one("rsub.Scalar", {x, Index{1}}), p.one("rsub.Scalar", {t, Index{1}}));
  Operand loss = p.one("neg", {p.one("add.Tensor", {hit, miss})});
  if (w.index() != 0) loss = p.one("mul.Tensor", {loss, w});
  const Index reduction = std::get<Index>(how);
  return {reduction == 0 ? loss : p.one(reduction == 1 ? "mean" : "sum", {loss})};
}
Drawn likely(Draw& d) {
  const Operand x = d.floating();
  const Operand target = *d.run("detach", {d.like(x, d.see(x).shape, unit)});
  return Arguments{x, target, weight(d, x), weight(d, x), some_reduction(d)};
}
Drawn two_directions(Draw& d) {
  const Operand x = d.floating_of_rank(1);
  const Indices shape = d.see(x).shape;
  // Along one element it is 1 or -1, and its derivative 0 but for rounding.
  if (std::find(shape.begin(), shape.end(), 1) != shape.end()) return {};
  return Arguments{x, d.like(x, shape), d.dim(d.rank(x)), 1e-8};
}

}  // namespace

Rows losses() {
  return {
      {"mse_loss", "mse_loss", compared,
       [](const Call& c) -> Results { return mse_loss(c[0], c[1], reduction(c.whole(2))); }},
      {"l1_loss", "l1_loss", compared,
       [](const Call& c) -> Results { return l1_loss(c[0], c[1], reduction(c.whole(2))); }},
      {"smooth_l1_loss", "smooth_l1_loss", compared_beyond,
       [](const Call& c) -> Results {
         return smooth_l1_loss(c[0], c[1], reduction(c.whole(2)), c.real(3));
       }},
      {"huber_loss", "huber_loss", compared_beyond,
       [](const Call& c) -> Results {
         return huber_loss(c[0], c[1], reduction(c.whole(2)), c.real(3));
       }},
      {"nll_loss", "nll_loss_nd", classified,
       [](const Call& c) -> Results {
         return nll_loss(c[0], c[1], {c.whole(4), reduction(c.whole(3))});
       }},
      {"kl_div", "kl_div", diverging,
       [](const Call& c) -> Results {
         return kl_div(c[0], c[1], reduction(c.whole(2)), c.flag(3));
       }},
      {"binary_cross_entropy", "binary_cross_entropy", probable,
       [](const Call& c) -> Results {
         return binary_cross_entropy(c[0], c[1], c[2], reduction(c.whole(3)));
       },
       as_probable},
      {"binary_cross_entropy_with_logits", "binary_cross_entropy_with_logits", likely,
       [](const Call& c) -> Results {
         return binary_cross_entropy_with_logits(c[0], c[1], c[2], reduction(c.whole(4)), c[3]);
       }},
      {"cosine_similarity", "cosine_similarity", two_directions,
       [](const Call& c) -> Results { return cosine_similarity(c[0], c[1], c.dim(2), c.real(3)); }},
  };
}

}  // namespace parity::rows
