// Rows: methods that change a tensor, here a copy of the first input: row-major, transposed and
// with gaps.
#include "shapes.h"

namespace tapehead::op_rows {
namespace {

struct Target {
  std::string text;
  Tensor (*copy)(const Tensor&);
  Sets alone, with_other;
};

std::vector<Target> targets() {
  return {
      {"clone(a)",
       [](const Tensor& a) { return clone(a); },
       unary,
       {{{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{2, 3}, {}}, {{}, {}}, {{0, 3}, {1}}, {{1, 1}, {1}}}},
      {"(a * 1).transpose(0, -1)",
       [](const Tensor& a) { return (a * 1).transpose(0, -1); },
       {{{3, 2}}, {{2, 3, 2}}, {{0, 3}}},
       {{{3, 2}, {2, 3}}, {{3, 2}, {3}}, {{3, 0}, {3}}}},
      {"(a * 1)[..., 1:4:2]",
       [](const Tensor& a) { return (a * 1).slice(-1, 1, 4, 2); },
       {{{2, 5}}, {{3, 4}}, {{0, 4}}},
       {{{2, 5}, {2, 2}}, {{3, 4}, {2}}, {{0, 4}, {1}}}},
  };
}

Rows onto(const Target& target) {
  const auto& [text, make, alone, with_other] = target;
  const auto copy = make;
  Rows rows = {
      {"add_", text + ".add_(b)", with_other, [copy](In x) { return copy(x[0]).add_(x[1]); }},
      {"add_", text + ".add_(b, alpha=2.5)", with_other,
       [copy](In x) { return copy(x[0]).add_(x[1], 2.5); }},
      {"add_", text + ".add_(1.5)", alone, [copy](In x) { return copy(x[0]).add_(1.5); }},
      {"sub_", text + ".sub_(b)", with_other, [copy](In x) { return copy(x[0]).sub_(x[1]); }},
      {"sub_", text + ".sub_(b, alpha=2.5)", with_other,
       [copy](In x) { return copy(x[0]).sub_(x[1], 2.5); }},
      {"sub_", text + ".sub_(1.5)", alone, [copy](In x) { return copy(x[0]).sub_(1.5); }},
      {"mul_", text + ".mul_(b)", with_other, [copy](In x) { return copy(x[0]).mul_(x[1]); }},
      {"mul_", text + ".mul_(2.5)", alone, [copy](In x) { return copy(x[0]).mul_(2.5); }},
      {"div_", text + ".div_(b)", with_other, [copy](In x) { return copy(x[0]).div_(x[1]); }},
      {"div_", text + ".div_(2.5)", alone, [copy](In x) { return copy(x[0]).div_(2.5); }},
      {"masked_fill_", "(t := " + text + ").masked_fill_(t < 0.6, -1.5)", alone,
       [copy](In x) {
         Tensor t = copy(x[0]);
         return t.masked_fill_(t < 0.6, -1.5);
       }},
  };
  Rows overwriting = {
      {"copy_", text + ".copy_(b)", with_other, [copy](In x) { return copy(x[0]).copy_(x[1]); }},
      {"fill_", text + ".fill_(1.5)", alone, [copy](In x) { return copy(x[0]).fill_(1.5); }},
      {"zero_", text + ".zero_()", alone, [copy](In x) { return copy(x[0]).zero_(); }},
  };
  for (OpRow& row : overwriting) row.forgets_first = true, rows.push_back(std::move(row));
  return rows;
}

}  // namespace

Rows in_place() {
  Rows all = {
      {"masked_fill_", "clone(a).masked_fill_(every_third(3, 2).mT, -1.5)", {{{2, 3}}}, [](In x) {
         return clone(x[0]).masked_fill_(mT(every_third({3, 2})), -1.5);
       }}};
  for (const Target& target : targets())
    for (OpRow& row : onto(target)) all.push_back(std::move(row));
  return all;
}

}  // namespace tapehead::op_rows
