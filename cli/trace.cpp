#include "trace.h"

#include <algorithm>
#include <ostream>

#include "../autograd/create.h"
#include "../autograd/shape_trace.h"
#include "../core/memory.h"
#include "../nn/attention.h"
#include "output.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

void show(const char* step, ShapeTrace& ops) {
  say(core::to_text("\n", step, "\n", ops.lines(screen().width)));
}

// Whether it will fit, before the first of what may be billions of weights is drawn: four d_model x
// d_model weights, x and what the steps make of it, and the scores with their softmax.
void check_memory(const TraceArguments& a) {
  const auto B = static_cast<double>(a.batch), T = static_cast<double>(a.length),
             C = static_cast<double>(a.d_model), H = static_cast<double>(a.heads);
  const double bytes = 4 * (4 * C * C + 6 * B * T * C + 2 * B * H * T * T);
  core::check_budget(static_cast<std::uint64_t>(std::min(bytes, 0x1p62)), [&](std::ostream& out) {
    out << "attention of (" << a.batch << ", " << a.length << ", " << a.d_model << ") with "
        << a.heads << (a.heads == 1 ? " head" : " heads");
  });
}

}  // namespace

// MultiHeadAttention::forward, step by step, with the readable attention in its middle.
void trace(const TraceArguments& a) {
  check_heads(a.d_model, a.heads);
  check_memory(a);
  manual_seed(0);
  nn::MultiHeadAttention attn(a.d_model, a.heads);
  attn.eval();
  const Index B = a.batch, T = a.length, H = attn.num_heads, d_k = attn.d_k;
  const Tensor x = randn({B, T, a.d_model});
  say(core::to_text("multi-head attention of x ", x.shape(), ", ", H, H == 1 ? " head" : " heads",
                    " of d_k = ", a.d_model, " / ", H, " = ", d_k, "\n", ShapeTrace::head()));

  const NoGradGuard no_grad;
  ShapeTrace ops;
  const auto split = [&](const Tensor& projected) {
    return projected.view({B, T, H, d_k}).transpose(1, 2);
  };
  const Tensor Q = split(attn.W_q(x));  // (B, H, T, d_k)
  const Tensor K = split(attn.W_k(x));  // (B, H, T, d_k)
  const Tensor V = split(attn.W_v(x));  // (B, H, T, d_k)
  show("1. project, 2. split into heads", ops);

  const Tensor found = nn::scaled_dot_product_attention(Q, K, V).output;  // (B, H, T, d_k)
  show("3. attend, all heads at once", ops);

  const Tensor joined = found.transpose(1, 2).contiguous().view({B, T, a.d_model});
  show("4. concatenate the heads", ops);

  attn.W_o(joined);  // (B, T, d_model)
  show("5. mix what they found", ops);
}

}  // namespace tapehead::cli
