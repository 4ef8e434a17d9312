// Rows: what works on each element alone.
#include "shapes.h"

namespace tapehead::op_rows {

Rows arithmetic() {
  return {
      {"add", "add(a, b)", binary, [](In x) { return add(x[0], x[1]); }},
      {"add", "add(a, b, alpha=2.5)", binary, [](In x) { return add(x[0], x[1], 2.5); }},
      {"add", "add(a, 1.5)", unary, [](In x) { return add(x[0], 1.5); }},
      {"sub", "sub(a, b)", binary, [](In x) { return sub(x[0], x[1]); }},
      {"sub", "sub(a, b, alpha=2.5)", binary, [](In x) { return sub(x[0], x[1], 2.5); }},
      {"sub", "sub(a, 1.5)", unary, [](In x) { return sub(x[0], 1.5); }},
      {"sub", "1.5 - a", unary, [](In x) { return sub(1.5, x[0]); }},
      {"mul", "mul(a, b)", binary, [](In x) { return mul(x[0], x[1]); }},
      {"mul", "mul(a, a)", unary, [](In x) { return mul(x[0], x[0]); }},
      {"mul", "mul(a, 2.5)", unary, [](In x) { return mul(x[0], 2.5); }},
      {"div", "div(a, b)", binary, [](In x) { return div(x[0], x[1]); }},
      {"div", "div(a, 2.5)", unary, [](In x) { return div(x[0], 2.5); }},
      {"div", "2.5 / a", unary, [](In x) { return div(2.5, x[0]); }},
      {.op = "pow",
       .call = "pow(a, b)",
       .inputs = binary,
       .f = [](In x) { return pow(x[0], x[1]); },
       .positive = true},
      {"pow", "pow(a, 3)", unary, [](In x) { return pow(x[0], 3); }},
      {"pow", "pow(a, 0) + a", unary, [](In x) { return add(pow(x[0], 0), x[0]); }},
      {.op = "pow",
       .call = "pow(a, -1.5)",
       .inputs = unary,
       .f = [](In x) { return pow(x[0], -1.5); },
       .positive = true},
      {"pow", "pow(2.5, a)", unary, [](In x) { return pow(2.5, x[0]); }},
      {"neg", "neg(a)", unary, [](In x) { return neg(x[0]); }},
  };
}

// No example input is near the bounds of clamp.
Rows pointwise() {
  return {
      {"abs", "abs(a)", unary, [](In x) { return abs(x[0]); }},
      {"exp", "exp(a)", unary, [](In x) { return exp(x[0]); }},
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

Rows comparisons() {
  Rows rows = {
      {"eq", "eq(a, b)", binary, [](In x) { return eq(x[0], x[1]); }},
      {"ne", "ne(a, b)", binary, [](In x) { return ne(x[0], x[1]); }},
      {"lt", "lt(a, b)", binary, [](In x) { return lt(x[0], x[1]); }},
      {"le", "le(a, b)", binary, [](In x) { return le(x[0], x[1]); }},
      {"gt", "gt(a, b)", binary, [](In x) { return gt(x[0], x[1]); }},
      {"ge", "ge(a, b)", binary, [](In x) { return ge(x[0], x[1]); }},
      {"eq", "eq(a, abs(a))", unary, [](In x) { return eq(x[0], abs(x[0])); }},
      {"ne", "ne(a, abs(a))", unary, [](In x) { return ne(x[0], abs(x[0])); }},
      {"eq", "eq(a, 0.421875)", unary, [](In x) { return eq(x[0], 0.421875); }},
      {"ne", "ne(a, 0.421875)", unary, [](In x) { return ne(x[0], 0.421875); }},
      {"lt", "lt(a, 0.421875)", unary, [](In x) { return lt(x[0], 0.421875); }},
      {"le", "le(a, 0.421875)", unary, [](In x) { return le(x[0], 0.421875); }},
      {"gt", "gt(a, 0.421875)", unary, [](In x) { return gt(x[0], 0.421875); }},
      {"ge", "ge(a, 0.421875)", unary, [](In x) { return ge(x[0], 0.421875); }},
      {"logical_not", "logical_not(a > 0)", unary, [](In x) { return logical_not(x[0] > 0); }},
      {"logical_and", "logical_and(a > 0, b > 0)", binary,
       [](In x) { return logical_and(x[0] > 0, x[1] > 0); }},
      {"logical_or", "logical_or(a > 0, b > 0)", binary,
       [](In x) { return logical_or(x[0] > 0, x[1] > 0); }},
      {"equal", "tensor(equal(a, a + 0))", unary,
       [](In x) { return tensor(equal(x[0], x[0] + 0)); }},
      {"allclose", "tensor(allclose(a, a + 1e-4, rtol=0, atol=1e-3))", unary,
       [](In x) { return tensor(allclose(x[0], x[0] + 1e-4, 0, 1e-3)); }},
  };
  for (OpRow& row : rows) row.differentiable = false;
  return rows;
}

}  // namespace tapehead::op_rows
