// Rows: functions of each element, and choices between two.
#include "shapes.h"

namespace tapehead::op_rows {

// No example input is near the bounds of clamp, or where rounding jumps.
Rows pointwise() {
  return {
      {"abs", "abs(a)", unary, [](In x) { return abs(x[0]); }},
      {"exp", "exp(a)", unary, [](In x) { return exp(x[0]); }},
      {"square", "square(a)", unary, [](In x) { return square(x[0]); }},
      {"reciprocal", "reciprocal(a)", unary, [](In x) { return reciprocal(x[0]); }},
      {"expm1", "expm1(a)", unary, [](In x) { return expm1(x[0]); }},
      {"log1p", "log1p(a)", unary, [](In x) { return log1p(x[0]); }, /*positive=*/true},
      {"log2", "log2(a)", unary, [](In x) { return log2(x[0]); }, /*positive=*/true},
      {"log10", "log10(a)", unary, [](In x) { return log10(x[0]); }, /*positive=*/true},
      {"logaddexp", "logaddexp(a, b)", binary, [](In x) { return logaddexp(x[0], x[1]); }},
      {"erf", "erf(a)", unary, [](In x) { return erf(x[0]); }},
      {"log", "log(a)", unary, [](In x) { return log(x[0]); }, /*positive=*/true},
      {"sqrt", "sqrt(a)", unary, [](In x) { return sqrt(x[0]); }, /*positive=*/true},
      {"rsqrt", "rsqrt(a)", unary, [](In x) { return rsqrt(x[0]); }, /*positive=*/true},
      {"sin", "sin(a)", unary, [](In x) { return sin(x[0]); }},
      {"cos", "cos(a)", unary, [](In x) { return cos(x[0]); }},
      {"tanh", "tanh(a)", unary, [](In x) { return tanh(x[0]); }},
      {"sigmoid", "sigmoid(a)", unary, [](In x) { return sigmoid(x[0]); }},
      {"relu", "relu(a)", unary, [](In x) { return relu(x[0]); }},
      {"gelu", "gelu(a)", unary, [](In x) { return gelu(x[0]); }},
      {"gelu", "gelu(a, approximate='tanh')", unary, [](In x) { return gelu(x[0], "tanh"); }},
      {"silu", "silu(a)", unary, [](In x) { return silu(x[0]); }},
      {"leaky_relu", "leaky_relu(a)", unary, [](In x) { return leaky_relu(x[0]); }},
      {"leaky_relu", "leaky_relu(a, 0.3)", unary, [](In x) { return leaky_relu(x[0], 0.3); }},
      {"elu", "elu(a)", unary, [](In x) { return elu(x[0]); }},
      {"elu", "elu(a, alpha=0.7)", unary, [](In x) { return elu(x[0], 0.7); }},
      {"softplus", "softplus(a)", unary, [](In x) { return softplus(x[0]); }},
      {"softplus", "softplus(a, beta=2.5, threshold=1.6)", unary,
       [](In x) { return softplus(x[0], 2.5, 1.6); }},
      {"logsigmoid", "logsigmoid(a)", unary, [](In x) { return logsigmoid(x[0]); }},
      {"sign", "sign(a) * a", unary, [](In x) { return sign(x[0]) * x[0]; }},
      {"floor", "floor(a * 3.3) * a", unary, [](In x) { return floor(x[0] * 3.3) * x[0]; }},
      {"ceil", "ceil(a * 3.3) * a", unary, [](In x) { return ceil(x[0] * 3.3) * x[0]; }},
      {"round", "round(a * 3.3) * a", unary, [](In x) { return round(x[0] * 3.3) * x[0]; }},
      {"trunc", "trunc(a * 3.3) * a", unary, [](In x) { return trunc(x[0] * 3.3) * x[0]; }},
      {"clamp", "clamp(a, -0.71, 0.93)", unary, [](In x) { return clamp(x[0], -0.71, 0.93); }},
      {"clamp", "clamp(a, min=-0.71)", unary, [](In x) { return clamp(x[0], -0.71); }},
      {"clamp", "clamp(a, max=0.93)", unary, [](In x) { return clamp(x[0], {}, 0.93); }},
      {"maximum", "maximum(a, b)", binary, [](In x) { return maximum(x[0], x[1]); }},
      {"minimum", "minimum(a, b)", binary, [](In x) { return minimum(x[0], x[1]); }},
      {"where",
       "where(every_third(2, 3), a, b)",
       {{{2, 3}, {2, 3}}, {{3}, {2, 1}}, {{}, {1}}},
       [](In x) {
         return where(every_third({2, 3}), x[0], x[1]);
       }},
      {"where",
       "where(every_third(3, 2).mT, a, b)",
       {{{2, 3}, {2, 3}}},
       [](In x) {
         return where(mT(every_third({3, 2})), x[0], x[1]);
       }},
      {"where",
       "where(every_third(3), a, -1.5)",
       {{{2, 3}}, {{}}, {{0, 3}}},
       [](In x) { return where(every_third({3}), x[0], -1.5); }},
      {"where",
       "where(every_third(3), -1.5, a)",
       {{{2, 3}}, {{}}, {{0, 3}}},
       [](In x) { return where(every_third({3}), -1.5, x[0]); }},
      {.op = "where",
       .call = "where(a > 0.5, 3, -2)",
       .inputs = unary,
       .f = [](In x) { return where(x[0] > 0.5, 3, -2); },
       .differentiable = false},
      {"masked_fill", "masked_fill(a, a < 0.6, -1.5)", unary,
       [](In x) { return masked_fill(x[0], x[0] < 0.6, -1.5); }},
      {"masked_fill",
       "masked_fill(a, every_third(3), -1.5)",
       {{{2, 3}}, {{2, 1, 3}}, {{0, 3}}},
       [](In x) { return masked_fill(x[0], every_third({3}), -1.5); }},
      {"masked_fill",
       "masked_fill(a, every_third(3, 2).mT, -1.5)",
       {{{2, 3}}},
       [](In x) {
         return masked_fill(x[0], mT(every_third({3, 2})), -1.5);
       }},
  };
}

}  // namespace tapehead::op_rows
