// Rows: many elements to fewer.
#include "shapes.h"

namespace tapehead::op_rows {
namespace {

Outputs both(const ValuesIndices& result) {
  return std::vector<Tensor>{result.values, result.indices};
}

Rows choosing() {
  const Sets any{{{2, 3}}, {{}}, {{1, 1}}, {{3, 1, 2}}}, along{{{2, 3, 2}}, {{1, 3}}, {{0, 3}}};
  Rows rows = {
      {"amax", "amax(a)", any, [](In x) { return amax(x[0]); }},
      {"amax", "amax(a, dim=(0, -1), keepdim=True)", cubes,
       [](In x) {
         return amax(x[0], {0, -1}, true);
       }},
      {"amax", "amax(a, dim=1)", along, [](In x) { return amax(x[0], {1}); }},
      {"amin", "amin(a)", any, [](In x) { return amin(x[0]); }},
      {"amin", "amin(a, dim=1)", along, [](In x) { return amin(x[0], {1}); }},
      {"max", "max(a)", any, [](In x) { return max(x[0]); }},
      {"min", "min(a)", any, [](In x) { return min(x[0]); }},
      {"max", "max(a, dim=1)", along, [](In x) { return both(max(x[0], 1)); }},
      {"min", "min(a, dim=-1, keepdim=True)", along,
       [](In x) { return both(min(x[0], -1, true)); }},
  };
  Rows indices = {
      {"argmax", "argmax(a)", any, [](In x) { return argmax(x[0]); }},
      {"argmax", "argmax(a, dim=1, keepdim=True)", along,
       [](In x) { return argmax(x[0], 1, true); }},
      {"argmin", "argmin(a)", any, [](In x) { return argmin(x[0]); }},
      {"argmin", "argmin(a, dim=-1)", along, [](In x) { return argmin(x[0], -1); }},
  };
  for (OpRow& row : indices) row.differentiable = false, rows.push_back(std::move(row));
  for (OpRow& row : rows) row.choosing = true;
  // The empty dimension of `cubes` has no largest element.
  rows[1].inputs.pop_back();
  return rows;
}

}  // namespace

Rows reductions() {
  const Sets spread{{{2, 3, 4}}, {{2, 3, 2}}, {{2, 5, 1}}};
  Rows rows = {
      {"sum", "sum(a)", unary, [](In x) { return sum(x[0]); }},
      {"sum", "sum(a, dim=1)", cubes, [](In x) { return sum(x[0], {1}); }},
      {"sum", "sum(a, dim=(0, -1), keepdim=True)", cubes,
       [](In x) {
         return sum(x[0], {0, -1}, true);
       }},
      {"mean", "mean(a)", unary, [](In x) { return mean(x[0]); }},
      {"mean", "mean(a, dim=(1, 2))", cubes,
       [](In x) {
         return mean(x[0], {1, 2});
       }},
      {"mean", "mean(a, dim=-2, keepdim=True)", cubes, [](In x) { return mean(x[0], {-2}, true); }},
      {"var", "var(a)", spread, [](In x) { return var(x[0]); }},
      {"var",
       "var(a, unbiased=False)",
       {{{2, 3}}, {{}}, {{1, 1}}},
       [](In x) { return var(x[0], {}, false); }},
      {"var", "var(a, dim=1)", spread, [](In x) { return var(x[0], {1}); }},
      {"var", "var(a, dim=(0, -1), unbiased=False, keepdim=True)", cubes,
       [](In x) {
         return var(x[0], {0, -1}, false, true);
       }},
      {"sum_to",
       "a.sum_to_size(3, 1)",
       {{{2, 3, 4}}, {{3, 2}}, {{3, 1}}, {{0, 3, 2}}},
       [](In x) {
         return sum_to(x[0], {3, 1});
       }},
  };
  for (OpRow& row : choosing()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace tapehead::op_rows
