// Rows: elements put where an index says, in a copy and in place.
#include "shapes.h"

namespace tapehead::op_rows {
namespace {

using indexing::Slice;

// No two go to one place, whether along dimension 0 or 1.
Tensor apart() { return tensor({{2, 0}, {1, 1}}); }
Tensor along_rows() { return tensor({{2, 0}, {1, 0}}); }
Tensor meeting() { return tensor({{2, 0, 2}, {1, 1, 0}}); }
Tensor turned() { return mT(tensor({{2, 1}, {0, 1}, {2, 0}})); }

Rows elements() {
  return {
      {"scatter",
       "scatter(a, 0, tensor([[2, 0], [1, 1]]), b)",
       {{{3, 2}, {2, 2}}, {{4, 3}, {2, 2}}},
       [](In x) { return scatter(x[0], 0, apart(), x[1]); }},
      {"scatter",
       "scatter(a, 1, tensor([[2, 0], [1, 0]]), b)",
       {{{2, 3}, {2, 2}}, {{3, 3}, {2, 2}}},
       [](In x) { return scatter(x[0], 1, along_rows(), x[1]); }},
      {"scatter",
       "scatter(a, -1, tensor([[2, 0, 2], [1, 1, 0]]), 2.5)",
       {{{2, 3}}, {{3, 4}}},
       [](In x) { return scatter(x[0], -1, meeting(), 2.5); }},
      {"scatter", "scatter(a, 0, zeros(0).long(), 2.5)", unary,
       [](In x) { return scatter(x[0], 0, zeros({0}, Int64), 2.5); }},
      {"scatter_add",
       "scatter_add(a, 1, tensor([[2, 0, 2], [1, 1, 0]]), b)",
       {{{2, 3}, {2, 3}}, {{3, 4}, {2, 3}}},
       [](In x) { return scatter_add(x[0], 1, meeting(), x[1]); }},
      {"scatter_add",
       "scatter_add(a, 1, tensor([[2, 1], [0, 1], [2, 0]]).mT, b)",
       {{{2, 3}, {2, 3}}},
       [](In x) { return scatter_add(x[0], 1, turned(), x[1]); }},
      {"scatter_add",
       "scatter_add(a, 0, zeros_like(b).long(), b)",
       {{{2, 3}, {4, 3}}, {{1, 1}, {1, 1}}, {{}, {}}, {{3}, {2}}, {{2, 3}, {0, 3}}},
       [](In x) { return scatter_add(x[0], 0, zeros(x[1].shape(), Int64), x[1]); }},
  };
}

Rows slices() {
  return {
      {"index_add",
       "index_add(a, 0, tensor([2, 0, 2]), b, alpha=2.5)",
       {{{3, 2}, {3, 2}}, {{3}, {3}}, {{4, 0}, {3, 0}}},
       [](In x) { return index_add(x[0], 0, picked(), x[1], 2.5); }},
      {"index_add",
       "index_add(a, -1, tensor([2, 0]), b)",
       {{{2, 3}, {2, 2}}, {{0, 3}, {0, 2}}},
       [](In x) { return index_add(x[0], -1, pair(), x[1]); }},
      {"index_add",
       "index_add(a, 0, tensor(0), b)",
       {{{}, {}}, {{2}, {1}}},
       [](In x) { return index_add(x[0], 0, tensor(0), x[1]); }},
      {"index_copy",
       "index_copy(a, 0, tensor([2, 0]), b)",
       {{{3, 2}, {2, 2}}, {{3}, {2}}, {{3, 0}, {2, 0}}},
       [](In x) { return index_copy(x[0], 0, pair(), x[1]); }},
      {"index_copy",
       "index_copy(a, 1, tensor([2, 0]), b)",
       {{{2, 3}, {2, 2}}, {{2, 3, 2}, {2, 2, 2}}},
       [](In x) { return index_copy(x[0], 1, pair(), x[1]); }},
  };
}

// A (3, 2) copy of a, in three layouts.
struct Copied {
  std::string text;
  Tensor (*copy)(const Tensor&);
  Shape shape;
};

Rows into(const Copied& target) {
  const auto& [text, make, shape] = target;
  const auto copy = make;
  const Sets alone{{shape}}, with_matrix{{shape, {2, 2}}}, with_rows{{shape, {3, 2}}};
  return {
      {"scatter_", text + ".scatter_(0, tensor([[2, 0], [1, 1]]), b)", with_matrix,
       [copy](In x) { return copy(x[0]).scatter_(0, apart(), x[1]); }},
      {"scatter_", text + ".scatter_(0, tensor([[2, 0], [1, 1]]), 2.5)", alone,
       [copy](In x) { return copy(x[0]).scatter_(0, apart(), 2.5); }},
      {"scatter_add_", text + ".scatter_add_(0, tensor([[2, 0], [1, 1]]), b)", with_matrix,
       [copy](In x) { return copy(x[0]).scatter_add_(0, apart(), x[1]); }},
      {"index_add_", text + ".index_add_(0, tensor([2, 0, 2]), b, alpha=2.5)", with_rows,
       [copy](In x) { return copy(x[0]).index_add_(0, picked(), x[1], 2.5); }},
      {"index_copy_", text + ".index_copy_(0, tensor([2, 0]), b)", with_matrix,
       [copy](In x) { return copy(x[0]).index_copy_(0, pair(), x[1]); }},
      {"index_fill_", text + ".index_fill_(0, tensor([0, -1]), 2.5)", alone,
       [copy](In x) {
         return copy(x[0]).index_fill_(0, tensor({0, -1}), 2.5);
       }},
      {"index_put_", text + ".index_put_((tensor([2, 0, 2]),), b, accumulate=True)", with_rows,
       [copy](In x) { return copy(x[0]).index_put_({picked()}, x[1], true); }},
      {"index_put_", text + ".index_put_((tensor([2, 0]),), b)", with_matrix,
       [copy](In x) { return copy(x[0]).index_put_({pair()}, x[1]); }},
      {"index_put_", "put(" + text + ", (slice(None), 1), 2.5)", alone,
       [copy](In x) {
         return copy(x[0]).index_put_({Slice(), 1}, 2.5);
       }},
  };
}

}  // namespace

Rows scattering() {
  Rows rows = elements();
  for (OpRow& row : slices()) rows.push_back(std::move(row));
  const std::vector<Copied> targets{
      {"clone(a)", [](const Tensor& a) { return clone(a); }, {3, 2}},
      {"(a * 1).transpose(0, -1)",
       [](const Tensor& a) { return (a * 1).transpose(0, -1); },
       {2, 3}},
      {"(a * 1)[..., 1:4:2]", [](const Tensor& a) { return (a * 1).slice(-1, 1, 4, 2); }, {3, 5}},
  };
  for (const Copied& target : targets)
    for (OpRow& row : into(target)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace tapehead::op_rows
