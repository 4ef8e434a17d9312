// Rows: the same elements in other places.
#include "shapes.h"

namespace tapehead::op_rows {

Rows shapes() {
  const Sets matrices{{{2, 3}}, {{1, 1}}, {{0, 3}}},
      stacks{{{2, 3, 4}}, {{2, 3}}, {{2, 0, 3}}, {{1, 2}}},
      triangles{{{4, 2}}, {{2, 3, 3}}, {{1, 1}}, {{0, 2}}};
  return {
      {"view",
       "a.contiguous().view(3, -1)",
       {{{2, 6}}, {{3, 1}}, {{3, 2, 2}}},
       [](In x) {
         return view(contiguous(x[0]), {3, -1});
       }},
      {"view", "a.contiguous().view(-1)", unary, [](In x) { return view(contiguous(x[0]), {-1}); }},
      {"reshape", "reshape(a, (-1,))", unary, [](In x) { return reshape(x[0], {-1}); }},
      {"reshape",
       "reshape(a.mT, (6,))",
       {{{2, 3}}, {{6, 1}}, {{1, 2, 3}}},
       [](In x) { return reshape(mT(x[0]), {6}); }},
      {"flatten", "flatten(a)", unary, [](In x) { return flatten(x[0]); }},
      {"flatten", "flatten(a, 1)", cubes, [](In x) { return flatten(x[0], 1); }},
      {"transpose", "transpose(a, 0, -1)", unary, [](In x) { return transpose(x[0], 0, -1); }},
      {"t", "t(a)", {{{2, 3}}, {{3}}, {{}}, {{0, 2}}, {{1, 1}}}, [](In x) { return t(x[0]); }},
      {"mT", "a.mT", stacks, [](In x) { return mT(x[0]); }},
      {"permute", "permute(a, ())", {{{}}}, [](In x) { return permute(x[0], Dims{}); }},
      {"permute", "permute(a, (2, 0, 1))", cubes,
       [](In x) {
         return permute(x[0], {2, 0, 1});
       }},
      {"expand",
       "a.expand(2, 4, 3)",
       {{{4, 1}}, {{3}}, {{1, 4, 3}}, {{}}},
       [](In x) {
         return expand(x[0], {2, 4, 3});
       }},
      {"expand",
       "a.expand(2, -1, -1)",
       {{{2, 3}}, {{0, 3}}, {{1, 1}}},
       [](In x) {
         return expand(x[0], {2, -1, -1});
       }},
      {"squeeze",
       "squeeze(a)",
       {{{1, 3, 1}}, {{2}}, {{1}}, {{}}, {{0, 1}}},
       [](In x) { return squeeze(x[0]); }},
      {"squeeze", "squeeze(a, 1)", {{{2, 1, 3}}, {{2, 3}}}, [](In x) { return squeeze(x[0], 1); }},
      {"unsqueeze", "unsqueeze(a, -1)", unary, [](In x) { return unsqueeze(x[0], -1); }},
      {"narrow",
       "narrow(a, 1, 1, 2)",
       {{{2, 4}}, {{1, 3, 2}}, {{0, 3}}},
       [](In x) { return narrow(x[0], 1, 1, 2); }},
      {"select", "select(a, -1, 1)", stacks, [](In x) { return select(x[0], -1, 1); }},
      {"select",
       "select(a, 0, 0)",
       {{{3, 2}}, {{1, 1}}, {{1}}, {{1, 0}}},
       [](In x) { return select(x[0], 0, 0); }},
      {"slice",
       "a[:, 1:4:2]",
       {{{2, 5}}, {{3, 4, 1}}, {{2, 1}}, {{0, 4}}},
       [](In x) { return slice(x[0], 1, 1, 4, 2); }},
      {"slice",
       "a[-3:-1]",
       {{{5, 2}}, {{2}}, {{1, 2}}},
       [](In x) { return slice(x[0], 0, -3, -1); }},
      {"contiguous", "a.mT.contiguous()", stacks, [](In x) { return contiguous(mT(x[0])); }},
      {"clone", "clone(a)", unary, [](In x) { return clone(x[0]); }},
      // All is Float64 here, where this is a itself: the rule has a test of its own (ops_test.cpp).
      {"to", "a.to(float64)", unary, [](In x) { return to(x[0], Float64); }},
      {"tril", "tril(a)", stacks, [](In x) { return tril(x[0]); }},
      {"tril", "tril(a, 1)", matrices, [](In x) { return tril(x[0], 1); }},
      {"triu", "triu(a, -1)", triangles, [](In x) { return triu(x[0], -1); }},
      {"alias", "a.view_as(a)", unary, [](In x) { return alias(x[0]); }},
  };
}

Rows joining() {
  return {
      {"split",
       "split(a, 2)",
       {{{5, 2}}, {{4}}, {{1, 3}}, {{0, 3}}},
       [](In x) { return split(x[0], 2); }},
      {"split",
       "split(a, [1, 0, 3], dim=-1)",
       {{{2, 4}}, {{4}}},
       [](In x) {
         return split(x[0], std::vector<Index>{1, 0, 3}, -1);
       }},
      {"chunk",
       "chunk(a, 3, dim=1)",
       {{{2, 7}}, {{2, 3, 2}}, {{3, 2}}, {{1, 1}}, {{2, 0}}},
       [](In x) { return chunk(x[0], 3, 1); }},
      {"cat",
       "cat([a, b, a], dim=1)",
       {{{2, 3}, {2, 1}}, {{1, 1, 2}, {1, 3, 2}}, {{2, 0}, {2, 2}}},
       [](In x) {
         return cat({x[0], x[1], x[0]}, 1);
       }},
      {"stack",
       "stack([a, b], dim=-1)",
       {{{2, 3}, {2, 3}}, {{}, {}}, {{0, 2}, {0, 2}}, {{1}, {1}}},
       [](In x) {
         return stack({x[0], x[1]}, -1);
       }},
  };
}

namespace {

Tensor rows_2_0_2() { return tensor({2, 0, 2}); }
// For a (2, 3) output or a part of it, from 3 columns.
Tensor two_rows() { return tensor({{2, 0, 2}, {1, 1, 0}}); }
// The same numbers with others between them, and column by column.
Tensor spaced_rows() { return slice(tensor({2, 1, 0, 1, 2, 1}), 0, 0, 6, 2); }
Tensor two_turned_rows() { return mT(tensor({{2, 1}, {0, 1}, {2, 0}})); }

}  // namespace

Rows indexing() {
  return {
      {"index_select",
       "index_select(a, 0, tensor([2, 0, 2]))",
       {{{3, 2}}, {{3}}, {{4, 1, 2}}},
       [](In x) { return index_select(x[0], 0, rows_2_0_2()); }},
      {"index_select",
       "index_select(a, -1, tensor([2, 0, 2]))",
       {{{2, 4}}, {{0, 3}}},
       [](In x) { return index_select(x[0], -1, rows_2_0_2()); }},
      {"index_select",
       "index_select(a, 0, tensor([2, 1, 0, 1, 2, 1])[::2])",
       {{{3, 2}}},
       [](In x) { return index_select(x[0], 0, spaced_rows()); }},
      {"gather",
       "gather(a, 0, tensor(0))",
       {{{}}},
       [](In x) { return gather(x[0], 0, tensor(0)); }},
      {"gather",
       "gather(a, 1, tensor([[2, 0, 2], [1, 1, 0]]))",
       {{{2, 3}}, {{3, 4}}},
       [](In x) { return gather(x[0], 1, two_rows()); }},
      {"gather",
       "gather(a, 1, tensor([[2, 1], [0, 1], [2, 0]]).mT)",
       {{{2, 3}}},
       [](In x) { return gather(x[0], 1, two_turned_rows()); }},
      {"gather",
       "gather(a, 1, zeros(len(a), 2).long())",
       {{{2, 3}}, {{1, 1}}, {{0, 3}}},
       [](In x) {
         return gather(x[0], 1, zeros({x[0].size(0), 2}, Int64));
       }},
      {"embedding",
       "embedding(tensor([[2, 0, 2], [1, 1, 0]]), a)",
       {{{4, 2}}, {{3, 1}}, {{3, 0}}},
       [](In x) { return embedding(two_rows(), x[0]); }},
      {"embedding",
       "embedding(tensor([[2, 1], [0, 1], [2, 0]]).mT, a)",
       {{{4, 2}}},
       [](In x) { return embedding(two_turned_rows(), x[0]); }},
      {"slice_backward",
       "slice_backward(a, (len(a), 5), 1, 1, 4, 2)",
       {{{2, 2}}, {{3, 2}}, {{1, 2}}, {{0, 2}}},
       [](In x) {
         return slice_backward(x[0], {x[0].size(0), 5}, 1, 1, 2);
       }},
      {"index_select_backward",
       "zeros(4, a.shape[1]).to(a.dtype).index_add(0, tensor([2, 0, 2]), a)",
       {{{3, 2}}, {{3, 1}}, {{3, 0}}},
       [](In x) {
         return index_select_backward(x[0], {4, x[0].size(1)}, 0, rows_2_0_2());
       }},
      {"index_select_backward",
       "zeros(4, a.shape[1]).to(a.dtype).index_add(0, tensor([2, 1, 0, 1, 2, 1])[::2], a)",
       {{{3, 2}}},
       [](In x) {
         return index_select_backward(x[0], {4, x[0].size(1)}, 0, spaced_rows());
       }},
      {"gather_backward",
       "zeros(2, 4).to(a.dtype).scatter_add(1, tensor([[2, 0, 2], [1, 1, 0]]), a)",
       {{{2, 3}}},
       [](In x) {
         return gather_backward(x[0], {2, 4}, 1, two_rows());
       }},
      {"gather_backward",
       "zeros(2, 4).to(a.dtype).scatter_add(1, tensor([[2, 1], [0, 1], [2, 0]]).mT, a)",
       {{{2, 3}}},
       [](In x) {
         return gather_backward(x[0], {2, 4}, 1, two_turned_rows());
       }},
      {"gather_backward",
       "zeros(len(a), 4).to(a.dtype).scatter_add(1, zeros_like(a).long(), a)",
       {{{2, 3}}, {{1, 1}}, {{0, 2}}},
       [](In x) {
         return gather_backward(x[0], {x[0].size(0), 4}, 1, zeros(x[0].shape(), Int64));
       }},
  };
}

}  // namespace tapehead::op_rows
