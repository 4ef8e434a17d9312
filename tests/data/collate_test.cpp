#include <doctest/doctest.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/data/collate.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/mask.h>

#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::data;

namespace {

const std::vector<Example> unequal{{{1, 2, 3}, {2, 3, 4}}, {{5}, {6}}, {{7, 8}, {no_target, 9}}};

}  // namespace

TEST_CASE("shorter sequences are padded on the right, where nothing is asked") {
  const Padded p = collate(unequal, 99);
  const Tensor inputs = tensor({{1, 2, 3}, {5, 99, 99}, {7, 8, 99}});
  const Tensor targets = tensor({{2, 3, 4}, {6, no_target, no_target}, {no_target, 9, no_target}});
  CHECK(equal(p.batch.inputs, inputs));
  CHECK(equal(p.batch.targets, targets));
  CHECK(p.lengths == std::vector<Index>{3, 1, 2});
  CHECK(p.mask.shape() == Shape{3, 1, 1, 3});
  CHECK(equal(p.mask, nn::padding_mask({3, 1, 2}, 3)));
}

TEST_CASE("or on the left, so that all end together") {
  const Padded p = collate(unequal, 0, Side::left);
  const Tensor inputs = tensor({{1, 2, 3}, {0, 0, 5}, {0, 7, 8}});
  const Tensor targets = tensor({{2, 3, 4}, {no_target, no_target, 6}, {no_target, no_target, 9}});
  const Tensor mask = tensor({{1, 1, 1}, {0, 0, 1}, {0, 1, 1}}).to(Bool).view({3, 1, 1, 3});
  CHECK(equal(p.batch.inputs, inputs));
  CHECK(equal(p.batch.targets, targets));
  CHECK(equal(p.mask, mask));
}

TEST_CASE("sequences of one length are not padded, an empty one is padding alone") {
  CHECK(equal(collate({{{1}, {2}}, {{3}, {4}}}, 0).mask, ones({2, 1, 1, 1}, Bool)));
  const Padded p = collate({{{}, {}}, {{3}, {4}}}, 0);
  CHECK(equal(p.batch.targets, tensor({no_target, Index{4}}).view({2, 1})));
  CHECK(equal(p.mask.flatten(), tensor({0, 1}).to(Bool)));
}

TEST_CASE("what attention gives does not depend on what the padding is") {
  manual_seed(0);
  nn::MultiHeadAttention attn(8, 2, 0.0);
  const Tensor table = randn({10, 8});
  for (const Side side : {Side::left, Side::right}) {
    const auto result = [&](Index pad, Index row) {
      const Padded p = collate(unequal, pad, side);
      const Tensor x = embedding(p.batch.inputs, table);
      const Index T = x.size(1), length = p.lengths[static_cast<std::size_t>(row)];
      return attn(x, x, x, p.mask)
          .select(0, row)
          .narrow(0, side == Side::left ? T - length : 0, length);
    };
    for (const Index row : {0, 1, 2}) CHECK(equal(result(0, row), result(9, row)));
  }
}

TEST_CASE("what cannot be collated is refused") {
  CHECK_THROWS_WITH_AS(collate({}, 0),
                       "collate: expected at least one example, got none; draw some first", Error);
  CHECK_THROWS_WITH_AS(collate({{{1, 2}, {1}}}, 0),
                       "collate: inputs and targets of an example must have one length, got 2 and "
                       "1; put no_target where nothing is asked",
                       ShapeError);
}
