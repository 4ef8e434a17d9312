// Rows: methods that change a tensor, here a copy of the first input.
#include "shapes.h"

namespace tapehead::op_rows {

Rows in_place() {
  const Sets onto{{{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{2, 3}, {}}, {{}, {}}, {{0, 3}, {1}}};
  Rows rows = {
      {"add_", "clone(a).add_(b)", onto, [](In x) { return clone(x[0]).add_(x[1]); }},
      {"add_", "clone(a).add_(b, alpha=2.5)", onto,
       [](In x) { return clone(x[0]).add_(x[1], 2.5); }},
      {"add_", "clone(a).add_(1.5)", unary, [](In x) { return clone(x[0]).add_(1.5); }},
      {"sub_", "clone(a).sub_(b)", onto, [](In x) { return clone(x[0]).sub_(x[1]); }},
      {"sub_", "clone(a).sub_(1.5)", unary, [](In x) { return clone(x[0]).sub_(1.5); }},
      {"mul_", "clone(a).mul_(b)", onto, [](In x) { return clone(x[0]).mul_(x[1]); }},
      {"mul_", "clone(a).mul_(2.5)", unary, [](In x) { return clone(x[0]).mul_(2.5); }},
      {"div_", "clone(a).div_(b)", onto, [](In x) { return clone(x[0]).div_(x[1]); }},
      {"div_", "clone(a).div_(2.5)", unary, [](In x) { return clone(x[0]).div_(2.5); }},
      {"masked_fill_",
       "clone(a).masked_fill_(every_third(3), -1.5)",
       {{{2, 3}}, {{0, 3}}},
       [](In x) { return clone(x[0]).masked_fill_(every_third({3}), -1.5); }},
  };
  Rows overwriting = {
      {"copy_", "clone(a).copy_(b)", onto, [](In x) { return clone(x[0]).copy_(x[1]); }},
      {"fill_", "clone(a).fill_(1.5)", unary, [](In x) { return clone(x[0]).fill_(1.5); }},
      {"zero_", "clone(a).zero_()", unary, [](In x) { return clone(x[0]).zero_(); }},
  };
  for (OpRow& row : overwriting) row.forgets_first = true, rows.push_back(std::move(row));
  return rows;
}

}  // namespace tapehead::op_rows
