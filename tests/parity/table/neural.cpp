// Rows: softmax, normalisation, dropout, attention, losses.
#include <algorithm>

#include "../interpreter.h"
#include "draws.h"

namespace parity::rows {
namespace {

using tapehead::Reduction;

Drawn normalised(Draw& d) {
  const Operand x = d.floating_of_rank(1, 4);
  const Indices whole = d.see(x).shape;
  const Index kept = whole.empty() ? 0 : d.random.below(static_cast<Index>(whole.size()));
  Indices shape(whole.begin() + kept, whole.end());
  if (d.rarely()) shape.push_back(3);
  if (count_of(shape) == 1) return {};  // 0 but for rounding
  const auto optional = [&]() -> Argument {
    if (d.random.chance(0.4)) return std::monostate();
    return d.like(x, shape);
  };
  const Argument weight = optional(), bias = optional();
  return Arguments{x, shape, weight, bias, d.fraction(0.01, 0.5)};
}

// Without a weight PyTorch 1.13 gets the second derivative wrong, or fails: it is given ones.
Operands normalise(Peer& p, const Arguments& a) {
  Arguments filled = a;
  const Indices& shape = std::get<Indices>(a[1]);
  if (a[2].index() == 0) {
    filled[2] = p.leaf(Numbers(count_of(shape), 1.0), shape, p.dtype(std::get<Operand>(a[0])));
  }
  return p.call("layer_norm", filled);
}

Drawn rms_normalised(Draw& d) {
  auto drawn = normalised(d);
  if (drawn) (*drawn)[3] = std::monostate();
  return drawn;
}
// Not in PyTorch 1.13.
Operands rms_normalise(Peer& p, const Arguments& a) {
  const Indices& shape = std::get<Indices>(a[1]);
  Indices axes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    axes.push_back(static_cast<Index>(i) - static_cast<Index>(shape.size()));
  const Operand x = std::get<Operand>(a[0]);
  const Indices whole = p.shape(x);
  const bool fits =
      shape.size() <= whole.size() && std::equal(shape.rbegin(), shape.rend(), whole.rbegin());
  if (!fits) throw Refusal("the shape to normalise is not the input's last");
  const Operand mean = p.one("mean.dim", {p.one("mul.Tensor", {x, x}), axes, true});
  const Operand y = p.one("mul.Tensor", {x, p.one("rsqrt", {p.one("add.Scalar", {mean, a[4]})})});
  return {a[2].index() == 0 ? y : p.one("mul.Tensor", {y, a[2]})};
}

Drawn dropped(Draw& d) {
  return Arguments{d.floating(), d.fraction(0, d.rarely() ? 2 : 0.9), d.random.chance(0.8)};
}

Reduction reduction(Index i) {
  return i == 0 ? Reduction::None : i == 1 ? Reduction::Mean : Reduction::Sum;
}

Drawn classified(Draw& d) {
  const Operand logits = d.floating_of_rank(1, 4);
  Indices shape = d.see(logits).shape;
  if (shape.empty()) return {};
  const std::size_t class_dim = shape.size() == 1 ? 0 : 1;
  const Index classes = shape[class_dim];
  if (classes == 0 && shape.size() > 2) return {};  // PyTorch 1.13 gets the shape wrong
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(class_dim));
  // Without classes, smoothing divides by zero in PyTorch even where no target counts.
  const double smoothing = classes == 0 || d.random.chance(0.6) ? 0 : d.random.real(0, 1);
  const Index ignored = d.random.chance(0.5) ? -100 : d.random.below(std::max<Index>(1, classes));
  return Arguments{logits,   d.index(shape, classes), std::monostate(), d.random.below(3), ignored,
                   smoothing};
}

// q (B, H, Tq, d), k (B, H, Tk, d), v (B, H, Tk, d_v), mask, bias, keep_scale, scale.
Drawn attending(Draw& d) {
  const Operand q = d.floating_of_rank(4, 4);
  if (d.rank(q) != 4) return {};
  const Indices s = d.see(q).shape;
  const Index keys = d.random.between(1, 4);
  const Indices scores{s[0], s[1], s[2], keys};
  const Operand k = d.like(q, {s[0], s[1], keys, s[3]});
  const Operand v = d.like(q, {s[0], s[1], keys, d.random.between(1, 3)});
  Argument mask, bias, keep;
  if (d.random.chance(0.5))
    mask = d.leaf({d.random.chance(0.5) ? s[0] : 1, 1, s[2], keys}, DType::Bool);
  if (d.random.chance(0.4)) bias = d.like(q, {d.random.chance(0.5) ? s[1] : 1, s[2], keys});
  if (d.random.chance(0.3)) {
    const Operand drop = d.leaf(scores, d.see(q).dtype, positive);
    keep = *d.run("detach", {drop});
  }
  return Arguments{q, k, v, mask, bias, keep, d.random.real(0.2, 1.5)};
}

Operands attend(Peer& p, const Arguments& a) {
  Operand scores = p.one("mul.Scalar", {p.one("matmul", {a[0], p.one("mT", {a[1]})}), a[6]});
  if (a[4].index() != 0) scores = p.one("add.Tensor", {scores, a[4]});
  if (a[3].index() != 0)
    scores = p.one("masked_fill.Scalar", {scores, p.one("logical_not", {a[3]}), -1e9});
  Operand weights = p.one("softmax.int", {scores, Index{-1}});
  if (a[5].index() != 0) weights = p.one("mul.Tensor", {weights, a[5]});
  return {p.one("matmul", {weights, a[2]}), weights};
}

}  // namespace

Rows neural() {
  return {
      {"rms_norm", "rms_norm", rms_normalised,
       [](const Call& c) -> Results { return rms_norm(c[0], c.dims(1), c[2], c.real(4)); },
       rms_normalise},
      {"softmax", "softmax.int", one_along,
       [](const Call& c) -> Results { return softmax(c[0], c.dim(1)); }},
      {"log_softmax", "log_softmax.int", one_along,
       [](const Call& c) -> Results { return log_softmax(c[0], c.dim(1)); }},
      {"layer_norm", "layer_norm", normalised,
       [](const Call& c) -> Results { return layer_norm(c[0], c.dims(1), c[2], c[3], c.real(4)); },
       normalise, Row::Fresh, true},
      {"dropout", "dropout", dropped,
       [](const Call& c) -> Results { return dropout(c[0], c.real(1), c.flag(2)); }},
      {"dropout_mask", "dropout_mask",
       [](Draw& d) -> Drawn {
         return Arguments{d.shape(), d.fraction(0, 0.9), d.dtype()};
       },
       [](const Call& c) -> Results { return dropout_mask(c.dims(0), c.real(1), c.dtype(2)); },
       [](Peer& p, const Arguments& a) {
         const Indices& shape = std::get<Indices>(a[0]);
         const Operand ones = p.leaf(Numbers(count_of(shape), 1.0), shape, std::get<DType>(a[2]));
         return Operands{p.one("dropout", {ones, a[1], true})};
       }},
      {"fused_attention", "attention", attending,
       [](const Call& c) -> Results {
         const auto result = fused_attention(c[0], c[1], c[2], c[3], c[4], c[5], c.real(6), true);
         return std::vector<Tensor>{result.output, result.weights};
       },
       attend},
      {"cross_entropy", "cross_entropy_loss", classified,
       [](const Call& c) -> Results {
         return cross_entropy(c[0], c[1], {c.whole(4), reduction(c.whole(3)), c.real(5)});
       }},
  };
}

}  // namespace parity::rows
