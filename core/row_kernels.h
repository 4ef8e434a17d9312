// Row kernels from functions of one element: map_row<float, F, float>, zip_row<bool, F, Index>, …
// where F is the type of a lambda without captures.
#pragma once

#include "rows.h"

namespace tapehead::core {

// Contiguous rows get a loop of their own, with steps known to the compiler.
template <class Out, class F, class A>
void map_row(Index n, std::byte* const* data, const Index* steps) {
  Out* out = reinterpret_cast<Out*>(data[0]);
  const A* a = reinterpret_cast<const A*>(data[1]);
  const Index so = steps[0], sa = steps[1];
  if (so == 1 && sa == 1) {
    for (Index i = 0; i < n; ++i) out[i] = static_cast<Out>(F{}(a[i]));
  } else {
    for (Index i = 0; i < n; ++i) out[i * so] = static_cast<Out>(F{}(a[i * sa]));
  }
}

template <class Out, class F, class A>
void zip_row(Index n, std::byte* const* data, const Index* steps) {
  Out* out = reinterpret_cast<Out*>(data[0]);
  const A* a = reinterpret_cast<const A*>(data[1]);
  const A* b = reinterpret_cast<const A*>(data[2]);
  const Index so = steps[0], sa = steps[1], sb = steps[2];
  if (so == 1 && sa == 1 && sb == 1) {
    for (Index i = 0; i < n; ++i) out[i] = static_cast<Out>(F{}(a[i], b[i]));
  } else if (so == 1 && sa == 1 && sb == 0) {
    const A scalar = *b;
    for (Index i = 0; i < n; ++i) out[i] = static_cast<Out>(F{}(a[i], scalar));
  } else {
    for (Index i = 0; i < n; ++i) out[i * so] = static_cast<Out>(F{}(a[i * sa], b[i * sb]));
  }
}

template <class T, class F, class A>
void zip3_row(Index n, std::byte* const* data, const Index* steps) {
  T* out = reinterpret_cast<T*>(data[0]);
  const A* a = reinterpret_cast<const A*>(data[1]);
  const T* b = reinterpret_cast<const T*>(data[2]);
  const T* c = reinterpret_cast<const T*>(data[3]);
  const Index so = steps[0], sa = steps[1], sb = steps[2], sc = steps[3];
  for (Index i = 0; i < n; ++i) out[i * so] = F{}(a[i * sa], b[i * sb], c[i * sc]);
}

}  // namespace tapehead::core
