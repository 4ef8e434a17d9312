// einsum beyond the rows of the op table: dtypes, odd values, and equations that are refused.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include <limits>

#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::testing;

TEST_CASE("einsum of whole numbers is exact") {
  const Tensor a = tensor({{1, 2}, {3, 4}}), b = tensor({{5, 6}, {7, 8}});
  CHECK(values(einsum("ij,jk", {a, b})) == std::vector<double>{19, 22, 43, 50});
  CHECK(einsum("ii", {a}).dtype() == Int64);
  CHECK(einsum("i,i->", {tensor({1, 2, 3}), tensor({4, 5, 6})}).item() == 32);
}

TEST_CASE("einsum that only permutes, or takes a diagonal, shares memory") {
  const Tensor x = noise({3, 3});
  CHECK(einsum("ij->ji", {x}).array().shares_storage_with(x.array()));
  CHECK(einsum("ii->i", {x}).array().shares_storage_with(x.array()));
  CHECK_FALSE(einsum("ij->i", {x}).array().shares_storage_with(x.array()));
}

TEST_CASE("einsum keeps NaN and infinity where they belong") {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor product = einsum("i,j->ij", {tensor({inf, 1.0}), tensor({0.0, 2.0})});
  CHECK(std::isnan(product.index({0, 0}).item()));
  CHECK(product.index({0, 1}).item() == inf);
  CHECK(product.index({1, 0}).item() == 0);
}

TEST_CASE("einsum takes as many labels as there are letters, and 8 dimensions") {
  const Tensor x = noise({2, 1, 2, 1, 2, 1, 2, 1});
  CHECK(difference(einsum("abcdefgh->hgfedcba", {x}), x.permute({7, 6, 5, 4, 3, 2, 1, 0})) == "");
  CHECK(difference(einsum("...->...", {x}), x) == "");
  CHECK(einsum("abcdefgh,abcdefgh->", {x, x}).shape() == Shape{});
}

TEST_CASE("an equation that cannot be read is refused from where it goes wrong") {
  const Tensor x = zeros({2, 3}), cube = zeros({2, 3, 4});
  const auto refused = [](const std::string& equation, int position, const std::string& rest) {
    return "einsum: \"" + equation + "\" cannot be read from position " + std::to_string(position) +
           " on, at \"" + rest +
           "\"; labels are letters, \"...\" may stand once in an operand, operands are separated "
           "by commas, and one \"->\" may come before the output";
  };
  struct Case {
    std::string equation;
    int position;
  };
  for (const auto& [equation, position] : std::vector<Case>{{"i1->i", 1},
                                                            {"ij-ji", 2},
                                                            {"ij>ji", 2},
                                                            {"ij->ji->ij", 6},
                                                            {"ij->j.i", 5},
                                                            {"i..j->ij", 1},
                                                            {"...i...", 4},
                                                            {"ij->......", 7},
                                                            {"ij->ij,", 6},
                                                            {"ij-", 2},
                                                            {"i.", 1},
                                                            {"i\tj", 1}}) {
    const std::string rest = equation.substr(static_cast<std::size_t>(position));
    CHECK_THROWS_WITH_AS(einsum(equation, {x}), refused(equation, position, rest).c_str(), Error);
  }
  CHECK_THROWS_WITH_AS(einsum("ij,jk", {x}), "einsum: \"ij,jk\" is for 2 operands, got 1", Error);
  CHECK_THROWS_WITH_AS(einsum("ij", {x, x}), "einsum: \"ij\" is for 1 operands, got 2", Error);
  CHECK_THROWS_WITH_AS(einsum("ij", {}), "einsum: \"ij\" is for 1 operands, got 0", Error);
  CHECK_THROWS_WITH_AS(einsum("ij", {cube}),
                       "einsum: operand 0 has 2 labels, got shape (2, 3, 4); each dimension needs "
                       "one, or \"...\" stands for those without",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      einsum("i,...jk", {zeros({2}), zeros({2})}),
      "einsum: operand 1 has 2 labels, got shape (2); each dimension needs one, or "
      "\"...\" stands for those without",
      ShapeError);
  CHECK_THROWS_WITH_AS(einsum("ii->i", {x}),
                       "einsum: label i appears twice in operand 0, with sizes 2 and 3; a diagonal "
                       "needs equal ones",
                       ShapeError);
  CHECK_THROWS_WITH_AS(einsum("ij,ji", {x, x}),
                       "einsum: label j has size 2 in operand 1 and 3 before; sizes must be equal "
                       "or 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(einsum("...i,...i->...", {x, zeros({3, 3})}),
                       "einsum: the ellipsis has size 3 in operand 1 and 2 before; sizes must be "
                       "equal or 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      einsum("ij->ii", {x}),
      "einsum: label i appears twice in the output \"ii\"; each may appear once there", Error);
  CHECK_THROWS_WITH_AS(einsum("ij->iz", {x}),
                       "einsum: label z of the output \"iz\" is in no operand", Error);
  CHECK_THROWS_WITH_AS(
      einsum("ij,jk", {x, zeros({3, 2}, Float64)}),
      "einsum: dtypes Float32 and Float64 differ; convert one of them, for example "
      "with .to(Float64)",
      DTypeError);
  CHECK_THROWS_WITH_AS(
      einsum("abcde,fghij->abcdefghij", {zeros({1, 1, 1, 1, 1}), zeros({1, 1, 1, 1, 1})}),
      "shape: at most 8 dimensions are supported; merge some with view", ShapeError);
}
