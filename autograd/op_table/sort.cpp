// Rows: order and chance. The longest dimension is not the one that is ordered: tests repeat it,
// and equal elements would be a kink.
#include "shapes.h"

namespace tapehead::op_rows {
namespace {

Tensor drawn(const Tensor& weights, Index n, bool replacement) {
  manual_seed(3);
  return multinomial(weights, n, replacement);
}

}  // namespace

Rows sorting() {
  const Sets last{{{4, 3}}, {{3, 1, 2}}, {{0, 3}}}, first{{{3, 4}}, {{2, 3, 2}}, {{3, 0}}};
  Rows rows = {
      {"sort", "sort(a)", last, [](In x) { return both(sort(x[0])); }},
      {"sort", "sort(a, dim=0, descending=True)", first,
       [](In x) { return both(sort(x[0], 0, true)); }},
      {"sort", "sort(a, dim=-1)", {{{}}, {{1, 1}}}, [](In x) { return both(sort(x[0], -1)); }},
      {"topk", "topk(a, 2)", last, [](In x) { return both(topk(x[0], 2)); }},
      {"topk",
       "topk(a, 2, dim=1, largest=False)",
       {{{4, 3, 2}}, {{3, 2}}},
       [](In x) { return both(topk(x[0], 2, 1, false)); }},
      {"topk", "topk(a, 1)", {{{4, 3}}, {{}}, {{1, 1}}}, [](In x) { return both(topk(x[0], 1)); }},
  };
  for (OpRow& row : rows) row.choosing = true;
  Rows indices = {
      {"argsort", "argsort(a)", last, [](In x) { return argsort(x[0]); }},
      {"argsort", "argsort(a, dim=0, descending=True)", first,
       [](In x) { return argsort(x[0], 0, true); }},
      {"multinomial",
       "seeded(multinomial, a, 3)",
       {{{5}}, {{3}}},
       [](In x) { return drawn(x[0], 3, false); }},
      {"multinomial",
       "seeded(multinomial, a, 7, True)",
       {{{5}}, {{2, 4}}, {{0, 3}}},
       [](In x) { return drawn(x[0], 7, true); }},
  };
  for (OpRow& row : indices) {
    row.differentiable = false;
    row.positive = row.op == "multinomial";
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tapehead::op_rows
