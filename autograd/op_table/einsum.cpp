// Rows: Einstein's sums.
#include "shapes.h"

namespace tapehead::op_rows {
namespace {

// "einsum('ij,jk', a, b)"
OpRow einsum_row(const std::string& equation, const Sets& sets) {
  std::string call = "einsum('" + equation + "'";
  for (std::size_t i = 0; i < sets[0].size(); ++i) call += std::string(", ") + "abcd"[i];
  return {"einsum", call + ")", sets, [equation](In x) { return einsum(equation, x); }};
}

}  // namespace

Rows einsums() {
  return {
      // one operand
      einsum_row("ij->ji", {{{2, 3}}, {{1, 1}}, {{0, 3}}}),
      einsum_row("ba", {{{2, 3}}}),
      einsum_row("ij->j", {{{2, 3}}, {{0, 3}}}),
      einsum_row("ij->", {{{2, 3}}, {{1, 1}}}),
      einsum_row("ii", {{{3, 3}}, {{1, 1}}, {{0, 0}}}),
      einsum_row("ii->i", {{{3, 3}}, {{1, 1}}, {{0, 0}}}),
      einsum_row("iji->ij", {{{2, 3, 2}}}),
      einsum_row("iii->i", {{{2, 2, 2}}}),
      einsum_row("...ij->...ji", {{{2, 3, 4}}, {{2, 3}}, {{2, 1, 3, 2}}}),
      einsum_row("...ii->...", {{{2, 3, 3}}, {{2, 2}}}),
      einsum_row("i...", {{{2, 3, 4}}, {{3}}}),
      einsum_row("...ij->ij", {{{2, 3, 4}}, {{3, 2}}}),
      einsum_row("...", {{{2, 3}}, {{}}}),
      einsum_row("", {{{}}}),
      // two
      einsum_row("ij,jk", {{{2, 3}, {3, 4}}, {{1, 1}, {1, 1}}, {{2, 0}, {0, 3}}, {{0, 2}, {2, 3}}}),
      einsum_row("ij,jk->ki", {{{2, 3}, {3, 4}}}),
      einsum_row("ik,jk->ij", {{{2, 3}, {4, 3}}}),
      einsum_row("i,i", {{{3}, {3}}, {{0}, {0}}}),
      einsum_row("i,j->ij", {{{2}, {3}}}),
      einsum_row("i,j->ji", {{{2}, {3}}, {{0}, {3}}}),
      einsum_row("ij,ij->ij", {{{2, 3}, {2, 3}}, {{2, 3}, {1, 3}}}),
      einsum_row("ij,ij->i", {{{2, 3}, {2, 3}}, {{2, 1}, {2, 3}}}),
      einsum_row("ij,ij->", {{{2, 3}, {2, 3}}, {{2, 3}, {2, 1}}, {{1, 1}, {2, 3}}}),
      einsum_row("ij,jk->ik", {{{2, 3}, {1, 4}}, {{2, 1}, {3, 4}}}),
      einsum_row("ij,k->ik", {{{2, 3}, {4}}}),
      einsum_row("bi,bj->bij", {{{2, 3}, {2, 4}}, {{1, 3}, {2, 2}}}),
      einsum_row("bij,bjk->bik", {{{2, 3, 2}, {2, 2, 4}}, {{0, 2, 3}, {0, 3, 2}}}),
      einsum_row("bhqd,bhkd->bhqk", {{{2, 1, 3, 2}, {2, 1, 2, 2}}}),
      einsum_row("bhqk,bhkd->bqhd", {{{1, 2, 2, 3}, {1, 2, 3, 2}}}),
      einsum_row("btd,dhe->bhte", {{{2, 2, 3}, {3, 2, 2}}}),
      einsum_row("...i,i", {{{2, 3}, {3}}, {{3}, {3}}}),
      einsum_row("...ij,...jk->...ik", {{{2, 3, 2}, {2, 2}}, {{2, 1, 2, 3}, {3, 3, 1}}}),
      einsum_row("...i,...j->ij...", {{{2, 1, 2}, {3, 2}}}),
      einsum_row("ij,->ij", {{{2, 3}, {}}}),
      einsum_row("Ab,bA", {{{2, 3}, {3, 2}}}),
      einsum_row(" i j , j k -> i k ", {{{2, 3}, {3, 2}}}),
      einsum_row("ii,i->i", {{{3, 3}, {3}}}),
      // three
      einsum_row("ij,jk,kl->il", {{{2, 3}, {3, 2}, {2, 4}}}),
      einsum_row("i,ij,j", {{{2}, {2, 3}, {3}}}),
      einsum_row("bi,oij,bj->bo", {{{2, 3}, {2, 3, 2}, {2, 2}}}),
  };
}

}  // namespace tapehead::op_rows
