// Rows: losses.
#include "shapes.h"

namespace tapehead::op_rows {
namespace {

Tensor classes() { return tensor({2, 0, -100, 1}); }
Tensor pixels() { return tensor({{1, -100}, {0, 2}}); }
CrossEntropyOptions with(Reduction reduction, double label_smoothing = 0) {
  return {.reduction = reduction, .label_smoothing = label_smoothing};
}

}  // namespace

Rows class_losses() {
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
      {"nll_loss",
       "nll_loss(a, classes)",
       {{{4, 3}}, {{4, 5}}},
       [](In x) { return nll_loss(x[0], classes()); }},
      {"nll_loss",
       "nll_loss(a, pixels, reduction='none')",
       {{{2, 3, 2}}},
       [](In x) { return nll_loss(x[0], pixels(), {.reduction = Reduction::None}); }},
      {"nll_loss",
       "nll_loss(a, tensor([1, 2, 1, 0]), ignore_index=1, reduction='sum')",
       {{{4, 3}}},
       [](In x) {
         return nll_loss(x[0], tensor({1, 2, 1, 0}),
                         {.ignore_index = 1, .reduction = Reduction::Sum});
       }},
      {"nll_loss",
       "nll_loss(a, zeros(len(a)).long(), reduction='sum')",
       {{{2, 3}}, {{1, 3}}, {{2, 1}}, {{1, 1}}, {{0, 3}}},
       [](In x) {
         return nll_loss(x[0], zeros({x[0].size(0)}, Int64), {.reduction = Reduction::Sum});
       }},
      {"nll_loss",
       "nll_loss(a, tensor(2))",
       {{{3}}},
       [](In x) { return nll_loss(x[0], tensor(2)); }},
  };
}

Rows losses() {
  const Sets pair{{{2, 3}, {2, 3}}, {{}, {}}, {{1}, {1}}};
  Sets or_none = pair;  // the mean of nothing is NaN
  or_none.push_back({{0, 3}, {0, 3}});
  return {
      {"mse_loss", "mse_loss(a, b)", pair, [](In x) { return mse_loss(x[0], x[1]); }},
      {"mse_loss", "mse_loss(a, b, reduction='sum')", or_none,
       [](In x) { return mse_loss(x[0], x[1], Reduction::Sum); }},
      {"mse_loss", "mse_loss(a, b, reduction='none')", or_none,
       [](In x) { return mse_loss(x[0], x[1], Reduction::None); }},
      {"l1_loss", "l1_loss(a, b)", pair, [](In x) { return l1_loss(x[0], x[1]); }},
      {"l1_loss", "l1_loss(a, b, reduction='none')", or_none,
       [](In x) { return l1_loss(x[0], x[1], Reduction::None); }},
      // No difference here is beta.
      {"smooth_l1_loss", "smooth_l1_loss(a * 1.01, b)", pair,
       [](In x) { return smooth_l1_loss(x[0] * 1.01, x[1]); }},
      {"smooth_l1_loss", "smooth_l1_loss(a, b, reduction='none', beta=0.3)", or_none,
       [](In x) { return smooth_l1_loss(x[0], x[1], Reduction::None, 0.3); }},
      {"smooth_l1_loss", "smooth_l1_loss(a, b, reduction='sum', beta=0)", or_none,
       [](In x) { return smooth_l1_loss(x[0], x[1], Reduction::Sum, 0); }},
      {"huber_loss", "huber_loss(a * 1.01, b)", pair,
       [](In x) { return huber_loss(x[0] * 1.01, x[1]); }},
      {"huber_loss", "huber_loss(a, b, reduction='none', delta=0.3)", or_none,
       [](In x) { return huber_loss(x[0], x[1], Reduction::None, 0.3); }},
      {.op = "kl_div",
       .call = "kl_div(a, b)",
       .inputs = pair,
       .f = [](In x) { return kl_div(x[0], x[1]); },
       .positive = true},
      {.op = "kl_div",
       .call = "kl_div(a, b, reduction='batchmean')",
       .inputs = pair,
       .f = [](In x) { return kl_div(x[0], x[1], Reduction::BatchMean); },
       .positive = true},
      {"kl_div", "kl_div(a, b, reduction='none', log_target=True)", or_none,
       [](In x) { return kl_div(x[0], x[1], Reduction::None, true); }},
      {"binary_cross_entropy", "binary_cross_entropy(sigmoid(a), b)", pair,
       [](In x) { return binary_cross_entropy(sigmoid(x[0]), x[1]); }},
      {"binary_cross_entropy",
       "binary_cross_entropy(sigmoid(a), b, tensor([2., 0.5, 1.]).to(a.dtype), reduction='none')",
       {{{2, 3}, {2, 3}}, {{4, 2, 3}, {4, 2, 3}}, {{0, 3}, {0, 3}}},
       [](In x) {
         return binary_cross_entropy(sigmoid(x[0]), x[1], tensor({2., 0.5, 1.}, x[0].dtype()),
                                     Reduction::None);
       }},
      {"binary_cross_entropy_with_logits", "binary_cross_entropy_with_logits(a, b)", pair,
       [](In x) { return binary_cross_entropy_with_logits(x[0], x[1]); }},
      {"binary_cross_entropy_with_logits",
       "binary_cross_entropy_with_logits(a * 50, b, tensor([[2.], [0.5]]).to(a.dtype), "
       "reduction='none', pos_weight=tensor([2., 0.5, 1.]).to(a.dtype))",
       {{{2, 3}, {2, 3}}, {{4, 2, 3}, {4, 2, 3}}},
       [](In x) {
         return binary_cross_entropy_with_logits(
             x[0] * 50, x[1], tensor({{2.}, {0.5}}, x[0].dtype()), Reduction::None,
             tensor({2., 0.5, 1.}, x[0].dtype()));
       }},
      {"cosine_similarity",
       "cosine_similarity(a, b)",
       {{{2, 3}, {2, 3}},
        {{4, 3}, {1, 3}},
        {{2, 3, 2}, {3, 2}},
        {{0, 3}, {0, 3}},
        {{1, 1}, {1, 2}}},
       [](In x) { return cosine_similarity(x[0], x[1]); }},
      {"cosine_similarity",
       "cosine_similarity(a, b, dim=0, eps=1e-3)",
       {{{3, 2}, {3, 2}}, {{3}, {3}}},
       [](In x) { return cosine_similarity(x[0], x[1], 0, 1e-3); }},
  };
}

}  // namespace tapehead::op_rows
