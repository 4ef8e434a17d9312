// KVCache: the keys and values that a causal model has made so far, so that going on by one token
// costs one token.
//
//   KVCache cache;
//   model(prompt, &cache);        // (B, T) -> (B, T, V)
//   model(next, &cache);          // (B, 1) -> (B, 1, V): as the last of the T + 1 together
//
// Sequences of different lengths go side by side if the shorter ones begin with padding:
//
//   KVCache cache({0, 2});        // the second begins with 2 tokens that nobody sees
#pragma once

#include <vector>

#include "../autograd/tensor.h"
#include "rotary.h"

namespace tapehead::nn {

class KVCache {
 public:
  struct KeysValues {
    Tensor keys, values;  // (B, H, T, d_k)
  };

  KVCache() = default;
  /// Of sequence b the first padding[b] tokens are hidden, and its positions are counted from the
  /// one after. Error for a negative number.
  explicit KVCache(std::vector<Index> padding);

  /// How many tokens of each sequence it holds, padding included.
  Index length() const { return length_; }
  const std::vector<Index>& padding() const { return padding_; }

  /// How many layers have appended what it holds.
  Index layers() const { return static_cast<Index>(layers_.size()); }

  /// What a layer calls: all its keys and values (B, H, T, d_k), with those of T more tokens at the
  /// end. At first layers append in their order. Error for a layer that it does not hold,
  /// ShapeError for other sizes than those that it holds.
  KeysValues append(Index layer, const Tensor& keys, const Tensor& values);
  /// What a model calls when every layer has appended T tokens: they stay. What has been appended
  /// before a call that threw is forgotten by the next. Error if a layer has not.
  void advance(Index T);

 private:
  void check_fits(Index layer, const Tensor& keys, const Tensor& values) const;

  std::vector<Index> padding_;
  std::vector<KeysValues> layers_;
  Index length_ = 0;
};

/// What the layers of a causal model are told beside their input.
struct CausalContext {
  CausalContext() = default;
  /// Of `tokens` (B, T) that follow what `cache` holds (null: nothing). ShapeError, naming `model`,
  /// for other shapes, for more than `most` tokens in all, or for a padding of another batch size;
  /// Error for a cache of a model that has not so many `layers`.
  CausalContext(const char* model, const Tensor& tokens, KVCache* cache, Index most, Index layers);

  /// The keys and values of this layer so far, these at the end.
  KVCache::KeysValues so_far(const Tensor& keys, const Tensor& values) const;
  /// Done: the cache keeps what the layers have appended.
  void commit() const;

  Index T = 0, all = 0;  // tokens now, and with those before
  Tensor positions;      // Int64 (T), or (B, T) where there is padding
  Tensor mask;           // (B, 1, 1, all) where there is padding
  Tensor bias;           // added to the scores
  RotaryAngles rotary;   // turn queries and keys
  KVCache* cache = nullptr;
  Index layer = 0;
};

}  // namespace tapehead::nn
