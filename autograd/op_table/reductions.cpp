// Rows: many elements to fewer.
#include <cmath>

#include "shapes.h"

namespace tapehead::op_rows {
namespace {

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
      {"std", "std(a)", spread, [](In x) { return tapehead::std(x[0]); }},
      {"std",
       "std(a, dim=(0, -1), unbiased=False, keepdim=True)",
       {{{2, 3, 4}}, {{2, 0, 4}}},
       [](In x) {
         return tapehead::std(x[0], {0, -1}, false, true);
       }},
      {"prod", "prod(a)", unary, [](In x) { return prod(x[0]); }},
      {"prod", "prod(a, 1)", cubes, [](In x) { return prod(x[0], 1); }},
      {"prod", "prod(a, -1, keepdim=True)", cubes, [](In x) { return prod(x[0], -1, true); }},
      // One zero (the second element is -1), and two of them.
      {"prod", "prod(a + 1)", {{{3}}, {{2, 3}}}, [](In x) { return prod(x[0] + 1); }},
      {"prod",
       "prod(stack([a + 1, a, a + 1]), 0)",
       {{{3}}, {{2, 3}}},
       [](In x) {
         return prod(stack({x[0] + 1, x[0], x[0] + 1}), 0);
       }},
      {"prod",
       "prod(a.masked_fill(every_third(3, 1), 0), 1)",
       {{{3, 4}}, {{3, 1}}},
       [](In x) {
         return prod(masked_fill(x[0], every_third({3, 1}), 0), 1);
       }},
      {"cumsum", "cumsum(a, 0)", unary, [](In x) { return cumsum(x[0], 0); }},
      {"cumsum", "cumsum(a, -2)", cubes, [](In x) { return cumsum(x[0], -2); }},
      {"norm", "norm(a)", unary, [](In x) { return norm(x[0]); }},
      {"norm", "norm(a, dim=(0, -1), keepdim=True)", cubes,
       [](In x) {
         return norm(x[0], 2, {0, -1}, true);
       }},
      {"norm", "norm(a, p=1, dim=1)", cubes, [](In x) { return norm(x[0], 1, {1}); }},
      {"norm", "norm(a, p=3, dim=1)", cubes, [](In x) { return norm(x[0], 3, {1}); }},
      {"norm", "norm(a, p=1.5, dim=1)", cubes, [](In x) { return norm(x[0], 1.5, {1}); }},
      {"norm", "norm(a, p=0.5)", unary, [](In x) { return norm(x[0], 0.5); }},
      {"norm", "norm(a, p=-1, dim=1)", cubes, [](In x) { return norm(x[0], -1, {1}); }},
      {"norm",
       "norm(a, p=inf, dim=1)",
       {{{2, 3, 4}}, {{1, 3, 1}}},
       [](In x) { return norm(x[0], INFINITY, {1}); }},
      {"norm",
       "norm(a, p=-inf)",
       {{{2, 3, 4}}, {{}}, {{0, 3}}},
       [](In x) { return norm(x[0], -INFINITY); }},
      {.op = "norm",
       .call = "norm(relu(a), p=0, dim=1)",
       .inputs = cubes,
       .f = [](In x) { return norm(relu(x[0]), 0, {1}); },
       .differentiable = false},
      {.op = "all",
       .call = "all(a > -1.5)",
       .inputs = unary,
       .f = [](In x) { return all(x[0] > -1.5); },
       .differentiable = false},
      {.op = "all",
       .call = "all(a, 1, keepdim=True)",
       .inputs = cubes,
       .f = [](In x) { return all(x[0], 1, true); },
       .differentiable = false},
      {.op = "any",
       .call = "any(a > 1)",
       .inputs = unary,
       .f = [](In x) { return any(x[0] > 1); },
       .differentiable = false},
      {.op = "any",
       .call = "any(floor(a), -1)",
       .inputs = cubes,
       .f = [](In x) { return any(floor(x[0]), -1); },
       .differentiable = false},
      {.op = "count_nonzero",
       .call = "count_nonzero(floor(a))",
       .inputs = unary,
       .f = [](In x) { return count_nonzero(floor(x[0])); },
       .differentiable = false},
      {.op = "count_nonzero",
       .call = "count_nonzero(floor(a), dim=(0, -1))",
       .inputs = cubes,
       .f =
           [](In x) {
             return count_nonzero(floor(x[0]), {0, -1});
           },
       .differentiable = false},
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
