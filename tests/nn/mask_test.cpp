#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/mask.h>

#include <limits>

#include "../support/comma_locale.h"
#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;

namespace {

const Shape scores{2, 4, 3, 5};  // (B, H, Tq, Tk)

Tensor check(const Shape& shape) { return checked_mask(ones(shape), scores); }

}  // namespace

TEST_CASE("a causal mask lets each position see itself and what came before") {
  CHECK(difference(causal_mask(3),
                   tensor({{true, false, false}, {true, true, false}, {true, true, true}})) == "");
  CHECK(difference(causal_mask(1), tensor({{true}})) == "");
}

TEST_CASE("a padding mask shows the first keys of each sequence") {
  const Tensor mask = padding_mask({2, 0, 3}, 3);
  CHECK(mask.shape() == Shape{3, 1, 1, 3});
  CHECK(difference(mask.view({3, 3}),
                   tensor({{true, true, false}, {false, false, false}, {true, true, true}})) == "");
  const Tensor both = logical_and(causal_mask(3), padding_mask({2}, 3));
  CHECK(difference(both.view({3, 3}),
                   tensor({{true, false, false}, {true, true, false}, {true, true, false}})) == "");
}

TEST_CASE("a padding mask refuses lengths that the sequence cannot have") {
  CHECK_THROWS_WITH_AS(padding_mask({2, 4}, 3),
                       "padding_mask: a length must be from 0 to T = 3, got 4", Error);
  CHECK_THROWS_WITH_AS(padding_mask({-1}, 3),
                       "padding_mask: a length must be from 0 to T = 3, got -1", Error);
}

TEST_CASE("a mask of fewer than no positions is refused, one of none is empty") {
  CHECK_THROWS_WITH_AS(causal_mask(-1), "causal_mask: T must be at least 0, got -1", ShapeError);
  CHECK_THROWS_WITH_AS(padding_mask({0}, -1), "padding_mask: T must be at least 0, got -1",
                       ShapeError);
  CHECK(causal_mask(0).shape() == Shape{0, 0});
  CHECK(padding_mask({0, 0}, 0).shape() == Shape{2, 1, 1, 0});
}

TEST_CASE("masks of every dtype mean the same") {
  const Tensor want = tensor({{true, false, true, false, true},
                              {true, true, false, false, false},
                              {false, false, false, false, false}});
  for (const DType dtype : {Float32, Float64, Int64, Bool})
    CHECK(difference(checked_mask(to(want, dtype), scores), want) == "");
  const Tensor turned = to(want, Float32).mT().clone().mT();
  CHECK(difference(checked_mask(turned, scores), want) == "");
}

TEST_CASE("a mask may be (Tq, Tk) or have 1 for any size of the scores but the last") {
  for (const Shape& shape : {Shape{3, 5}, Shape{2, 4, 3, 5}, Shape{1, 1, 3, 5}, Shape{2, 1, 1, 5},
                             Shape{1, 4, 1, 5}, Shape{1, 1, 1, 5}})
    CHECK(check(shape).shape() == shape);
}

TEST_CASE("a mask of keys per sequence, (B, Tk), is refused with its fix") {
  CHECK_THROWS_WITH_AS(
      check({2, 5}),
      "attention: a mask for scores (2, 4, 3, 5) must be (3, 5) or (2, 4, 3, 5) "
      "with 1 for any size but the last, got (2, 5); to hide keys of each sequence, "
      "use .view({2, 1, 1, 5})",
      ShapeError);
}

TEST_CASE("a mask without heads, (B, Tq, Tk), is refused with its fix") {
  CHECK_THROWS_WITH_AS(check({2, 3, 5}),
                       "attention: a mask for scores (2, 4, 3, 5) must be (3, 5) or (2, 4, 3, 5) "
                       "with 1 for any size but the last, got (2, 3, 5); to use one for all heads, "
                       "use .unsqueeze(1)",
                       ShapeError);
}

TEST_CASE("a mask that hides queries, (B, 1, T, 1), is refused with its fix") {
  CHECK_THROWS_WITH_AS(
      check({2, 1, 3, 1}),
      "attention: a mask for scores (2, 4, 3, 5) must be (3, 5) or (2, 4, 3, 5) "
      "with 1 for any size but the last, got (2, 1, 3, 1); this one hides queries, "
      "to hide keys use .transpose(2, 3)",
      ShapeError);
}

TEST_CASE("what a mask should be does not follow the global locale") {
  const CommaLocale comma;
  CHECK_THROWS_WITH_AS(
      checked_mask(ones({1234}), {1, 1, 2, 1234}),
      "attention: a mask for scores (1, 1, 2, 1234) must be (2, 1234) or (1, 1, 2, 1234) "
      "with 1 for any size but the last, got (1234); to hide keys, use .view({1, 1, 1, 1234})",
      ShapeError);
}

TEST_CASE("a mask of one row of keys is refused with its fix") {
  CHECK_THROWS_WITH_AS(check({5}),
                       "attention: a mask for scores (2, 4, 3, 5) must be (3, 5) or (2, 4, 3, 5) "
                       "with 1 for any size but the last, got (5); to hide keys, use "
                       ".view({1, 1, 1, 5})",
                       ShapeError);
}

TEST_CASE("a mask of any other shape is refused") {
  CHECK_THROWS_WITH_AS(check({5, 3}),
                       "attention: a mask for scores (2, 4, 3, 5) must be (3, 5) or (2, 4, 3, 5) "
                       "with 1 for any size but the last, got (5, 3)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(check({}),
                       "attention: a mask for scores (2, 4, 3, 5) must be (3, 5) or (2, 4, 3, 5) "
                       "with 1 for any size but the last, got ()",
                       ShapeError);
  CHECK_THROWS_WITH_AS(check({3, 4, 3, 5}),
                       "attention: a mask for scores (2, 4, 3, 5) must be (3, 5) or (2, 4, 3, 5) "
                       "with 1 for any size but the last, got (3, 4, 3, 5)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(check({2, 2, 3, 5}),
                       "attention: a mask for scores (2, 4, 3, 5) must be (3, 5) or (2, 4, 3, 5) "
                       "with 1 for any size but the last, got (2, 2, 3, 5)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(check({2, 4, 2, 5}),
                       "attention: a mask for scores (2, 4, 3, 5) must be (3, 5) or (2, 4, 3, 5) "
                       "with 1 for any size but the last, got (2, 4, 2, 5)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(check({1, 1, 1, 1}),
                       "attention: a mask for scores (2, 4, 3, 5) must be (3, 5) or (2, 4, 3, 5) "
                       "with 1 for any size but the last, got (1, 1, 1, 1); this one hides "
                       "queries, to hide keys use .transpose(2, 3)",
                       ShapeError);
}

TEST_CASE("a mask for scores without batch and heads is (Tq, Tk), rows alike being one") {
  CHECK(checked_mask(ones({3, 5}), {3, 5}).shape() == Shape{3, 5});
  CHECK(checked_mask(ones({1, 5}), {3, 5}).shape() == Shape{1, 5});
}

TEST_CASE("values other than 0 and 1 are taken for an additive mask, and refused") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(
      checked_mask(full({3, 5}, -infinity), scores),
      "attention: a mask holds 0 (hidden) and 1 (may attend), got -inf; this looks "
      "like an additive mask: pass it as bias",
      Error);
  CHECK_THROWS_WITH_AS(checked_mask(full({3, 5}, 2, Int64), scores),
                       "attention: a mask holds 0 (hidden) and 1 (may attend), got 2; this looks "
                       "like an additive mask: pass it as bias",
                       Error);
  CHECK_THROWS_WITH_AS(checked_mask(full({3, 5}, std::nan("")), scores),
                       "attention: a mask holds 0 (hidden) and 1 (may attend), got nan; this looks "
                       "like an additive mask: pass it as bias",
                       Error);
}

TEST_CASE("a bias has the shapes of a mask and the dtype of the scores") {
  CHECK(checked_bias(ones({4, 3, 5}).unsqueeze(0), scores, Float32).shape() == Shape{1, 4, 3, 5});
  CHECK_THROWS_WITH_AS(checked_bias(ones({4, 3, 5}), scores, Float32),
                       "attention: a bias for scores (2, 4, 3, 5) must be (3, 5) or (2, 4, 3, 5) "
                       "with 1 for any size but the last, got (4, 3, 5); to use one for all heads, "
                       "use .unsqueeze(1)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      checked_bias(ones({3, 5}, Float64), scores, Float32),
      "attention: the bias must have the dtype of the query, Float32, got Float64; "
      "convert with .to(Float32)",
      DTypeError);
}
