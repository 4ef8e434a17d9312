// Rows: elements chosen by x[...] and its relatives.
#include "shapes.h"

namespace tapehead::op_rows {
namespace {

using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;

Tensor columns() { return tensor({0, 1}); }
Tensor grid() { return tensor({{2, 0, 2}, {1, 1, 0}}); }

Rows views() {
  const Sets matrices{{{3, 2}}, {{3, 2, 4}}, {{3, 2, 0}}};
  return {
      {"index", "a[1]", {{{3, 2}}, {{2}}, {{2, 0}}}, [](In x) { return index(x[0], {1}); }},
      {"index", "a[tensor(-1)]", {{{3, 2}}, {{1}}}, [](In x) { return index(x[0], {tensor(-1)}); }},
      {"index", "a[..., None]", unary,
       [](In x) {
         return index(x[0], {Ellipsis, None});
       }},
      {"index", "a[...]", unary, [](In x) { return index(x[0], {"..."}); }},
      {"index", "a[-2:, None, 1]", matrices,
       [](In x) {
         return index(x[0], {Slice(-2), None, 1});
       }},
      {"index", "a[::2, ..., :1]", matrices,
       [](In x) {
         return index(x[0], {Slice(None, None, 2), "...", Slice(None, 1)});
       }},
  };
}

Rows choices() {
  return {
      {"index",
       "a[tensor([2, 0, 2])]",
       {{{3, 2}}, {{3}}, {{4, 1, 2}}, {{3, 0}}},
       [](In x) { return index(x[0], {picked()}); }},
      {"index",
       "a[:, tensor([-1, 0])]",
       {{{2, 3}}, {{2, 3, 2}}, {{0, 1}}},
       [](In x) {
         return index(x[0], {Slice(), tensor({-1, 0})});
       }},
      {"index",
       "a[tensor([2, 0]), tensor([0, 1])]",
       {{{3, 2}}, {{4, 3, 2}}},
       [](In x) {
         return index(x[0], {pair(), columns()});
       }},
      {"index",
       "a[tensor([2, 0]), :, tensor([0, 1])]",
       {{{3, 4, 2}}, {{3, 0, 2}}},
       [](In x) {
         return index(x[0], {pair(), Slice(), columns()});
       }},
      {"index",
       "a[:, tensor([[1], [0]]), tensor([0, 1, 1])]",
       {{{2, 2, 3}}, {{3, 2, 2, 2}}},
       [](In x) {
         return index(x[0], {Slice(), tensor({{1}, {0}}), tensor({0, 1, 1})});
       }},
      {"index",
       "a[tensor([[2, 0, 2], [1, 1, 0]])]",
       {{{3, 2}}, {{3}}},
       [](In x) { return index(x[0], {grid()}); }},
      {"index",
       "a[1:, None, tensor([0, 1])]",
       {{{3, 2}}, {{2, 3, 2}}},
       [](In x) {
         return index(x[0], {Slice(1), None, columns()});
       }},
      {"index",
       "a[0, :, tensor([0, 1])]",
       {{{1, 3, 2}}, {{2, 2, 2, 2}}},
       [](In x) {
         return index(x[0], {0, Slice(), columns()});
       }},
      {"index",
       "a[tensor([2, 0]), True]",
       {{{3, 2}}},
       [](In x) {
         return index(x[0], {pair(), true});
       }},
      {"index", "a[tensor(True)]", unary, [](In x) { return index(x[0], {tensor(true)}); }},
  };
}

Rows masks() {
  return {
      {"index",
       "a[every_third(3, 2)]",
       {{{3, 2}}, {{3, 2, 2}}, {{3, 2, 0}}},
       [](In x) {
         return index(x[0], {every_third({3, 2})});
       }},
      {"index",
       "a[:, every_third(4)]",
       {{{2, 4}}, {{2, 4, 3}}, {{0, 4}}},
       [](In x) {
         return index(x[0], {Slice(), every_third({4})});
       }},
      {"index",
       "a[every_third(4), ..., tensor([0, 1])]",
       {{{4, 2}}, {{4, 3, 2}}},
       [](In x) {
         return index(x[0], {every_third({4}), "...", columns()});
       }},
      {"index",
       "a[every_third(2, 2), tensor([1, 0])]",
       {{{2, 2, 3}}},
       [](In x) {
         return index(x[0], {every_third({2, 2}), tensor({1, 0})});
       }},
      {"masked_select",
       "masked_select(a, every_third(2, 3))",
       {{{2, 3}}, {{3}}, {{2, 1}}, {{}}},
       [](In x) {
         return masked_select(x[0], every_third({2, 3}));
       }},
      {"masked_select",
       "masked_select(a, every_third(3, 1))",
       {{{3, 2}}, {{2, 3, 2}}, {{3, 0}}},
       [](In x) {
         return masked_select(x[0], every_third({3, 1}));
       }},
      {"masked_scatter",
       "masked_scatter(a, every_third(4, 2), b)",
       {{{4, 2}, {3}}, {{2}, {2, 2}}, {{4, 1}, {4}}, {{}, {5}}},
       [](In x) {
         return masked_scatter(x[0], every_third({4, 2}), x[1]);
       }},
      {"take_along_dim",
       "take_along_dim(a, tensor([[2, 0, 2], [1, 1, 0]]), dim=1)",
       {{{2, 3}}, {{1, 4}}},
       [](In x) { return take_along_dim(x[0], grid(), 1); }},
      {"take_along_dim",
       "take_along_dim(a, tensor([[2, 0, 2]]), dim=0)",
       {{{4, 3}}, {{3, 1}}},
       [](In x) {
         return take_along_dim(x[0], tensor({{2, 0, 2}}), 0);
       }},
      {"take_along_dim",
       "take_along_dim(a, tensor([3, 0]))",
       {{{2, 3}}, {{4}}},
       [](In x) {
         return take_along_dim(x[0], tensor({3, 0}));
       }},
  };
}

// put(a, i, b) is a, but b at a[i].
Rows written() {
  return {
      {"index_put",
       "put(a, (slice(None), 1), b)",
       {{{3, 2}, {3}}, {{3, 2}, {}}, {{2, 3, 2}, {1, 2}}},
       [](In x) {
         return index_put(x[0], {Slice(), 1}, x[1]);
       }},
      {"index_put",
       "put(a, tensor([2, 0]), b)",
       {{{3, 2}, {2, 2}},
        {{3, 2}, {2}},
        {{3, 2}, {}},
        {{3}, {1}},
        {{4, 2}, {2, 1}},
        {{3, 0}, {2, 0}}},
       [](In x) { return index_put(x[0], {pair()}, x[1]); }},
      {"index_put",
       "put(a, (tensor([2, 0]), slice(None), tensor([0, 1])), b)",
       {{{3, 4, 2}, {2, 4}}, {{3, 2, 2}, {2, 1}}},
       [](In x) {
         return index_put(x[0], {pair(), Slice(), columns()}, x[1]);
       }},
      {"index_put",
       "put(a, (slice(1, None), None, tensor([0, 1])), b)",
       {{{3, 3}, {2, 1, 2}}, {{3, 2, 2}, {1, 2, 2}}},
       [](In x) {
         return index_put(x[0], {Slice(1), None, columns()}, x[1]);
       }},
      {"index_put",
       "put(a, every_third(3, 2), b)",
       {{{3, 2}, {}}, {{3, 2}, {2}}, {{3, 2, 2}, {2, 2}}},
       [](In x) {
         return index_put(x[0], {every_third({3, 2})}, x[1]);
       }},
      {"index_put",
       "a.index_put((tensor([2, 0, 2]),), b, accumulate=True)",
       {{{3, 2}, {3, 2}}, {{3, 2}, {2}}, {{3}, {3}}, {{3}, {}}, {{3, 0}, {3, 0}}},
       [](In x) { return index_put(x[0], {picked()}, x[1], true); }},
      {"index_fill",
       "index_fill(a, 1, tensor([0, -1]), 2.5)",
       {{{2, 3}}, {{2, 4, 3}}, {{0, 2}}},
       [](In x) {
         return index_fill(x[0], 1, tensor({0, -1}), 2.5);
       }},
  };
}

Rows without_gradient() {
  Rows rows = {
      {"nonzero", "nonzero(a)", unary, [](In x) { return nonzero(x[0]); }},
      {"nonzero", "nonzero(a > 0)", unary, [](In x) { return nonzero(x[0] > 0); }},
      {"one_hot", "one_hot((a > 0).long(), 3)", unary,
       [](In x) { return one_hot((x[0] > 0).to(Int64), 3); }},
      {"one_hot",
       "one_hot((a > 0).long())",
       {{{2, 3}}, {{3}}, {{}}},
       [](In x) { return one_hot((x[0] > 0).to(Int64)); }},
  };
  for (OpRow& row : rows) row.differentiable = false;
  return rows;
}

}  // namespace

Rows by_index() {
  Rows all;
  for (const auto part : {views, choices, masks, written, without_gradient})
    for (OpRow& row : part()) all.push_back(std::move(row));
  return all;
}

}  // namespace tapehead::op_rows
