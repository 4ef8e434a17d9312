#include "trace.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

#include "../autograd/create.h"
#include "../autograd/shape_trace.h"
#include "../core/memory.h"
#include "../io/json.h"
#include "../nn/attention.h"
#include "commands.h"
#include "output.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

// Notes each op for programs.
class OpList : public Observer {
 public:
  io::Json step(const std::string& name) {
    return io::Json::object({{"step", name}, {"ops", io::Json::list(std::exchange(ops_, {}))}});
  }

 private:
  void after(const OpCall& call, const Tensor& result) override {
    const bool shares = !call.inputs.empty() && call.inputs[0]->defined() &&
                        call.inputs[0]->array().storage() == result.array().storage();
    ops_.push_back(io::Json::object({{"op", call.op},
                                     {"arguments", call.arguments},
                                     {"module", module_path()},
                                     {"shape", result.shape()},
                                     {"strides", result.array().strides()},
                                     {"contiguous", result.array().is_contiguous()},
                                     {"shares_memory", shares}}));
  }

  std::vector<io::Json> ops_;
};

// Shows the ops of a step, or keeps them until the end.
class Steps {
 public:
  explicit Steps(bool json) {
    if (json)
      list_.emplace();
    else
      trace_.emplace();
  }
  void head(const std::string& what) {
    if (trace_) say(what + ShapeTrace::head());
  }
  void done(const char* step) {
    if (trace_) say(core::to_text("\n", step, "\n", trace_->lines(screen().width)));
    if (list_) steps_.push_back(list_->step(step));
  }
  void end() {
    if (list_) say(io::Json::list(steps_).text() + "\n");
  }

 private:
  std::optional<ShapeTrace> trace_;
  std::optional<OpList> list_;
  std::vector<io::Json> steps_;
};

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
  const NoGradGuard no_grad;
  Steps steps(a.json);
  steps.head(core::to_text("multi-head attention of x ", x.shape(), ", ", H,
                           H == 1 ? " head" : " heads", " of d_k = ", a.d_model, " / ", H, " = ",
                           d_k, "\n"));

  const auto split = [&](const Tensor& projected) {
    return projected.view({B, T, H, d_k}).transpose(1, 2);
  };
  const Tensor Q = split(attn.W_q(x));  // (B, H, T, d_k)
  const Tensor K = split(attn.W_k(x));  // (B, H, T, d_k)
  const Tensor V = split(attn.W_v(x));  // (B, H, T, d_k)
  steps.done("1. project, 2. split into heads");

  const Tensor found = nn::scaled_dot_product_attention(Q, K, V).output;  // (B, H, T, d_k)
  steps.done("3. attend, all heads at once");

  const Tensor joined = found.transpose(1, 2).contiguous().view({B, T, a.d_model});
  steps.done("4. concatenate the heads");

  attn.W_o(joined);  // (B, T, d_model)
  steps.done("5. mix what they found");
  steps.end();
}

Command trace_command() {
  const auto a = std::make_shared<TraceArguments>();
  return {
      .name = "trace",
      .about = "Show the shapes inside multi-head attention",
      .notes =
          "Examples:\n"
          "  tapehead trace\n"
          "  tapehead trace --batch 1 --length 6 --d-model 8 --heads 2",
      .options = {whole("--batch", a->batch, core::to_text("Sequences (", a->batch, ")"), 1, 65536),
                  whole("--length", a->length, core::to_text("Tokens in each (", a->length, ")"), 1,
                        65536),
                  whole("--d-model", a->d_model,
                        core::to_text("Width; heads must divide it (", a->d_model, ")"), 1, 65536),
                  whole("--heads", a->heads, core::to_text("Attention heads (", a->heads, ")"), 1,
                        4096),
                  flag("--json", a->json, "For programs")},
      .run = [a] { trace(*a); }};
}

}  // namespace tapehead::cli
