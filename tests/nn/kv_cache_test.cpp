#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/gpt.h>
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
  const CausalContext first("m", tokens, &cache, 8, 0);
  CHECK(equal(first.positions, arange(3)));
  CHECK_FALSE(first.mask.defined());
  first.commit();
  const CausalContext second("m", tokens, &cache, 8, 0);
  CHECK(equal(second.positions, arange(3, 6)));
  CHECK(second.all == 6);
}

TEST_CASE("padding is hidden, and positions are counted from its end") {
  KVCache cache({0, 2});
  const CausalContext first("m", zeros({2, 3}, Int64), &cache, 8, 0);
  CHECK(equal(first.positions, tensor({{0, 1, 2}, {0, 0, 0}})));
  CHECK(first.mask.shape() == Shape{2, 1, 1, 3});
  CHECK(equal(first.mask.view({2, 3}), tensor({{true, true, true}, {false, false, true}})));
  first.commit();
  const CausalContext second("m", zeros({2, 1}, Int64), &cache, 8, 0);
  CHECK(equal(second.positions, tensor({{3}, {1}})));
  CHECK(equal(second.mask.view({2, 4}),
              tensor({{true, true, true, true}, {false, false, true, true}})));
}

TEST_CASE("tokens that a model cannot read are refused in its name") {
  KVCache cache({1, 0});
  CHECK_THROWS_WITH_AS(
      CausalContext("GPT", zeros({3}, Int64), nullptr, 8, 0),
      "GPT: expected tokens (B, T), got (3); add a batch dimension with .unsqueeze(0)", ShapeError);
  CHECK_THROWS_WITH_AS(CausalContext("GPT", zeros({1, 9}, Int64), nullptr, 8, 0),
                       "GPT: expected up to 8 tokens, got 9; give it the last ones alone",
                       ShapeError);
  CHECK_THROWS_WITH_AS(CausalContext("GPT", zeros({3, 2}, Int64), &cache, 8, 0),
                       "GPT: expected the batch of 2 sequences that the cache has padding for, got "
                       "(3, 2)",
                       ShapeError);
  cache.advance(6);
  CHECK_THROWS_WITH_AS(CausalContext("GPT", zeros({2, 3}, Int64), &cache, 8, 0),
                       "GPT: expected up to 8 tokens, got 9 with those in the cache; give it the "
                       "last ones alone",
                       ShapeError);
  CHECK_THROWS_WITH_AS(KVCache({1, -1}), "KVCache: a padding must be at least 0, got -1", Error);
}

TEST_CASE("a cache refuses layers that it does not hold, and keys and values of other sizes") {
  const Tensor a = noise({1, 2, 3, 4}, 1), b = noise({1, 2, 1, 4}, 2);
  KVCache cache;
  CHECK_THROWS_WITH_AS(
      cache.append(-1, a, a),
      "KVCache: expected a layer from 0 to 0, since it holds 0 layers of 0 tokens, "
      "got -1; use a cache with one model",
      Error);
  CHECK_THROWS_WITH_AS(
      cache.append(Index{1} << 60, a, a),
      "KVCache: expected a layer from 0 to 0, since it holds 0 layers of 0 tokens, "
      "got 1152921504606846976; use a cache with one model",
      Error);
  CHECK_THROWS_WITH_AS(cache.append(0, a, Tensor()),
                       "KVCache: expected keys and values (B, H, T, d_k), got an undefined tensor",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cache.append(0, a.select(0, 0), a),
                       "KVCache: expected keys and values (B, H, T, d_k), got (2, 3, 4)",
                       ShapeError);
  cache.append(0, a, a);
  CHECK_THROWS_WITH_AS(cache.advance(2),
                       "KVCache: expected each layer to have 2 tokens more than 0 before it "
                       "advances by them, got one with 3 in all; append them first",
                       Error);
  CHECK_THROWS_WITH_AS(cache.advance(-1),
                       "KVCache: expected to advance by at least 0 tokens, got -1", Error);
  cache.advance(3);
  CHECK_THROWS_WITH_AS(
      cache.append(1, b, b),
      "KVCache: expected a layer from 0 to 0, since it holds 1 layers of 3 tokens, "
      "got 1; use a cache with one model",
      Error);
  CHECK_THROWS_WITH_AS(cache.append(0, b, noise({1, 1, 1, 4}, 3)),
                       "KVCache: layer 0 holds values to which (1, 2, 1, 4) can be appended, got "
                       "(1, 1, 1, 4); use a cache with one model and one batch",
                       ShapeError);
  CHECK(cache.length() == 3);
  CHECK(difference(cache.append(0, b, b).keys, cat({a, b}, 2)) == "");
}

TEST_CASE("a model refuses the cache of another model") {
  const Tensor tokens = zeros({1, 2}, Int64), next = zeros({1, 1}, Int64);
  const GPTOptions options{.vocabulary = 5, .context = 8, .d_model = 4, .heads = 2, .layers = 1};
  GPTOptions deeper = options;
  deeper.layers = 2;
  GPT one(options), two(deeper);
  KVCache cache, empty;
  one(tokens, &cache);
  CHECK_THROWS_WITH_AS(two(next, &cache),
                       "GPT: the cache holds 1 layers and this model has 2; use a cache with one "
                       "model (in transformer)",
                       Error);
  empty.advance(2);
  CHECK_THROWS_WITH_AS(one(next, &empty),
                       "GPT: the cache holds 0 layers and this model has 1; use a cache with one "
                       "model (in transformer)",
                       Error);
  two(tokens, &(cache = KVCache()));
  CHECK(cache.length() == 2);
}
