// Rows: softmax, normalisation, dropout.
#include "shapes.h"

namespace tapehead::op_rows {

Rows normalisation() {
  const Sets stacks{{{2, 3, 4}}, {{2, 3}}, {{2, 1}}, {{0, 3}}}, along{{{3, 4}}, {{2, 4, 2}}};
  return {
      {"softmax", "softmax(a, -1)", stacks, [](In x) { return softmax(x[0], -1); }},
      {"softmax", "softmax(a, 0)", {{{3, 2}}, {{}}, {{3}}}, [](In x) { return softmax(x[0], 0); }},
      {"softmax", "softmax(a, 1)", along, [](In x) { return softmax(x[0], 1); }},
      {"log_softmax", "log_softmax(a, -1)", stacks, [](In x) { return log_softmax(x[0], -1); }},
      {"log_softmax",
       "log_softmax(a, 0)",
       {{{3, 2}}, {{}}, {{3}}},
       [](In x) { return log_softmax(x[0], 0); }},
      {"log_softmax", "log_softmax(a, 1)", along, [](In x) { return log_softmax(x[0], 1); }},
      {"logsumexp",
       "logsumexp(a, 0)",
       {{{3, 2}}, {{}}, {{3}}},
       [](In x) { return logsumexp(x[0], {0}); }},
      {"logsumexp", "logsumexp(a, 1)", along, [](In x) { return logsumexp(x[0], {1}); }},
      {"logsumexp", "logsumexp(a, (0, -1), keepdim=True)", stacks,
       [](In x) {
         return logsumexp(x[0], {0, -1}, true);
       }},
      {"layer_norm",
       "layer_norm(a, (4,), b, c)",
       {{{2, 3, 4}, {4}, {4}}, {{4}, {4}, {4}}, {{0, 4}, {4}, {4}}, {{1, 4}, {4}, {4}}},
       [](In x) { return layer_norm(x[0], {4}, x[1], x[2]); }},
      {"layer_norm",
       "layer_norm(a, (3, 2), b)",
       {{{2, 3, 2}, {3, 2}}, {{3, 2}, {3, 2}}},
       [](In x) {
         return layer_norm(x[0], {3, 2}, x[1]);
       }},
      {"layer_norm",
       "layer_norm(a, (4,), eps=0.1)",
       {{{3, 4}}},
       [](In x) { return layer_norm(x[0], {4}, {}, {}, 0.1); }},
      {"layer_norm",
       "layer_norm(a, (4,), None, b)",
       {{{3, 4}, {4}}},
       [](In x) { return layer_norm(x[0], {4}, {}, x[1]); }},
      {"rms_norm",
       "rms_norm(a, (4,), b)",
       {{{2, 3, 4}, {4}}, {{4}, {4}}, {{0, 4}, {4}}, {{1, 4}, {4}}},
       [](In x) { return rms_norm(x[0], {4}, x[1]); }},
      {"rms_norm",
       "rms_norm(a, (3, 2), b, 0.1)",
       {{{2, 3, 2}, {3, 2}}, {{3, 2}, {3, 2}}},
       [](In x) {
         return rms_norm(x[0], {3, 2}, x[1], 0.1);
       }},
      {"rms_norm",
       "rms_norm(a, (4,), eps=0.1)",
       {{{3, 4}}},
       [](In x) { return rms_norm(x[0], {4}, {}, 0.1); }},
      {"dropout",
       "seeded(dropout, a, 0.4)",
       {{{3, 4}}, {{}}, {{0, 2}}},
       [](In x) {
         manual_seed(3);
         return dropout(x[0], 0.4);
       }},
      {"dropout", "dropout(a, 0.4, training=False)", unary,
       [](In x) { return dropout(x[0], 0.4, false); }},
      {"dropout_mask",
       "a * seeded(dropout, ones_like(a), 0.25)",
       {{{3, 4}}, {{}}, {{1}}, {{0, 2}}},
       [](In x) {
         manual_seed(3);
         return x[0] * dropout_mask(x[0].shape(), 0.25, x[0].dtype());
       }},
  };
}

}  // namespace tapehead::op_rows
