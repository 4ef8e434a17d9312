// Rows: matrix products and attention.
#include "shapes.h"

namespace tapehead::op_rows {

Rows products() {
  return {
      {"matmul",
       "matmul(a, b)",
       {{{2, 3}, {3, 4}},
        {{3}, {3}},
        {{2, 3}, {3}},
        {{3}, {3, 2}},
        {{2, 3, 2}, {2, 4}},
        {{2, 3}, {4, 3, 2}},
        {{3, 2, 3}, {3, 3, 4}},
        {{2, 1, 2, 3}, {3, 3, 2}},
        {{4, 2, 3}, {3}},
        {{3}, {2, 3, 2}},
        {{1, 1}, {1, 1}},
        {{0, 3}, {3, 2}},
        {{2, 0}, {0, 3}},
        {{0, 2, 3}, {3, 2}}},
       [](In x) { return matmul(x[0], x[1]); }},
      {"matmul",
       "matmul(a.mT, b.mT)",
       {{{3, 2}, {4, 3}}, {{2, 3, 2}, {4, 3}}},
       [](In x) { return matmul(mT(x[0]), mT(x[1])); }},
      {"linear",
       "linear(a, b, c)",
       {{{2, 3, 4}, {5, 4}, {5}},
        {{4}, {5, 4}, {5}},
        {{0, 4}, {2, 4}, {2}},
        {{1, 1}, {1, 1}, {1}},
        {{2, 3, 0}, {5, 0}, {5}},
        {{0}, {5, 0}, {5}},
        {{2, 3, 4}, {0, 4}, {0}}},
       [](In x) { return linear(x[0], x[1], x[2]); }},
      {"linear",
       "linear(a, b)",
       {{{3, 4}, {2, 4}}, {{2, 1, 3}, {4, 3}}},
       [](In x) { return linear(x[0], x[1]); }},
      {"mm",
       "mm(a, b)",
       {{{2, 3}, {3, 4}}, {{1, 1}, {1, 1}}, {{2, 0}, {0, 3}}, {{0, 2}, {2, 3}}},
       [](In x) { return mm(x[0], x[1]); }},
      {"bmm",
       "bmm(a, b)",
       {{{2, 3, 2}, {2, 2, 4}}, {{1, 1, 1}, {1, 1, 1}}, {{0, 2, 3}, {0, 3, 1}}},
       [](In x) { return bmm(x[0], x[1]); }},
      {"mv",
       "mv(a, b)",
       {{{2, 3}, {3}}, {{1, 1}, {1}}, {{2, 0}, {0}}, {{0, 2}, {2}}},
       [](In x) { return mv(x[0], x[1]); }},
      {"dot",
       "dot(a, b)",
       {{{3}, {3}}, {{1}, {1}}, {{0}, {0}}},
       [](In x) { return dot(x[0], x[1]); }},
      {"outer",
       "outer(a, b)",
       {{{2}, {3}}, {{1}, {1}}, {{0}, {3}}},
       [](In x) { return outer(x[0], x[1]); }},
      {"addmm",
       "addmm(a, b, c, beta=0.5, alpha=2.5)",
       {{{2, 4}, {2, 3}, {3, 4}},
        {{4}, {2, 3}, {3, 4}},
        {{}, {1, 1}, {1, 1}},
        {{2, 1}, {2, 0}, {0, 3}}},
       [](In x) { return addmm(x[0], x[1], x[2], 0.5, 2.5); }},
      {"addmm",
       "addmm(a, b, c)",
       {{{4}, {2, 3}, {3, 4}}, {{0, 2}, {0, 3}, {3, 2}}},
       [](In x) { return addmm(x[0], x[1], x[2]); }},
      {"baddbmm",
       "baddbmm(a, b, c, beta=0.5, alpha=2.5)",
       {{{2, 3, 4}, {2, 3, 2}, {2, 2, 4}},
        {{3, 1}, {2, 3, 2}, {2, 2, 4}},
        {{1}, {0, 2, 3}, {0, 3, 1}}},
       [](In x) { return baddbmm(x[0], x[1], x[2], 0.5, 2.5); }},
  };
}

namespace {

Outputs output_and_weights(const AttentionResult& result) {
  return std::vector<Tensor>{result.output, result.weights};
}

}  // namespace

// In `attend` of the golden script: softmax(scale q k^T + bias, hidden: -1e9) keep v, and weights.
Rows attention() {
  const OpRow::Shapes plain{{1, 2, 3, 2}, {1, 2, 4, 2}, {1, 2, 4, 3}};
  const OpRow::Shapes none{{0, 1, 2, 3}, {0, 1, 3, 3}, {0, 1, 3, 1}};
  const OpRow::Shapes single{{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
  const OpRow::Shapes biased{{1, 2, 3, 2}, {1, 2, 4, 2}, {1, 2, 4, 3}, {2, 1, 4}};
  return {
      {"fused_attention",
       "attend(a, b, c, scale=0.5)",
       {plain, single, none, {{2, 1, 2, 3}, {2, 1, 3, 3}, {2, 1, 3, 1}}},
       [](In x) {
         return output_and_weights(fused_attention(x[0], x[1], x[2], {}, {}, {}, 0.5, true));
       }},
      {"fused_attention",
       "attend(a, b, c, scale=0.5)[0]",
       {plain, single, none},
       [](In x) { return fused_attention(x[0], x[1], x[2], {}, {}, {}, 0.5, false).output; }},
      {"fused_attention",
       "attend(a, b, c, mask=every_third(3, 4), scale=0.7)",
       {plain},
       [](In x) {
         return output_and_weights(
             fused_attention(x[0], x[1], x[2], every_third({3, 4}), {}, {}, 0.7, true));
       }},
      {"fused_attention",
       "attend(a, b, c, mask=every_third(4, 3).mT, scale=0.7)",
       {plain},
       [](In x) {
         const Tensor mask = mT(every_third({4, 3}));
         return output_and_weights(fused_attention(x[0], x[1], x[2], mask, {}, {}, 0.7, true));
       }},
      {"fused_attention",
       "attend(a, b, c, bias=d, scale=0.7)",
       {biased},
       [](In x) {
         return output_and_weights(fused_attention(x[0], x[1], x[2], {}, x[3], {}, 0.7, true));
       }},
      {"fused_attention",
       "attend(a, b, c, mask=every_third(1, 1, 3, 1), bias=d, keep=keep(1, 2, 3, 4), scale=0.7)",
       {biased},
       [](In x) {
         const Tensor keep = to(logical_not(every_third({1, 2, 3, 4})), x[0].dtype()) * 1.5;
         return output_and_weights(
             fused_attention(x[0], x[1], x[2], every_third({1, 1, 3, 1}), x[3], keep, 0.7, true));
       }},
  };
}

}  // namespace tapehead::op_rows
