#include "indexing.h"

#include "elementwise.h"

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

NDArray checked_index(const char* op, const NDArray& index, Index size, const char* dimension) {
  if (index.dtype() != DType::Int64)
    fail<DTypeError>(op, ": the index must be Int64, got ", name(index.dtype()),
                     "; convert with .to(Int64)");
  const NDArray flat = index.contiguous();
  const Index* at = flat.data<Index>();
  for (Index i = 0; i < flat.size(); ++i)
    if (at[i] < 0 || at[i] >= size)
      fail<ShapeError>(op, ": index ", at[i], " at position ", i, " is out of range for ",
                       dimension, " of size ", size, "; use 0 to ", size - 1);
  return flat;
}

NDArray index_vector(const char* op, const NDArray& index, const Shape& shape, int d) {
  if (index.rank() > 1)
    fail<ShapeError>(op, ": the index must have 1 dimension, got shape ", index.shape(),
                     "; flatten() it first");
  return checked_index(op, at_least_1d(index), shape[d],
                       ("dimension " + std::to_string(d)).c_str());
}

void check_index_shape(const char* op, const Shape& shape, const Shape& index, int d,
                       const char* what) {
  bool fits = shape.rank() == index.rank();
  for (int i = 0; fits && i < shape.rank(); ++i) fits = i == d || index[i] <= shape[i];
  if (!fits)
    fail<ShapeError>(op, ": the index ", index, " must have the rank of ", what, " ", shape,
                     ", and no size above its own except in dimension ", d);
}

// Calls f(offset into x, offset into index) for every element of the index, in row-major order.
template <class F>
void for_each_index(const Shape& index, const Strides& strides, int d, F f) {
  const Index n = numel(index);
  Dims at = Dims::filled(index.rank(), 0);
  Index base = 0;  // offset of all coordinates but d
  for (Index i = 0; i < n; ++i) {
    f(base, i);
    for (int k = index.rank(); k-- > 0;) {
      const Index stride = k == d ? 0 : strides[k];
      base += stride;
      if (++at[k] < index[k]) break;
      base -= stride * index[k];
      at[k] = 0;
    }
  }
}

}  // namespace

NDArray index_select(const NDArray& given, int d, const NDArray& index) {
  const NDArray x = at_least_1d(given).contiguous();
  d = dim("index_select", d, x.rank());
  const NDArray at = index_vector("index_select", index, x.shape(), d);
  Shape shape = x.shape();
  shape[d] = at.size();
  const Split from = split_at(x.shape(), d);
  NDArray out = NDArray::empty(shape, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    T* to = out.mutable_data<T>();
    for (Index o = 0; o < from.outer; ++o)
      for (Index i = 0; i < at.size(); ++i, to += from.inner)
        std::copy_n(x.data<T>() + (o * from.size + at.data<Index>()[i]) * from.inner, from.inner,
                    to);
  });
  return given.rank() == 0 ? out.view({}) : out;
}

void index_add_(NDArray& target, int d, const NDArray& index, const NDArray& source) {
  d = dim("index_add_", d, target.rank());
  const NDArray at = index_vector("index_add_", index, target.shape(), d);
  Shape expected = target.shape();
  expected[d] = at.size();
  if (source.shape() != expected)
    fail<ShapeError>("index_add_: the source must have shape ", expected, ", got ", source.shape());
  for (Index i = 0; i < at.size(); ++i) {
    NDArray slice = target.select(d, at.data<Index>()[i]);
    add_(slice, source.select(d, i), 1, "index_add_");
  }
}

NDArray gather(const NDArray& given, int d, const NDArray& index) {
  const NDArray x = at_least_1d(given), where = at_least_1d(index);
  d = dim("gather", d, x.rank());
  check_index_shape("gather", x.shape(), where.shape(), d, "x");
  const NDArray at =
      checked_index("gather", where, x.shape()[d], ("dimension " + std::to_string(d)).c_str());
  NDArray out = NDArray::empty(index.shape(), x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    T* to = out.mutable_data<T>();
    const T* from = x.data<T>();
    const Index* chosen = at.data<Index>();
    const Index stride = x.strides()[d];
    for_each_index(at.shape(), x.strides(), d,
                   [&](Index base, Index i) { to[i] = from[base + chosen[i] * stride]; });
  });
  return out;
}

void scatter_add_(NDArray& target, int d, const NDArray& index, const NDArray& source) {
  const NDArray view = at_least_1d(target), where = at_least_1d(index);
  d = dim("scatter_add_", d, view.rank());
  if (target.dtype() != source.dtype())
    fail<DTypeError>("scatter_add_: dtypes ", name(target.dtype()), " and ", name(source.dtype()),
                     " differ; convert one of them, for example with .to(", name(target.dtype()),
                     ")");
  check_index_shape("scatter_add_", view.shape(), where.shape(), d, "the target");
  check_index_shape("scatter_add_", at_least_1d(source).shape(), where.shape(), -1, "the source");
  const NDArray at = checked_index("scatter_add_", where, view.shape()[d],
                                   ("dimension " + std::to_string(d)).c_str());
  NDArray terms = at_least_1d(source);
  for (int k = 0; k < terms.rank(); ++k) terms = terms.narrow(k, 0, at.shape()[k]);
  terms = terms.contiguous();
  dispatch_numeric("scatter_add_", target.dtype(), [&]<class T>() {
    T* to = target.mutable_data<T>("scatter_add_");
    const Index stride = view.strides()[d];
    for_each_index(at.shape(), view.strides(), d, [&](Index base, Index i) {
      to[base + at.data<Index>()[i] * stride] += terms.data<T>()[i];
    });
  });
}

NDArray cat(const std::vector<NDArray>& arrays, int d) {
  if (arrays.empty()) fail<ShapeError>("cat: expected at least one tensor, got none");
  const NDArray& first = arrays.front();
  if (first.rank() == 0)
    fail<ShapeError>("cat: 0-d tensors cannot be joined; use stack, or unsqueeze(0) them first");
  d = dim("cat", d, first.rank());
  Shape shape = first.shape();
  shape[d] = 0;
  for (const NDArray& x : arrays) {
    if (x.dtype() != first.dtype())
      fail<DTypeError>("cat: dtypes ", name(first.dtype()), " and ", name(x.dtype()),
                       " differ; convert one of them, for example with .to(", name(first.dtype()),
                       ")");
    bool fits = x.rank() == first.rank();
    for (int i = 0; fits && i < shape.rank(); ++i) fits = i == d || x.shape()[i] == shape[i];
    if (!fits)
      fail<ShapeError>("cat: shapes ", first.shape(), " and ", x.shape(),
                       " must be equal except in dimension ", d);
    shape[d] += x.shape()[d];
  }
  NDArray out = NDArray::empty(shape, first.dtype());
  Index start = 0;
  for (const NDArray& x : arrays) {
    NDArray part = out.narrow(d, start, x.shape()[d]);
    copy_(part, x, "cat");
    start += x.shape()[d];
  }
  return out;
}

namespace {

// Row i keeps columns [0, i + diagonal] (lower), or [i + diagonal, m) (upper).
NDArray triangle(const char* op, const NDArray& x, Index diagonal, bool lower) {
  if (x.rank() < 2) fail<ShapeError>(op, ": expected at least 2 dimensions, got shape ", x.shape());
  NDArray out = copy(x);
  if (out.size() == 0) return out;
  const Index n = x.shape()[-2], m = x.shape()[-1];
  const Index shift = std::clamp(diagonal, -n, m);
  dispatch(x.dtype(), [&]<class T>() {
    T* row = out.mutable_data<T>();
    for (Index r = 0; r < out.size() / m; ++r, row += m) {
      const Index cut = std::clamp<Index>(r % n + shift + lower, 0, m);
      std::fill(lower ? row + cut : row, lower ? row + m : row + cut, T{});
    }
  });
  return out;
}

}  // namespace

NDArray tril(const NDArray& x, Index diagonal) { return triangle("tril", x, diagonal, true); }
NDArray triu(const NDArray& x, Index diagonal) { return triangle("triu", x, diagonal, false); }

}  // namespace tapehead::core
