// Scaled dot-product attention as one op.
#include "../../core/attention.h"

#include "../../core/matmul.h"
#include "../backward.h"

namespace tapehead {
namespace {

NDArray array_or_none(const Tensor& x) { return x.defined() ? x.array() : NDArray(); }

// The definition, from which the fused op takes its higher derivatives.
Tensor weights_plain(const Tensor& q, const Tensor& k, const Tensor& mask, const Tensor& bias,
                     const Tensor& keep_scale, double scale) {
  Tensor scores = matmul(q, mT(k)) * scale;    // (B, H, Tq, Tk)
  if (bias.defined()) scores = scores + bias;  //
  if (mask.defined()) scores = masked_fill(scores, logical_not(mask), -1e9);
  const Tensor weights = softmax(scores, -1);  // each row sums to 1
  return keep_scale.defined() ? weights * keep_scale : weights;
}

}  // namespace

// With scores S = scale q k^T + bias, hidden ones filled with -1e9, P = softmax(S), W = P o keep
// and out = W v:  dv = W^T g;  dS = P o (keep o (g v^T) - sum_j (g o out)_j)  where not hidden,
// else 0; dq = scale dS k;  dk = scale dS^T q;  dbias = dS. The weights are recorded as an op of
// their own, so that each output has its own derivative.
AttentionResult fused_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                const Tensor& mask, const Tensor& bias, const Tensor& keep_scale,
                                double scale, bool want_weights) {
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
                    bias = saved(bias), keep = saved(keep_scale), scale, y = out.out,
                    logsumexp = out.logsumexp](const Tensor& g) {
              if (taping())
                return autograd::vjp(
                    g,
                    [&](const Tensor& vq, const Tensor& vk, const Tensor& vv, const Tensor& vb) {
                      return matmul(weights_plain(vq, vk, mask(), vb, keep(), scale), vv);
                    },
                    q(), k(), v(), bias());
              auto d = core::attention_backward(g.array(), q().array(), k().array(), v().array(),
                                                array_or_none(mask()), array_or_none(bias()),
                                                array_or_none(keep()), scale, y, logsumexp,
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
            const EnableGradGuard grad;
            auto d = autograd::vjp(
                g,
                [&](const Tensor& vq, const Tensor& vk, const Tensor& vb) {
                  return weights_plain(vq, vk, mask(), vb, keep(), scale);
                },
                q(), k(), bias());
            return d;
          }),
      with(mask, keep_scale), args(scale));
  return {output, weights};
}

}  // namespace tapehead
