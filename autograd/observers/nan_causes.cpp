#include "nan_causes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "../../core/elementwise.h"
#include "../../core/reduce.h"
#include "../../core/text.h"

namespace tapehead::detail {
namespace {

using Inputs = std::vector<NanReport::Operand>;

struct Case {
  const std::string& op;
  const OpCall& call;
  const Inputs& inputs;
  const Statistics& output;

  const Statistics& input(std::size_t i) const { return inputs[i].values; }
};

bool is_one_of(const std::string& op, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return op == name; });
}

// Where the i-th element in row-major order lies.
std::string index_text(core::Index i, const Shape& shape) {
  std::vector<core::Index> index;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    index.push_back(i % shape[d]);
    i /= shape[d];
  }
  std::reverse(index.begin(), index.end());
  return core::to_text(Shape(index));
}

// "row (0, 3)", the first along dimension d that is -inf everywhere; "" if there is none.
std::string masked_row(const NDArray& x, int d) {
  if (x.size() == 0 || x.rank() == 0) return {};
  const NDArray top = core::cast(core::amax(x, {d}), Float64).contiguous();
  for (core::Index i = 0; i < top.size(); ++i)
    if (top.data<double>()[i] == -std::numeric_limits<double>::infinity())
      return top.rank() == 0 ? std::string("the only row") : "row " + index_text(i, top.shape());
  return {};
}

std::string masked_cause(const std::string& row, const char* whose) {
  return row + whose +
         " is -inf everywhere, fully masked, which leaves 0 / 0; hide keys with -1e9 instead, or "
         "let every query see one";
}

std::string softmax_cause(const Case& c) {
  if (c.input(0).positive_inf > 0) return "a score is +inf, and inf - inf is NaN";
  if (c.input(0).negative_inf == 0) return {};
  const std::string row =
      masked_row(c.call.inputs[0]->array(), std::atoi(c.call.arguments.c_str()));
  return row.empty() ? row : masked_cause(row, "");
}

// Of attention(q, k, v[, bias]) and attention_weights(q, k[, bias]); masks and factors follow.
std::string attention_cause(const Case& c) {
  for (std::size_t i = 0; i < 2; ++i)
    if (c.input(i).inf() > 0)
      return std::string(i == 0 ? "a query" : "a key") +
             " has inf, so that its scores are inf or NaN; see where that comes from";
  const std::size_t bias = c.op == "attention" ? 3 : 2;
  if (bias == 3 && c.input(2).inf() > 0)
    return "a value has inf, and a weight of 0 makes 0 inf of it, which is NaN";
  if (bias >= c.inputs.size()) return {};
  if (c.input(bias).positive_inf > 0) return "a score is +inf, and inf - inf is NaN";
  if (c.input(bias).negative_inf == 0) return {};
  const std::string row = masked_row(c.call.inputs[bias]->array(), -1);
  return row.empty() ? row : masked_cause(row, " of the bias");
}

std::string log_cause(const Case& c) {
  const bool shifted = c.op == "log1p";
  const Statistics& x = c.input(0);
  const double pole = shifted ? -1 : 0;
  if (x.any_finite() && x.min < pole)
    return shifted ? "the log of 1 + x is NaN for x below -1"
                   : "the log of a negative number is NaN";
  if (shifted && x.any_finite() && x.min == pole)
    return "the log of 1 + x is -inf for x = -1; clamp the input from below";
  if (!shifted && x.zeros > 0)
    return "the log of 0 is -inf; clamp the input from below, or use log_softmax for the log of a "
           "softmax";
  return {};
}

std::string sqrt_cause(const Case& c) {
  if (c.input(0).any_finite() && c.input(0).min < 0)
    return "the root of a negative number is NaN; a variance or a distance may be -1e-9 by "
           "rounding: clamp it at 0";
  if (c.op == "rsqrt" && c.input(0).zeros > 0)
    return "1 / sqrt(0) is inf; add a small eps to the input";
  return {};
}

constexpr const char* by_number =
    "division by the number 0, as in the mean of nothing or the variance of a single number";
constexpr const char* by_zero =
    "division by zero; add a small eps to the divisor, or put a 1 where it is 0";

// Sums of finite numbers, divided by how many they are.
std::string mean_cause(const Case& c) {
  return c.output.nan > 0 && c.input(0).finite() ? by_number : "";
}

// Whether the only input, with a number beside it, is what is divided, not what is divided by: a 0
// divided stays 0 (by 0 becomes NaN), a number divided by 0 is infinite.
bool is_dividend(const Case& c, double number) {
  const Statistics& x = c.input(0);
  if (c.op != "div") return true;  // floor_divide, remainder
  if (number == 0) return c.output.inf() > 0 || x.zeros == core::numel(x.shape);
  return c.output.zeros >= x.zeros;
}

// div(x, y), div(x, 2) or div(2, y), and what divides as it does.
std::string div_cause(const Case& c) {
  if (c.inputs.size() > 1) return c.inputs.back().values.zeros > 0 ? by_zero : "";
  const double number = std::atof(c.call.arguments.c_str());
  if (!is_dividend(c, number)) return by_zero;
  return number == 0 ? by_number : "";
}
std::string reciprocal_cause(const Case& c) { return c.input(0).zeros > 0 ? by_zero : ""; }

std::string exp_cause(const Case& c) {
  if (c.output.inf() == 0 || !c.input(0).any_finite()) return {};
  const double most = c.output.dtype == Float64 ? 709.78 : 88.72;
  if (c.input(0).max < most) return {};
  return core::to_text("exp overflows ", core::name(c.output.dtype), " above ", most,
                       ", and the input goes up to ", c.input(0).max,
                       "; subtract the maximum first, as softmax and logsumexp do");
}

// pow(x, y), pow(x, 2) or pow(2, y), which look alike: by which of them it can have happened.
std::string pow_cause(const Case& c) {
  const Statistics &x = c.input(0), &last = c.inputs.back().values;
  const bool two = c.inputs.size() > 1;
  const double number = two ? 0 : std::atof(c.call.arguments.c_str());
  const bool below = last.any_finite() && last.min < 0;  // an exponent, if that is one
  const bool pole =
      two ? x.zeros > 0 && below : (x.zeros > 0 && number < 0) || (number == 0 && below);
  if (pole && c.output.inf() > 0) return "0 to a negative power is inf; keep 0 out of the base";
  const bool negative = x.any_finite() && x.min < 0;
  if (c.output.nan > 0 && (negative || number < 0))
    return "a negative number to a power that is not whole is NaN";
  return {};
}

std::string own_cause(const Case& c) {
  if (is_one_of(c.op, {"attention", "attention_weights"})) return attention_cause(c);
  if (is_one_of(c.op, {"softmax", "log_softmax"})) return softmax_cause(c);
  if (is_one_of(c.op, {"log", "log2", "log10", "log1p"})) return log_cause(c);
  if (is_one_of(c.op, {"sqrt", "rsqrt"})) return sqrt_cause(c);
  if (is_one_of(c.op, {"div", "floor_divide", "remainder", "addcdiv"})) return div_cause(c);
  if (c.op == "reciprocal") return reciprocal_cause(c);
  if (is_one_of(c.op, {"mean", "var", "std"})) return mean_cause(c);
  if (is_one_of(c.op, {"exp", "expm1"})) return exp_cause(c);
  if (c.op == "pow") return pow_cause(c);
  return {};
}

}  // namespace

bool has_argument(const std::string& arguments, const std::string& word) {
  for (std::size_t begin = 0; begin <= arguments.size();) {
    const std::size_t end = std::min(arguments.find(", ", begin), arguments.size());
    const std::string one = arguments.substr(begin, end - begin);
    if (one == word || one == "-" + word) return true;
    begin = end + 2;
  }
  return false;
}

std::string forward_cause(const OpCall& call, const Inputs& inputs, const Statistics& output) {
  std::string op = call.op;
  if (!op.empty() && op.back() == '_') op.pop_back();
  if (inputs.empty()) return {};
  const std::string own = own_cause({op, call, inputs, output});
  if (!own.empty()) return own;
  if (has_argument(call.arguments, "nan"))
    return "its argument is NaN, as in cross_entropy's mean over no target that counts";
  if (has_argument(call.arguments, "inf"))
    return "its argument is inf, as 2 / (n - 1) is in the gradient of the variance of a single "
           "number; 0 inf and inf - inf are NaN";
  const bool inf = std::any_of(inputs.begin(), inputs.end(),
                               [](const auto& input) { return input.values.inf() > 0; });
  if (output.nan > 0 && inf) return "inf - inf, 0 inf and inf / inf are NaN, and an input has inf";
  if (output.inf() > 0)
    return core::to_text("overflow: the result is beyond the largest ", core::name(output.dtype),
                         output.dtype == Float64 ? ", 1.8e308" : ", 3.4e38");
  return {};
}

std::string backward_cause(const std::string& op, const RuleEvidence& rule) {
  if (rule.first == nullptr) return {};
  if (is_one_of(op, {"sqrt", "pow"}))
    return core::to_text("the slope of ", op, " at 0 is infinite",
                         rule.incoming.zeros > 0
                             ? ", and 0 inf is NaN where a where() or mask has made the gradient 0"
                             : "",
                         "; keep 0 out of its input: ", op,
                         "(where(x > 0, x, 1)), then where() again");
  for (const NanReport::Operand& operand : rule.first->operands) {
    if (operand.values.finite()) continue;
    if (!rule.given.empty())
      return "a value that is not finite, which " + rule.given +
             ", has left; 0 inf is NaN where a where() or mask has made the gradient 0";
    if (rule.watched)
      return "a value that is not finite, which the op was given and no op of this guard has made";
    return "a value that the forward pass left is not finite; have the guard see the forward pass "
           "too";
  }
  return rule.first->cause;
}

}  // namespace tapehead::detail
