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

std::string softmax_cause(const Case& c) {
  const bool is_attention = c.op.rfind("attention", 0) == 0;
  const int d = is_attention ? -1 : std::atoi(c.call.arguments.c_str());
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    if (c.input(i).positive_inf > 0) return "a score is +inf, and inf - inf is NaN";
    if (c.input(i).negative_inf == 0) continue;
    const std::string row = masked_row(c.call.inputs[i]->array(), d);
    if (!row.empty())
      return row + (is_attention ? " of the bias" : "") +
             " is -inf everywhere, fully masked, which leaves 0 / 0; hide keys with -1e9 instead, "
             "or let every query see one";
  }
  return {};
}

std::string log_cause(const Case& c) {
  if (c.input(0).any_finite() && c.input(0).min < 0) return "the log of a negative number is NaN";
  if (c.input(0).zeros > 0)
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

// Sums of finite numbers, divided by how many they are.
std::string mean_cause(const Case& c) {
  return c.output.nan > 0 && c.input(0).finite() ? by_number : "";
}

// div(x, y), div(x, 2) or div(2, y).
std::string div_cause(const Case& c) {
  if (c.inputs.size() == 1 && c.call.arguments == "0") return by_number;
  if (c.inputs.back().values.zeros > 0)
    return "division by zero; add a small eps to the divisor, or put a 1 where it is 0";
  return {};
}

std::string exp_cause(const Case& c) {
  if (c.output.inf() == 0 || !c.input(0).any_finite()) return {};
  const double most = c.output.dtype == Float64 ? 709.78 : 88.72;
  if (c.input(0).max < most) return {};
  return core::to_text("exp overflows ", core::name(c.output.dtype), " above ", most,
                       ", and the input goes up to ", c.input(0).max,
                       "; subtract the maximum first, as softmax and logsumexp do");
}

std::string pow_cause(const Case& c) {
  if (c.input(0).zeros > 0 && c.output.inf() > 0)
    return "0 to a negative power is inf; keep 0 out of the base";
  if (c.input(0).any_finite() && c.input(0).min < 0 && c.output.nan > 0)
    return "a negative number to a power that is not whole is NaN";
  return {};
}

std::string own_cause(const Case& c) {
  if (is_one_of(c.op, {"softmax", "log_softmax", "attention", "attention_weights"}))
    return softmax_cause(c);
  if (is_one_of(c.op, {"log", "log2", "log10"})) return log_cause(c);
  if (is_one_of(c.op, {"sqrt", "rsqrt"})) return sqrt_cause(c);
  if (c.op == "div") return div_cause(c);
  if (is_one_of(c.op, {"mean", "var"})) return mean_cause(c);
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
  const bool inf = std::any_of(inputs.begin(), inputs.end(),
                               [](const auto& input) { return input.values.inf() > 0; });
  if (output.nan > 0 && inf) return "inf - inf, 0 inf and inf / inf are NaN, and an input has inf";
  if (output.inf() > 0)
    return core::to_text("overflow: the result is beyond the largest ", core::name(output.dtype),
                         output.dtype == Float64 ? ", 1.8e308" : ", 3.4e38");
  return {};
}

std::string backward_cause(const std::string& op, const Statistics& incoming,
                           const NanReport* first) {
  if (is_one_of(op, {"sqrt", "pow"}) && first != nullptr)
    return core::to_text(
        "the slope of ", op, " at 0 is infinite",
        incoming.zeros > 0 ? ", and 0 inf is NaN where a where() or mask has made the gradient 0"
                           : "",
        "; keep 0 out of its input: ", op, "(where(x > 0, x, 1)), then where() again");
  if (first == nullptr) return {};
  for (const NanReport::Operand& operand : first->operands)
    if (!operand.values.finite())
      return "a value that the forward pass left is not finite; have the guard see the forward "
             "pass too";
  return first->cause;
}

}  // namespace tapehead::detail
