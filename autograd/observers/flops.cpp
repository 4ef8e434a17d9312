// What ops cost, by the formulas in profiler.h.
#include <algorithm>
#include <array>
#include <string_view>

#include "../profiler.h"

namespace tapehead {
namespace {

using Names = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view op, Names names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

double count(const Tensor& x) { return static_cast<double>(x.numel()); }
double last(const Tensor& x) { return static_cast<double>(x.size(-1)); }

bool is_product(std::string_view op) { return is_one_of(op, {"matmul", "bmm", "linear"}); }
bool reduces(std::string_view op) {
  return is_one_of(op, {"sum", "sum_to", "mean", "amax", "amin", "max", "min", "argmax", "argmin",
                        "prod", "cumsum", "norm"});
}
bool only_moves(std::string_view op) {
  return is_one_of(op, {"clone",
                        "contiguous",
                        "cat",
                        "stack",
                        "to",
                        "gather",
                        "index_select",
                        "embedding",
                        "slice_backward",
                        "select_backward",
                        "where",
                        "masked_fill",
                        "tril",
                        "triu",
                        "flip",
                        "roll",
                        "repeat",
                        "sort",
                        "attention_weights",
                        "masked_fill_",
                        "copy_",
                        "fill_",
                        "zero_"});
}

// q (…, Tq, d), k (…, Tk, d), v (…, Tk, d_v): scores (…, Tq, Tk).
double attention(const OpCall& call) {
  const Tensor &q = *call.inputs[0], &k = *call.inputs[1], &v = *call.inputs[2];
  const double scores = count(q) / std::max(last(q), 1.) * static_cast<double>(k.size(-2));
  return scores * (2 * last(q) + 2 * last(v) + 5);
}

}  // namespace

double flops(const OpCall& call, const Tensor& result) {
  const std::string_view op = call.op;
  if (!is_floating(result.dtype()) || only_moves(op) || call.inputs.empty()) return 0;
  const Tensor& x = *call.inputs[0];
  const bool changes = op.ends_with('_');
  if (!changes && result.array().shares_storage_with(x.array())) return 0;
  const double n = count(result), N = count(x);
  if (is_product(op)) {
    const bool bias = op == "linear" && call.inputs.size() > 2;
    return 2 * n * last(x) + (bias ? n : 0);
  }
  if (op == "attention") return attention(call);
  if (is_one_of(op, {"softmax", "log_softmax", "logsumexp", "cross_entropy"})) return 5 * N;
  if (is_one_of(op, {"layer_norm", "rms_norm"})) return 8 * N;
  if (op == "gelu") return 8 * n;
  if (is_one_of(op, {"var", "std"})) return 4 * N;
  return reduces(op) ? N : n;
}

}  // namespace tapehead
