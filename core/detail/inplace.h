// What every change in place needs. Users of the library want elementwise.h.
#pragma once

#include "rows.h"

namespace tapehead::core {

/// `source`, or a copy of it where it shares memory with the target.
NDArray apart(const NDArray& target, const NDArray& source);
/// The same for elementwise changes, which may read the target itself.
NDArray readable(const NDArray& target, const NDArray& source);
/// What `writer` writes to; null where there is no such array.
template <class T>
T* mutable_data_or_null(NDArray& x, const char* writer) {
  return x.defined() ? x.mutable_data<T>(writer) : nullptr;
}
/// The target as an operand; counts as a change made by `writer`.
Operand written(const char* writer, NDArray& target);

}  // namespace tapehead::core
