#include "flops.h"

#include <algorithm>
#include <vector>

namespace tapehead {
namespace {

using detail::FlopFormula;

double count(const Tensor& x) { return static_cast<double>(x.numel()); }
double last(const Tensor& x) { return static_cast<double>(x.size(-1)); }

double nothing(const OpCall&, const Tensor&) { return 0; }
double each_result(const OpCall&, const Tensor& result) { return count(result); }
template <int Times>
double each_element(const OpCall& call, const Tensor&) {
  return Times * count(*call.inputs[0]);
}
double each_of_second(const OpCall& call, const Tensor&) { return count(*call.inputs[1]); }
double gelu(const OpCall&, const Tensor& result) { return 8 * count(result); }
double product(const OpCall& call, const Tensor& result) {
  return 2 * count(result) * last(*call.inputs[0]);
}
// x (…, n, m) with a (…, n, k) times b (…, k, m) added to it.
double added_product(const OpCall& call, const Tensor& result) {
  return 2 * count(result) * last(*call.inputs[1]) + count(result);
}
double linear(const OpCall& call, const Tensor& result) {
  return product(call, result) + (call.inputs.size() > 2 ? count(result) : 0);
}

// q (…, Tq, d), k (…, Tk, d), v (…, Tk, d_v): scores (…, Tq, Tk).
double attention(const OpCall& call, const Tensor&) {
  const Tensor &q = *call.inputs[0], &k = *call.inputs[1], &v = *call.inputs[2];
  const double scores = count(q) / std::max(last(q), 1.) * static_cast<double>(k.size(-2));
  return scores * (2 * last(q) + 2 * last(v) + 5);
}

struct Formula {
  FlopFormula formula;
  std::vector<std::string_view> ops;
};

std::vector<Formula> formulas() {
  return {
      {product, {"matmul"}},
      {linear, {"linear"}},
      {added_product, {"addmm", "baddbmm"}},
      {attention, {"attention"}},
      {each_element<5>, {"softmax", "log_softmax", "logsumexp", "cross_entropy"}},
      {each_element<8>, {"layer_norm", "rms_norm"}},
      {gelu, {"gelu"}},
      {each_element<4>, {"var", "std"}},
      {each_element<1>,
       {"sum", "sum_to", "mean", "amax", "amin", "max", "min", "prod", "cumsum", "norm",
        "gather_backward", "index_select_backward"}},
      {each_of_second, {"scatter_add", "index_add"}},
      {nothing,
       {"view",
        "transpose",
        "swapdims",
        "t",
        "permute",
        "expand",
        "squeeze",
        "unsqueeze",
        "narrow",
        "select",
        "slice",
        "diagonal",
        "alias",
        "clone",
        "to",
        "cat",
        "contiguous",
        "flip",
        "roll",
        "tril",
        "triu",
        "where",
        "masked_fill",
        "index",
        "index_put",
        "gather",
        "take_along_dim",
        "scatter",
        "embedding",
        "index_select",
        "index_copy",
        "index_fill",
        "masked_scatter",
        "sort",
        "topk",
        "copy",
        "fill",
        "zero",
        "uniform",
        "normal",
        "bernoulli",
        "random",
        "slice_backward",
        "diagonal_backward",
        "attention_weights"}},
      {each_result,
       {"add",
        "sub",
        "mul",
        "div",
        "pow",
        "neg",
        "floor_divide",
        "lerp",
        "addcmul",
        "addcdiv",
        "abs",
        "exp",
        "log",
        "sqrt",
        "rsqrt",
        "remainder",
        "sin",
        "cos",
        "tanh",
        "sigmoid",
        "relu",
        "square",
        "reciprocal",
        "expm1",
        "log1p",
        "log2",
        "log10",
        "erf",
        "sign",
        "logaddexp",
        "floor",
        "ceil",
        "round",
        "trunc",
        "silu",
        "elu",
        "leaky_relu",
        "clamp",
        "maximum",
        "minimum",
        "softplus",
        "logsigmoid",
        "normal_cdf",
        "relu_backward",
        "binary_cross_entropy",
        "logical_not",
        "logical_and",
        "logical_or",
        "logical_xor",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge"}},
  };
}

}  // namespace

const std::map<std::string_view, FlopFormula>& detail::flop_formulas() {
  static const std::map<std::string_view, FlopFormula> all = [] {
    std::map<std::string_view, FlopFormula> result;
    for (const Formula& formula : formulas())
      for (const std::string_view op : formula.ops) result[op] = formula.formula;
    return result;
  }();
  return all;
}

double flops(const OpCall& call, const Tensor& result) {
  std::string_view op = call.op;
  const bool changes = op.ends_with('_');
  if (changes) op.remove_suffix(1);
  if (!is_floating(result.dtype()) || call.inputs.empty()) return 0;
  if (!changes && result.array().shares_storage_with(call.inputs[0]->array())) return 0;
  const auto& formulas = detail::flop_formulas();
  const auto found = formulas.find(op);
  return (found == formulas.end() ? each_result : found->second)(call, result);
}

}  // namespace tapehead
