// Rows: softmax, normalisation, dropout, losses.
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

namespace {

Tensor classes() { return tensor({2, 0, -100, 1}); }
Tensor pixels() { return tensor({{1, -100}, {0, 2}}); }
CrossEntropyOptions with(Reduction reduction, double label_smoothing = 0) {
  return {.reduction = reduction, .label_smoothing = label_smoothing};
}

}  // namespace

Rows losses() {
  const Sets pair{{{2, 3}, {2, 3}}, {{}, {}}, {{1}, {1}}};
  Sets or_none = pair;  // the mean of nothing is NaN
  or_none.push_back({{0, 3}, {0, 3}});
  return {
      {"cross_entropy",
       "cross_entropy(a, classes)",
       {{{4, 3}}, {{4, 5}}},
       [](In x) { return cross_entropy(x[0], classes()); }},
      {"cross_entropy",
       "cross_entropy(a, classes, reduction='sum', label_smoothing=0.1)",
       {{{4, 3}}},
       [](In x) { return cross_entropy(x[0], classes(), with(Reduction::Sum, 0.1)); }},
      {"cross_entropy",
       "cross_entropy(a, classes, reduction='none', label_smoothing=0.1)",
       {{{4, 3}}},
       [](In x) { return cross_entropy(x[0], classes(), with(Reduction::None, 0.1)); }},
      {"cross_entropy",
       "cross_entropy(a, pixels, label_smoothing=0.2)",
       {{{2, 3, 2}}},
       [](In x) { return cross_entropy(x[0], pixels(), with(Reduction::Mean, 0.2)); }},
      {"cross_entropy",
       "cross_entropy(a, tensor([1, 2, 1, 0]), ignore_index=1)",
       {{{4, 3}}},
       [](In x) {
         return cross_entropy(x[0], tensor({1, 2, 1, 0}), {.ignore_index = 1});
       }},
      {"cross_entropy",
       "cross_entropy(a, zeros(len(a)).long(), reduction='sum')",
       {{{2, 3}}, {{1, 3}}, {{2, 1}}, {{1, 1}}, {{0, 3}}},
       [](In x) {
         return cross_entropy(x[0], zeros({x[0].size(0)}, Int64), with(Reduction::Sum));
       }},
      {"cross_entropy",
       "cross_entropy(a, tensor(2))",
       {{{3}}},
       [](In x) { return cross_entropy(x[0], tensor(2)); }},
      {"cross_entropy",
       "cross_entropy(a, tensor([2, 1, 0, 1])[::2])",
       {{{2, 3}}},
       [](In x) {
         return cross_entropy(x[0], slice(tensor({2, 1, 0, 1}), 0, 0, 4, 2));
       }},
      {"mse_loss", "mse_loss(a, b)", pair, [](In x) { return mse_loss(x[0], x[1]); }},
      {"mse_loss", "mse_loss(a, b, reduction='sum')", or_none,
       [](In x) { return mse_loss(x[0], x[1], Reduction::Sum); }},
      {"mse_loss", "mse_loss(a, b, reduction='none')", or_none,
       [](In x) { return mse_loss(x[0], x[1], Reduction::None); }},
  };
}

}  // namespace tapehead::op_rows
