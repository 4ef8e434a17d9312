// One element for each of an index: gather reads it, scatter_ writes it.
#include "detail/checked_index.h"
#include "detail/inplace.h"
#include "elementwise.h"
#include "indexing.h"

namespace tapehead::core {
namespace {

void check_index_shape(const char* op, const Shape& index, const Shape& shape, int d,
                       const char* what) {
  if (numel(index) == 0) return;
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

// put(to, i) for element i of the index and where it goes; `target` is of dtype T.
template <class T, class Put>
void scatter(const char* op, NDArray& target, int d, const NDArray& at, Put put) {
  const NDArray view = at_least_1d(target);
  T* const to = target.mutable_data<T>(op);
  const Index* const chosen = at.data<Index>();
  const Index stride = view.strides()[d];
  for_each_index(at.shape(), view.strides(), d,
                 [&](Index offset, Index i) { put(to[offset + chosen[i] * stride], i); });
}

// Checked against the target, and apart from it.
NDArray index_into(const char* op, const NDArray& target, int d, const NDArray& index) {
  check_target(op, target);
  const Shape shape = at_least_1d(target).shape();
  const NDArray where = at_least_1d(index);
  check_index_shape(op, where.shape(), shape, d, "the target");
  return apart(target, checked_index(op, where, shape[d], d)).contiguous();
}

// The part of the source that the index, of shape `index`, takes: row-major and apart from the
// target.
NDArray source_for(const char* op, const NDArray& target, const Shape& index,
                   const NDArray& given) {
  NDArray source = at_least_1d(given);
  check_index_shape(op, index, source.shape(), -1, "the source");
  if (numel(index) == 0) return source;
  for (int k = 0; k < source.rank(); ++k) source = source.narrow(k, 0, index[k]);
  return apart(target, source).contiguous();
}

}  // namespace

NDArray gather(const NDArray& given, int d, const NDArray& index, const char* op) {
  const NDArray x = at_least_1d(given), where = at_least_1d(index);
  d = dim(op, d, x.rank());
  check_index_shape(op, where.shape(), x.shape(), d, "x");
  const NDArray at = checked_index(op, where, x.shape()[d], d);
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

void scatter_add_(NDArray& target, int d, const NDArray& index, const NDArray& given,
                  const char* op) {
  check_same(op, target.dtype(), given.dtype(), target.dtype());
  d = dim_if_any(op, d, target.rank());
  const NDArray at = index_into(op, target, d, index);
  const NDArray source = source_for(op, target, at.shape(), given);
  dispatch_numeric(op, target.dtype(), [&]<class T>() {
    using Sum = std::conditional_t<std::is_same_v<T, Index>, std::uint64_t, T>;  // wraps around
    const T* const terms = source.data<T>();
    scatter<T>(op, target, d, at, [terms](T& sum, Index i) {
      sum = static_cast<T>(static_cast<Sum>(sum) + static_cast<Sum>(terms[i]));
    });
  });
}

void scatter_(NDArray& target, int d, const NDArray& index, const NDArray& given, const char* op) {
  check_same(op, target.dtype(), given.dtype(), target.dtype());
  d = dim_if_any(op, d, target.rank());
  const NDArray at = index_into(op, target, d, index);
  const NDArray source = source_for(op, target, at.shape(), given);
  dispatch(target.dtype(), [&]<class T>() {
    const T* const values = source.data<T>();
    scatter<T>(op, target, d, at, [values](T& element, Index i) { element = values[i]; });
  });
}

void scatter_(NDArray& target, int d, const NDArray& index, Scalar value, const char* op) {
  d = dim_if_any(op, d, target.rank());
  const NDArray at = index_into(op, target, d, index);
  dispatch(target.dtype(), [&]<class T>() {
    const T number = value.to<T>(op);
    scatter<T>(op, target, d, at, [number](T& element, Index) { element = number; });
  });
}

}  // namespace tapehead::core
