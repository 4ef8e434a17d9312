#include "kv_cache.h"

#include <algorithm>

#include "../autograd/create.h"
#include "../autograd/ops.h"

namespace tapehead::nn {

KVCache::KVCache(std::vector<Index> padding) : padding_(std::move(padding)) {
  for (const Index count : padding_)
    if (count < 0) fail("KVCache: a padding must be at least 0, got ", count);
}

KVCache::KeysValues KVCache::append(Index layer, const Tensor& keys, const Tensor& values) {
  const auto i = static_cast<std::size_t>(layer);
  if (i >= layers_.size()) layers_.resize(i + 1);
  KeysValues& held = layers_[i];
  const auto joined = [&](const Tensor& before, const Tensor& more) {
    return length_ == 0 ? more : cat({before.narrow(2, 0, length_), more}, 2);
  };
  held = {joined(held.keys, keys), joined(held.values, values)};
  return held;
}

CausalContext::CausalContext(const char* model, const Tensor& tokens, KVCache* held, Index most)
    : cache(held) {
  if (tokens.dim() != 2)
    fail<ShapeError>(model, ": expected tokens (B, T), got ", tokens.shape(),
                     tokens.dim() == 1 ? "; add a batch dimension with .unsqueeze(0)" : "");
  const Index B = tokens.size(0), before = cache ? cache->length() : 0;
  T = tokens.size(1), all = before + T;
  if (all > most)
    fail<ShapeError>(model, ": expected up to ", most, " tokens, got ", all,
                     before > 0 ? " with those in the cache" : "", "; give it the last ones alone");
  positions = arange(before, all);  // (T)
  if (!cache || cache->padding().empty()) return;
  const std::vector<Index>& padding = cache->padding();
  if (static_cast<Index>(padding.size()) != B)
    fail<ShapeError>(model, ": expected the batch of ", padding.size(),
                     " sequences that the cache has padding for, got ", tokens.shape());
  const Tensor first = tensor(padding, {B, 1});
  positions = (positions - first).clamp(0);                 // (B, T)
  mask = (arange(all) >= first).unsqueeze(1).unsqueeze(1);  // (B, 1, 1, all)
}

KVCache::KeysValues CausalContext::so_far(const Tensor& keys, const Tensor& values) const {
  return cache ? cache->append(layer, keys, values) : KVCache::KeysValues{keys, values};
}

void CausalContext::commit() const {
  if (cache) cache->advance(T);
}

}  // namespace tapehead::nn
