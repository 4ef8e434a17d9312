#include "indexing.h"

#include "detail/inplace.h"
#include "detail/parallel.h"
#include "elementwise.h"
#include "kernels/dispatch.h"

namespace tapehead::core {
namespace {

// x seen as (outer, size, inner) around dimension d.
struct Split {
  Index outer = 1, size = 1, inner = 1;
};
Split split_at(const Shape& shape, int d) {
  Split s;
  for (int i = 0; i < shape.rank(); ++i) (i < d ? s.outer : i == d ? s.size : s.inner) *= shape[i];
  return s;
}

// A 0-d array counts as one of one element.
NDArray at_least_1d(const NDArray& x) { return x.rank() == 0 ? x.unsqueeze(0) : x; }

[[noreturn]] void refuse_index(const char* op, const NDArray& index, Index i, Index size, int d) {
  const Index at = index.data<Index>()[i];
  if (size == 0)
    fail<ShapeError>(op, ": index ", at, " at position ", index_of(index.shape(), i),
                     " is out of range for dimension ", d, ", which is empty");
  fail<ShapeError>(op, ": index ", at, " at position ", index_of(index.shape(), i),
                   " is out of range for dimension ", d, " of size ", size, "; use 0 to ",
                   size - 1);
}

// Row-major, of dtype Int64, and every index in [0, size).
NDArray checked_index(const char* op, const NDArray& index, Index size, int d) {
  if (index.dtype() != DType::Int64)
    fail<DTypeError>(op, ": the index must be Int64, got ", name(index.dtype()),
                     "; convert with .to(Int64)");
  NDArray flat = index.contiguous();
  const Index* const at = flat.data<Index>();
  for (Index i = 0; i < flat.size(); ++i)
    if (at[i] < 0 || at[i] >= size) [[unlikely]]
      refuse_index(op, flat, i, size, d);
  return flat;
}

NDArray index_vector(const char* op, const NDArray& index, Index size, int d) {
  if (index.rank() > 1)
    fail<ShapeError>(op, ": the index must have 1 dimension, got shape ", index.shape(),
                     "; flatten it with view({-1}) first");
  return checked_index(op, at_least_1d(index), size, d);
}

void check_index_shape(const char* op, const Shape& index, const Shape& shape, int d,
                       const char* what) {
  bool fits = shape.rank() == index.rank();
  for (int i = 0; fits && i < shape.rank(); ++i) fits = i == d || index[i] <= shape[i];
  if (fits) return;
  if (d < 0)
    fail<ShapeError>(op, ": the index ", index, " must have the rank of ", what, " ", shape,
                     " and no larger size");
  fail<ShapeError>(op, ": the index ", index, " must have the rank of ", what, " ", shape,
                   " and no larger size except in dimension ", d);
}

// f(offset, i) for element i of an array of shape `index`, where `offset` is that of its
// coordinates, except d, under `strides`.
template <class F>
void for_each_index(const Shape& index, const Strides& strides, int d, F f) {
  const Index n = numel(index);
  Dims at = Dims::filled(index.rank(), 0);
  for (Index i = 0, offset = 0; i < n; ++i) {
    f(offset, i);
    for (int k = index.rank(); k-- > 0;) {
      const Index stride = k == d ? 0 : strides[k];
      offset += stride;
      if (++at[k] < index[k]) break;
      offset -= stride * index[k];
      at[k] = 0;
    }
  }
}

// Row-major: target[o][at[i]][:] += source[o][i][:], in order of i; threads share the columns.
template <class T>
void add_slices(NDArray& target, const Split& split, const NDArray& at, const NDArray& source) {
  const RowKernel add = kernels::kernels<kernels::NumericKernels<T>>().add;
  T* const to = target.mutable_data<T>("index_add_");
  const T* const from = source.data<T>();
  const Index n = at.size(), inner = split.inner;
  const Index grain = std::max<Index>(64, grain_for(split.outer * n));
  parallel_for(inner, grain, [&](Index begin, Index end) {
    for (Index row = 0; row < split.outer * n; ++row) {
      const Index chosen = row / n * split.size + at.data<Index>()[row % n];
      auto* const sum = reinterpret_cast<std::byte*>(to + chosen * inner + begin);
      const T* const term = from + row * inner + begin;
      const std::array data{sum, sum, reinterpret_cast<std::byte*>(const_cast<T*>(term))};
      add(end - begin, data.data());
    }
  });
}

// Slices at[0], at[1], … of dimension d, for x row-major.
NDArray slices(const NDArray& x, int d, const NDArray& at) {
  Shape shape = x.shape();
  shape[d] = at.size();
  const auto [outer, size, inner] = split_at(x.shape(), d);
  NDArray out = NDArray::empty(shape, x.dtype());
  const Index n = at.size(), bytes = inner * size_of(x.dtype());
  const std::byte* const from = first_byte(x);
  std::byte* const to = first_byte(out);
  parallel_for(outer * n, grain_for(inner), [&, per_outer = size](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index chosen = row / n * per_outer + at.data<Index>()[row % n];
      std::copy_n(from + chosen * bytes, bytes, to + row * bytes);
    }
  });
  return out;
}

}  // namespace

NDArray index_select(const NDArray& given, int d, const NDArray& index) {
  const NDArray x = at_least_1d(given).contiguous();
  d = dim("index_select", d, x.rank());
  const NDArray at = index_vector("index_select", index, x.shape()[d], d);
  if (given.rank() == 0 && at.size() != 1)
    fail<ShapeError>("index_select: a tensor of 0 dimensions has 1 element to select, got ",
                     at.size(), " indices; unsqueeze(0) it first");
  const NDArray out = slices(x, d, at);
  return given.rank() == 0 ? out.view({}) : out;
}

NDArray embedding(const NDArray& weight, const NDArray& index) {
  if (weight.rank() != 2)
    fail<ShapeError>("embedding: weight must be (vocabulary, width), got ", weight.shape());
  const NDArray at = checked_index("embedding", index, weight.shape()[0], 0);
  Shape shape = index.shape();
  shape.push_back(weight.shape()[1]);
  return slices(weight.contiguous(), 0, at).view(shape);
}

void index_add_(NDArray& target, int d, const NDArray& index, const NDArray& given) {
  check_same("index_add_", target.dtype(), given.dtype(), target.dtype());
  check_target("index_add_", target);
  NDArray view = at_least_1d(target);
  const NDArray slices = at_least_1d(given);
  d = dim("index_add_", d, view.rank());
  const NDArray at =
      apart(target, index_vector("index_add_", index, view.shape()[d], d)).contiguous();
  Shape expected = view.shape();
  expected[d] = at.size();
  if (slices.shape() != expected)
    fail<ShapeError>("index_add_: the source must have shape ", expected, ", got ", slices.shape());
  const NDArray source = apart(target, slices).contiguous();
  dispatch_numeric("index_add_", target.dtype(), [&]<class T>() {
    NDArray sums = view.contiguous();
    add_slices<T>(sums, split_at(view.shape(), d), at, source);
    if (!view.is_contiguous()) copy_(view, sums, "index_add_");
  });
}

NDArray gather(const NDArray& given, int d, const NDArray& index) {
  const NDArray x = at_least_1d(given), where = at_least_1d(index);
  d = dim("gather", d, x.rank());
  check_index_shape("gather", where.shape(), x.shape(), d, "x");
  const NDArray at = checked_index("gather", where, x.shape()[d], d);
  NDArray out = NDArray::empty(index.shape(), x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    T* const to = out.mutable_data<T>();
    const T* const from = x.data<T>();
    const Index* const chosen = at.data<Index>();
    const Index stride = x.strides()[d];
    for_each_index(at.shape(), x.strides(), d,
                   [&](Index offset, Index i) { to[i] = from[offset + chosen[i] * stride]; });
  });
  return out;
}

void scatter_add_(NDArray& target, int d, const NDArray& index, const NDArray& given) {
  check_same("scatter_add_", target.dtype(), given.dtype(), target.dtype());
  check_target("scatter_add_", target);
  const NDArray view = at_least_1d(target), where = at_least_1d(index);
  NDArray source = at_least_1d(given);
  d = dim("scatter_add_", d, view.rank());
  check_index_shape("scatter_add_", where.shape(), view.shape(), d, "the target");
  check_index_shape("scatter_add_", where.shape(), source.shape(), -1, "the source");
  const NDArray at =
      apart(target, checked_index("scatter_add_", where, view.shape()[d], d)).contiguous();
  for (int k = 0; k < source.rank(); ++k) source = source.narrow(k, 0, at.shape()[k]);
  source = apart(target, source).contiguous();
  dispatch_numeric("scatter_add_", target.dtype(), [&]<class T>() {
    using Sum = std::conditional_t<std::is_same_v<T, Index>, std::uint64_t, T>;  // wraps around
    T* const to = target.mutable_data<T>("scatter_add_");
    const T* const terms = source.data<T>();
    const Index* const chosen = at.data<Index>();
    const Index stride = view.strides()[d];
    for_each_index(at.shape(), view.strides(), d, [&](Index offset, Index i) {
      T& sum = to[offset + chosen[i] * stride];
      sum = static_cast<T>(static_cast<Sum>(sum) + static_cast<Sum>(terms[i]));
    });
  });
}

}  // namespace tapehead::core
