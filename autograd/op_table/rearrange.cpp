// Rows: dimensions moved, elements mirrored, shifted and repeated.
#include "shapes.h"

namespace tapehead::op_rows {
namespace {

Rows by_dimension() {
  return {
      {"ravel", "ravel(a)", unary, [](In x) { return ravel(x[0]); }},
      {"ravel", "ravel(a.mT)", {{{2, 3}}, {{2, 3, 2}}}, [](In x) { return ravel(mT(x[0])); }},
      {"swapdims", "swapdims(a, 0, -1)", unary, [](In x) { return swapdims(x[0], 0, -1); }},
      {"movedim", "movedim(a, 0, -1)", unary, [](In x) { return movedim(x[0], 0, -1); }},
      {"movedim", "movedim(a, (0, -1), (1, 0))", cubes,
       [](In x) {
         return movedim(x[0], {0, -1}, {1, 0});
       }},
      {"unbind",
       "unbind(a)",
       {{{3, 2}}, {{3}}, {{2, 0}}, {{1, 1}}},
       [](In x) { return unbind(x[0]); }},
      {"unbind",
       "unbind(a, dim=-1)",
       {{{2, 3}}, {{2, 1, 3}}},
       [](In x) { return unbind(x[0], -1); }},
      {"diagonal",
       "diagonal(a)",
       {{{2, 3}}, {{3, 2}}, {{1, 1}}, {{2, 3, 2}}, {{0, 3}}},
       [](In x) { return diagonal(x[0]); }},
      {"diagonal",
       "diagonal(a, 1, -1, 0)",
       {{{3, 4}}, {{2, 3, 4}}, {{1, 3}}},
       [](In x) { return diagonal(x[0], 1, -1, 0); }},
      {"diagonal",
       "diagonal(a, -2)",
       {{{4, 3}}, {{3, 2, 2}}, {{2, 2}}},
       [](In x) { return diagonal(x[0], -2); }},
      {"diag",
       "diag(a)",
       {{{3}}, {{2, 3}}, {{0}}, {{1}}, {{1, 1}}},
       [](In x) { return diag(x[0]); }},
      {"diag", "diag(a, -1)", {{{3}}, {{3, 2}}, {{1}}, {{0}}}, [](In x) { return diag(x[0], -1); }},
      {"diagonal_backward",
       "diagonal_backward(a, (len(a), 4), 1, 0, 1)",
       {{{3}}, {{1}}, {{0}}},
       [](In x) {
         return diagonal_backward(x[0], {x[0].size(0), 4}, 1, 0, 1);
       }},
      {"diagonal_backward",
       "diagonal_backward(a, (2, 3, 4), 0, -1, 0)",
       {{{3, 2}}},
       [](In x) {
         return diagonal_backward(x[0], {2, 3, 4}, 0, -1, 0);
       }},
  };
}

Rows by_element() {
  return {
      {"flip", "flip(a, (0,))", unary, [](In x) { return flip(x[0], {0}); }},
      {"flip",
       "flip(a, (0, -1))",
       {{{2, 3}}, {{2, 3, 2}}, {{0, 3}}},
       [](In x) {
         return flip(x[0], {0, -1});
       }},
      {"roll", "roll(a, 1)", unary, [](In x) { return roll(x[0], 1); }},
      {"roll",
       "roll(a, -4, -1)",
       {{{2, 3}}, {{3}}, {{2, 0}}, {{2, 1, 3}}},
       [](In x) { return roll(x[0], -4, -1); }},
      {"roll",
       "roll(a, (1, -2), (0, 1))",
       {{{2, 3}}, {{3, 4, 2}}, {{0, 3}}},
       [](In x) {
         return roll(x[0], {1, -2}, {0, 1});
       }},
      {"repeat", "a.repeat(2, 1, 3)", unary,
       [](In x) {
         return repeat(x[0], {2, 1, 3});
       }},
      {"repeat",
       "a.repeat(1, 1)",
       {{{2, 3}}, {{3}}, {{}}},
       [](In x) {
         return repeat(x[0], {1, 1});
       }},
      {"tile", "tile(a, (2,))", unary, [](In x) { return tile(x[0], {2}); }},
      {"tile", "tile(a, (2, 1, 3))", unary,
       [](In x) {
         return tile(x[0], {2, 1, 3});
       }},
      {"repeat_interleave", "repeat_interleave(a, 2)", unary,
       [](In x) { return repeat_interleave(x[0], 2); }},
      {"repeat_interleave",
       "repeat_interleave(a, 3, dim=-1)",
       {{{2, 3}}, {{3}}, {{0, 2}}, {{1, 1}}, {{2, 1, 3}}},
       [](In x) { return repeat_interleave(x[0], 3, -1); }},
      {"repeat_interleave",
       "repeat_interleave(a, 1, dim=0)",
       {{{2, 3}}},
       [](In x) { return repeat_interleave(x[0], 1, 0); }},
      {"repeat_interleave",
       "repeat_interleave(a, tensor([2, 0, 1]), dim=0)",
       {{{3, 2}}, {{3}}, {{3, 0}}},
       [](In x) {
         return repeat_interleave(x[0], tensor({2, 0, 1}), 0);
       }},
      {"repeat_interleave",
       "repeat_interleave(a, tensor(2), dim=1)",
       {{{2, 3}}, {{0, 1}}},
       [](In x) { return repeat_interleave(x[0], tensor(2), 1); }},
      {"repeat_interleave",
       "repeat_interleave(a, tensor([2, 1]))",
       {{{2}}},
       [](In x) {
         return repeat_interleave(x[0], tensor({2, 1}));
       }},
  };
}

}  // namespace

Rows rearranging() {
  Rows rows = by_dimension();
  for (OpRow& row : by_element()) rows.push_back(std::move(row));
  OpRow counted{"repeat_interleave", "repeat_interleave((a > 0).long())", {{{4}}, {{0}}}, [](In x) {
                  return repeat_interleave((x[0] > 0).to(Int64));
                }};
  counted.differentiable = false;
  rows.push_back(std::move(counted));
  return rows;
}

}  // namespace tapehead::op_rows
