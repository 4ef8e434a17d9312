// Scaled dot-product attention as one op.
#include "../../core/attention.h"

#include "../ops.h"
#include "array_or_none.h"
#include "check_defined.h"

namespace tapehead {
namespace {

// softmax(scale q k^T + bias, masked), (B, H, Tq, Tk).
Tensor probabilities(const Tensor& q, const Tensor& k, const Tensor& mask, const Tensor& bias,
                     double scale) {
  Tensor scores = matmul(q, mT(k)) * scale;
  if (bias.defined()) scores = scores + bias;
  if (mask.defined()) scores = masked_fill(scores, logical_not(mask), -1e9);
  return softmax(scores, -1);
}

// From G, the gradient of the probabilities P = softmax(S):  dS = P o (G - sum_j (G o P)_j), 0
// where hidden;  dq = scale dS k,  dk = scale dS^T q,  dbias = dS.
std::array<Tensor, 3> through_softmax(const Tensor& G, const Tensor& P, const Tensor& q,
                                      const Tensor& k, const Tensor& mask, const Tensor& bias,
                                      double scale) {
  Tensor dS = P * (G - sum(G * P, {-1}, true));
  if (mask.defined()) dS = masked_fill(dS, logical_not(mask), 0);
  return {matmul(dS, k) * scale, matmul(mT(dS), q) * scale,
          bias.defined() ? sum_to(dS, bias.shape()) : Tensor()};
}

Tensor times(const Tensor& x, const Tensor& factor) { return factor.defined() ? x * factor : x; }

}  // namespace

// With P as above, W = P o keep and out = W v:  dv = W^T g  and  G = keep o (g v^T).
// The weights are recorded as an op of their own, so that each output has its own derivative.
AttentionResult fused_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                const Tensor& mask, const Tensor& bias, const Tensor& keep_scale,
                                double scale, bool want_weights) {
  check_defined("fused_attention", q, k, v);
  core::Attention out;
  const Tensor output = record(
      "attention",
      [&] {
        out = core::attention(q.array(), k.array(), v.array(), array_or_none(mask),
                              array_or_none(bias), array_or_none(keep_scale), scale, want_weights);
        return out.out;
      },
      wrt(each(q, k, v, bias), later([&] {
            return [q = saved(q), k = saved(k), v = saved(v), mask = saved(mask),
                    bias = saved(bias), keep = saved(keep_scale),
                    scale](const Tensor& g, const Tensor& y) {
              if (taping()) {
                const Tensor P = probabilities(q(), k(), mask(), bias(), scale);
                const Tensor G = times(matmul(g, mT(v())), keep());
                const auto [dq, dk, db] = through_softmax(G, P, q(), k(), mask(), bias(), scale);
                return std::array{dq, dk, matmul(mT(times(P, keep())), g), db};
              }
              auto d = core::attention_backward(g.array(), q().array(), k().array(), v().array(),
                                                array_or_none(mask()), array_or_none(bias()),
                                                array_or_none(keep()), scale, y.array(),
                                                bias().defined() && bias().requires_grad());
              return std::array{
                  Tensor(std::move(d.q)), Tensor(std::move(d.k)), Tensor(std::move(d.v)),
                  d.scores.defined() ? sum_to(Tensor(d.scores), bias().shape()) : Tensor()};
            };
          })),
      with(mask, keep_scale), args(scale));
  if (!want_weights) return {output, {}};
  const Tensor weights = record(
      "attention_weights", [&] { return out.weights; },
      wrt(each(q, k, bias),
          [q = saved(q), k = saved(k), mask = saved(mask), bias = saved(bias),
           keep = saved(keep_scale), scale](const Tensor& g) {
            const Tensor P = probabilities(q(), k(), mask(), bias(), scale);
            return through_softmax(times(g, keep()), P, q(), k(), mask(), bias(), scale);
          }),
      with(mask, keep_scale), args(scale));
  return {output, weights};
}

}  // namespace tapehead
