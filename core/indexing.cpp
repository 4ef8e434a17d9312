#include "indexing.h"

#include "detail/checked_index.h"
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

NDArray index_vector(const char* op, const NDArray& index, Index size, int d) {
  if (index.rank() > 1)
    fail<ShapeError>(op, ": the index must have 1 dimension, got shape ", index.shape(),
                     "; flatten it with view({-1}) first");
  return checked_index(op, at_least_1d(index), size, d);
}

// Row-major: target[o][at[i]][:] += source[o][i][:], in order of i; threads share the columns.
template <class T>
void add_slices(const char* op, NDArray& target, const Split& split, const NDArray& at,
                const NDArray& source) {
  const RowKernel add = kernels::kernels<kernels::NumericKernels<T>>().add;
  T* const to = target.mutable_data<T>(op);
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

void index_add_(NDArray& target, int d, const NDArray& index, const NDArray& given,
                const char* op) {
  check_same(op, target.dtype(), given.dtype(), target.dtype());
  check_target(op, target);
  NDArray view = at_least_1d(target);
  const NDArray slices = at_least_1d(given);
  d = dim(op, d, view.rank());
  const NDArray at = apart(target, index_vector(op, index, view.shape()[d], d)).contiguous();
  Shape expected = view.shape();
  expected[d] = at.size();
  if (slices.shape() != expected)
    fail<ShapeError>(op, ": the source must have shape ", expected, ", got ", slices.shape());
  const NDArray source = apart(target, slices).contiguous();
  dispatch_numeric(op, target.dtype(), [&]<class T>() {
    NDArray sums = view.contiguous();
    add_slices<T>(op, sums, split_at(view.shape(), d), at, source);
    if (!view.is_contiguous()) copy_(view, sums, op);
  });
}

}  // namespace tapehead::core
