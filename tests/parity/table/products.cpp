// Rows: matrix products.
#include <map>
#include <string>

#include "draws.h"

namespace parity::rows {
namespace {

Drawn multiplied(Draw& d) {
  const Operand a = d.floating_of_rank(1, 4);
  const Indices shape = d.see(a).shape;
  if (shape.empty()) return Arguments{a, a};
  const Index inner = shape.back() + (d.rarely() ? 1 : 0);
  if (d.random.chance(0.2)) return Arguments{a, d.like(a, {inner})};
  Indices other(shape.begin(), shape.end() - 1);
  if (!other.empty()) other.pop_back();
  other = d.random.chance(0.4) ? Indices() : d.broadcastable(other);
  other.push_back(inner), other.push_back(d.random.between(1, 4));
  return Arguments{a, d.like(a, other)};
}
Drawn projected(Draw& d) {
  const Operand x = d.floating_of_rank(1, 4);
  const Index in = d.rank(x) == 0 ? 1 : d.see(x).shape.back() + (d.rarely() ? 1 : 0),
              out = d.random.between(1, 4);
  const Operand weight = d.like(x, {out, in});
  if (d.random.chance(0.3)) return Arguments{x, weight, std::monostate()};
  return Arguments{x, weight, d.like(x, {out + (d.rarely() ? 1 : 0)})};
}
// (…, n, k) and (…, k, m); rarely they don't fit.
Drawn two_of_rank(Draw& d, Index rank) {
  const Operand a = d.floating_of_rank(rank, rank);
  if (d.rank(a) < 2) return {};
  Indices shape = d.see(a).shape;
  shape[shape.size() - 2] = shape.back() + (d.rarely() ? 1 : 0);
  shape.back() = d.random.between(1, 4);
  return Arguments{a, d.like(a, shape)};
}
Drawn two_matrices(Draw& d) { return two_of_rank(d, 2); }
Drawn two_stacks(Draw& d) { return two_of_rank(d, 3); }
Drawn matrix_and_vector(Draw& d) {
  const Operand a = d.floating_of_rank(2, 2);
  if (d.rank(a) == 0) return {};
  return Arguments{a, d.like(a, {d.see(a).shape.back() + (d.rarely() ? 1 : 0)})};
}
Drawn two_vectors(Draw& d) {
  const Operand a = d.floating_of_rank(1, 1);
  return Arguments{a, d.like(a, d.see(a).shape)};
}
Drawn any_two_vectors(Draw& d) {
  const Operand a = d.floating_of_rank(1, 1);
  return Arguments{a, d.like(a, d.shape_of_rank(1))};
}
Drawn added(Draw& d, Drawn drawn) {
  if (!drawn) return {};
  const Operand a = std::get<Operand>((*drawn)[0]), b = std::get<Operand>((*drawn)[1]);
  Indices shape = d.see(a).shape;
  shape.back() = d.see(b).shape.back();
  for (Index& size : shape)
    if (d.random.chance(0.2)) size = 1;
  return Arguments{d.like(a, shape), a, b, d.scalar(), d.scalar()};
}
Drawn added_matrices(Draw& d) { return added(d, two_matrices(d)); }
// With beta 0 PyTorch 1.13.1 multiplies what it finds in fresh memory by 0: now and then that is
// NaN.
Drawn added_stacks(Draw& d) {
  Drawn drawn = added(d, two_stacks(d));
  if (!drawn) return {};
  Argument& beta = (*drawn)[3];
  const double* fraction = std::get_if<double>(&beta);
  if (fraction ? *fraction == 0 : std::get<Index>(beta) == 0) beta = Index{1};
  return drawn;
}

// An equation whose labels have sizes that the operands share.
Drawn summed(Draw& d) {
  static const std::vector<std::string> equations{
      "ij,jk->ik", "ij,kj->ik", "bij,bjk->bik", "bhqd,bhkd->bhqk", "i,j->ij",  "ij->ji",
      "ij->i",     "ij->",      "ij,ij->",      "ijk->kij",        "ij,jk",    "...ij,...jk->...ik",
      "...i->...", "i,i->i",    "bij,j->bi",    "ijk,kl->ijl",     "ij,j,i->", "ba"};
  const std::string equation = d.random.pick(equations);
  std::map<char, Index> sizes;
  const Indices batch = d.shape_of_rank(d.random.between(0, 2));
  Operands operands;
  Indices shape;
  const auto finish = [&] {
    operands.push_back(operands.empty() ? d.leaf(shape, d.dtype()) : d.like(operands[0], shape));
    shape.clear();
  };
  for (std::size_t i = 0; i < equation.size() && equation[i] != '-'; ++i) {
    const char c = equation[i];
    if (c == ',')
      finish();
    else if (c == '.')
      shape.insert(shape.end(), batch.begin(), batch.end()), i += 2;
    else
      shape.push_back(sizes.emplace(c, d.random.between(1, 4)).first->second);
  }
  finish();
  return Arguments{equation, operands};
}

}  // namespace

Rows products() {
  return {
      {"mm", "mm", two_matrices, [](const Call& c) -> Results { return mm(c[0], c[1]); }},
      {"bmm", "bmm", two_stacks, [](const Call& c) -> Results { return bmm(c[0], c[1]); }},
      {"mv", "mv", matrix_and_vector, [](const Call& c) -> Results { return mv(c[0], c[1]); }},
      {"dot", "dot", two_vectors, [](const Call& c) -> Results { return dot(c[0], c[1]); }},
      {"outer", "outer", any_two_vectors,
       [](const Call& c) -> Results { return outer(c[0], c[1]); }},
      {"addmm", "addmm", added_matrices,
       [](const Call& c) -> Results { return addmm(c[0], c[1], c[2], c.scalar(3), c.scalar(4)); }},
      {"baddbmm", "baddbmm", added_stacks,
       [](const Call& c) -> Results {
         return baddbmm(c[0], c[1], c[2], c.scalar(3), c.scalar(4));
       }},
      {"einsum", "einsum", summed,
       [](const Call& c) -> Results { return einsum(c.text(0), c.tensors(1)); }},
      {"matmul", "matmul", multiplied, [](const Call& c) -> Results { return matmul(c[0], c[1]); }},
      {"linear", "linear", projected,
       [](const Call& c) -> Results { return linear(c[0], c[1], c[2]); }},
  };
}

}  // namespace parity::rows
