#include "rearrange.h"

#include "detail/parallel.h"
#include "detail/reduce_plan.h"
#include "indexing.h"

namespace tapehead::core {

// Starting at the far end of each flipped dimension and going back.
NDArray flip(const NDArray& x, const Dims& dims) {
  const auto named = named_axes("flip", dims, x.rank());
  if (dims.rank() == 0 || x.size() == 0) return x.clone();
  NDArray out = NDArray::empty(x.shape(), x.dtype());
  Strides strides = x.strides();
  Index start = 0;
  for (int d = 0; d < x.rank(); ++d) {
    if (!named.at(static_cast<std::size_t>(d))) continue;
    start += (x.shape()[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  dispatch(x.dtype(), [&]<class T>() {
    const T* const from = x.data<T>() + start;
    T* const to = out.mutable_data<T>();
    parallel_for(x.size(), grain_for(x.rank()), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) to[i] = from[offset_of(x.shape(), strides, i)];
    });
  });
  return out;
}

NDArray roll(const NDArray& x, Index shift, int d) {
  d = dim("roll", d, x.rank());
  const Index size = x.shape()[d];
  if (size == 0) return x.clone();
  const Index first = ((-(shift % size)) % size + size) % size;
  return cat({x.narrow(d, first, size - first), x.narrow(d, 0, first)}, d);
}

NDArray repeated_indices(const NDArray& repeats) {
  if (repeats.dtype() != DType::Int64)
    fail<DTypeError>("repeat_interleave: repeats must be Int64, got ", name(repeats.dtype()),
                     "; convert with .to(Int64)");
  if (repeats.rank() != 1)
    fail<ShapeError>("repeat_interleave: repeats must have 1 dimension, got shape ",
                     repeats.shape());
  const NDArray counts = repeats.contiguous();
  const Index* const count = counts.data<Index>();
  Index n = 0;
  bool overflows = false;
  for (Index i = 0; i < counts.size(); ++i) {
    if (count[i] < 0)
      fail<ShapeError>("repeat_interleave: repeats cannot be negative, got ", count[i]);
    overflows |= __builtin_add_overflow(n, count[i], &n);
  }
  if (overflows)
    fail<ShapeError>("repeat_interleave: the repeats add up to more than 64 bits can count");
  NDArray out = NDArray::empty({n}, DType::Int64);
  Index* to = out.mutable_data<Index>();
  for (Index i = 0; i < counts.size(); ++i) to = std::fill_n(to, count[i], i);
  return out;
}

}  // namespace tapehead::core
