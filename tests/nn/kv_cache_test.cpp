#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/kv_cache.h>

#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::noise;

TEST_CASE("a cache joins what each layer appends, in order") {
  const Tensor a = noise({1, 2, 3, 4}, 1), b = noise({1, 2, 1, 4}, 2);
  KVCache cache;
  CHECK(cache.length() == 0);
  for (const Index layer : {0, 1}) CHECK(difference(cache.append(layer, a, a * 2).keys, a) == "");
  cache.advance(3);
  CHECK(cache.length() == 3);
  const KVCache::KeysValues all = cache.append(1, b, b * 2);
  CHECK(difference(all.keys, cat({a, b}, 2)) == "");
  CHECK(difference(all.values, cat({a, b}, 2) * 2) == "");
}

TEST_CASE("what was appended and never kept is forgotten") {
  const Tensor a = noise({1, 2, 3, 4}, 1), b = noise({1, 2, 1, 4}, 2), c = noise({1, 2, 1, 4}, 3);
  KVCache cache;
  cache.append(0, c, c);  // a call that went wrong before its end
  cache.append(0, a, a);
  cache.advance(3);
  cache.append(0, c, c);  // and another one
  CHECK(difference(cache.append(0, b, b).keys, cat({a, b}, 2)) == "");
  CHECK(cache.length() == 3);
}

TEST_CASE("a context counts on from what the cache holds") {
  KVCache cache;
  const Tensor tokens = zeros({2, 3}, Int64);
  const CausalContext first("m", tokens, &cache, 8);
  CHECK(equal(first.positions, arange(3)));
  CHECK_FALSE(first.mask.defined());
  first.commit();
  const CausalContext second("m", tokens, &cache, 8);
  CHECK(equal(second.positions, arange(3, 6)));
  CHECK(second.all == 6);
}

TEST_CASE("padding is hidden, and positions are counted from its end") {
  KVCache cache({0, 2});
  const CausalContext first("m", zeros({2, 3}, Int64), &cache, 8);
  CHECK(equal(first.positions, tensor({{0, 1, 2}, {0, 0, 0}})));
  CHECK(first.mask.shape() == Shape{2, 1, 1, 3});
  CHECK(equal(first.mask.view({2, 3}), tensor({{true, true, true}, {false, false, true}})));
  first.commit();
  const CausalContext second("m", zeros({2, 1}, Int64), &cache, 8);
  CHECK(equal(second.positions, tensor({{3}, {1}})));
  CHECK(equal(second.mask.view({2, 4}),
              tensor({{true, true, true, true}, {false, false, true, true}})));
}

TEST_CASE("tokens that a model cannot read are refused in its name") {
  KVCache cache({1, 0});
  CHECK_THROWS_WITH_AS(
      CausalContext("GPT", zeros({3}, Int64), nullptr, 8),
      "GPT: expected tokens (B, T), got (3); add a batch dimension with .unsqueeze(0)", ShapeError);
  CHECK_THROWS_WITH_AS(CausalContext("GPT", zeros({1, 9}, Int64), nullptr, 8),
                       "GPT: expected up to 8 tokens, got 9; give it the last ones alone",
                       ShapeError);
  CHECK_THROWS_WITH_AS(CausalContext("GPT", zeros({3, 2}, Int64), &cache, 8),
                       "GPT: expected the batch of 2 sequences that the cache has padding for, got "
                       "(3, 2)",
                       ShapeError);
  cache.advance(6);
  CHECK_THROWS_WITH_AS(CausalContext("GPT", zeros({2, 3}, Int64), &cache, 8),
                       "GPT: expected up to 8 tokens, got 9 with those in the cache; give it the "
                       "last ones alone",
                       ShapeError);
  CHECK_THROWS_WITH_AS(KVCache({1, -1}), "KVCache: a padding must be at least 0, got -1", Error);
}
