#include "kv_cache.h"

#include <algorithm>

#include "../autograd/create.h"
#include "../autograd/ops.h"
#include "../core/text.h"

namespace tapehead::nn {

KVCache::KVCache(std::vector<Index> padding) : padding_(std::move(padding)) {
  for (const Index count : padding_)
    if (count < 0) fail("KVCache: a padding must be at least 0, got ", count);
}

// What is appended to has another number of tokens, and else the same sizes.
void KVCache::check_fits(Index layer, const Tensor& keys, const Tensor& values) const {
  const Index most = length_ == 0 ? layers() : layers() - 1;
  if (layer < 0 || layer > most)
    fail("KVCache: expected a layer from 0 to ", most, ", since it holds ", layers(), " layers of ",
         length_, " tokens, got ", layer, "; use a cache with one model");
  for (const Tensor* x : {&keys, &values}) {
    if (!x->defined() || x->dim() != 4)
      fail<ShapeError>("KVCache: expected keys and values (B, H, T, d_k), got ",
                       x->defined() ? core::to_text(x->shape()) : "an undefined tensor");
    if (length_ == 0) continue;
    const KeysValues& held = layers_[static_cast<std::size_t>(layer)];
    Shape fits = (x == &keys ? held.keys : held.values).shape();
    fits[2] = x->size(2);
    if (x->shape() != fits)
      fail<ShapeError>("KVCache: layer ", layer, " holds ", x == &keys ? "keys" : "values",
                       " to which ", fits, " can be appended, got ", x->shape(),
                       "; use a cache with one model and one batch");
  }
}

KVCache::KeysValues KVCache::append(Index layer, const Tensor& keys, const Tensor& values) {
  check_fits(layer, keys, values);
  if (length_ == 0) layers_.resize(static_cast<std::size_t>(layer) + 1);
  KeysValues& held = layers_[static_cast<std::size_t>(layer)];
  const auto joined = [&](const Tensor& before, const Tensor& more) {
    return length_ == 0 ? more : cat({before.narrow(2, 0, length_), more}, 2);
  };
  held = {joined(held.keys, keys), joined(held.values, values)};
  return held;
}

void KVCache::advance(Index T) {
  if (T < 0) fail("KVCache: expected to advance by at least 0 tokens, got ", T);
  for (const KeysValues& layer : layers_)
    if (const Index appended = layer.keys.size(2); appended != length_ + T)
      fail("KVCache: expected each layer to have ", T, " tokens more than ", length_,
           " before it advances by them, got one with ", appended, " in all; append them first");
  length_ += T;
}

CausalContext::CausalContext(const char* model, const Tensor& tokens, KVCache* held, Index most,
                             Index layers)
    : cache(held) {
  if (cache && cache->length() > 0 && cache->layers() != layers)
    fail(model, ": the cache holds ", cache->layers(), " layers and this model has ", layers,
         "; use a cache with one model");
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
