// Elements by the coordinates that several indices give together.
#include <algorithm>
#include <limits>

#include "detail/checked_index.h"
#include "detail/inplace.h"
#include "detail/parallel.h"
#include "elementwise.h"
#include "indexing.h"
#include "reduce.h"

namespace tapehead::core {
namespace {

// How far each element of such an array lies from its first, in row-major order.
std::vector<Index> offsets(const Shape& shape, const Strides& strides) {
  std::vector<Index> result(static_cast<std::size_t>(numel(shape)));
  for (Index i = 0; i < numel(shape); ++i)
    result[static_cast<std::size_t>(i)] = offset_of(shape, strides, i);
  return result;
}

// The result of `index`, row by row: its elements [before][at][after][0 … run) lie at the sum of
// the three offsets.
struct Places {
  Shape shape;
  std::vector<Index> before, at, after;
  Index run = 1;

  Index rows() const { return static_cast<Index>(before.size() * at.size() * after.size()); }
  Index offset(Index row) const {
    const Index last = static_cast<Index>(after.size()), middle = static_cast<Index>(at.size());
    return before[static_cast<std::size_t>(row / last / middle)] +
           at[static_cast<std::size_t>(row / last % middle)] +
           after[static_cast<std::size_t>(row % last)];
  }
};

bool names(const Dims& dims, int d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); }

// Where the indices lead: the sum of each index times the stride of its dimension.
std::vector<Index> combined(const char* op, const NDArray& x, const Dims& dims,
                            const std::vector<NDArray>& indices, const Shape& common) {
  std::vector<Index> at(static_cast<std::size_t>(numel(common)), 0);
  for (int k = 0; k < dims.rank(); ++k) {
    const int d = static_cast<int>(dims[k]);
    const NDArray index = wrapped_index(op, indices[static_cast<std::size_t>(k)], x.shape()[d], d);
    const NDArray all = index.expand(common).contiguous();
    for (Index i = 0; i < all.size(); ++i)
      at[static_cast<std::size_t>(i)] += all.data<Index>()[i] * x.strides()[d];
  }
  return at;
}

Shape common_shape(const char* op, const std::vector<NDArray>& indices) {
  Shape common;
  for (const NDArray& index : indices) common = broadcast(op, common, index.shape());
  return common;
}

Places places(const char* op, const NDArray& x, const Dims& dims,
              const std::vector<NDArray>& indices) {
  const Shape common = common_shape(op, indices);
  const bool together = dims.rank() > 0 && dims[-1] - dims[0] == dims.rank() - 1;
  Shape before, after, result;
  Strides before_strides, after_strides;
  for (int d = 0; d < x.rank(); ++d) {
    if (names(dims, d)) continue;
    const bool in_front = together && d < dims[0];
    (in_front ? before : after).push_back(x.shape()[d]);
    (in_front ? before_strides : after_strides).push_back(x.strides()[d]);
  }
  for (const Dims& part : {before, common, after})
    for (const Index size : part) result.push_back(size);
  Places all{result, offsets(before, before_strides), combined(op, x, dims, indices, common), {}};
  // What lies together in memory is moved together.
  while (after.rank() > 0 && (after[-1] == 1 || after_strides[-1] == all.run)) {
    all.run *= after[-1];
    after = without(after, after.rank() - 1);
    after_strides = without(after_strides, after_strides.rank() - 1);
  }
  all.after = offsets(after, after_strides);
  return all;
}

// put(to, from, count) for each row; rows that may meet are put by one thread, in order.
template <class T, class Put>
void put_rows(const char* op, NDArray& target, const Places& to, const NDArray& values, Put put) {
  T* const data = target.mutable_data<T>(op);
  const T* const from = values.data<T>();
  const Index slices = static_cast<Index>(to.before.size());
  const Index rows = slices == 0 ? 0 : to.rows() / slices;
  parallel_for(slices, grain_for(rows * to.run), [&](Index begin, Index end) {
    for (Index row = begin * rows; row < end * rows; ++row)
      put(data + to.offset(row), from + row * to.run, to.run);
  });
}

}  // namespace

NDArray index(const NDArray& x, const Dims& dims, const std::vector<NDArray>& indices) {
  const Places from = places("index", x, dims, indices);
  NDArray out = NDArray::empty(from.shape, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    T* const to = out.mutable_data<T>();
    const T* const data = x.data<T>();
    parallel_for(from.rows(), grain_for(from.run), [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row)
        std::copy_n(data + from.offset(row), from.run, to + row * from.run);
    });
  });
  return out;
}

void index_put_(NDArray& target, const Dims& dims, const std::vector<NDArray>& indices,
                const NDArray& values, bool accumulate, const char* op) {
  check_same(op, target.dtype(), values.dtype(), target.dtype());
  check_target(op, target);
  const Places to = places(op, target, dims, indices);
  expanded(op, values.shape(), values.strides(), to.shape);
  const NDArray from = apart(target, values.expand(to.shape)).contiguous();
  if (accumulate) {
    dispatch_numeric(op, target.dtype(), [&]<class T>() {
      using Sum = std::conditional_t<std::is_same_v<T, Index>, std::uint64_t, T>;  // wraps around
      put_rows<T>(op, target, to, from, [](T* sums, const T* terms, Index n) {
        for (Index i = 0; i < n; ++i)
          sums[i] = static_cast<T>(static_cast<Sum>(sums[i]) + static_cast<Sum>(terms[i]));
      });
    });
  } else {
    dispatch(target.dtype(), [&]<class T>() {
      put_rows<T>(op, target, to, from, [](T* elements, const T* new_ones, Index n) {
        std::copy_n(new_ones, n, elements);
      });
    });
  }
}

NDArray nonzero(const NDArray& given) {
  const NDArray x = cast(given, DType::Bool);
  const bool* const is = x.data<bool>();
  NDArray out = NDArray::empty({std::count(is, is + x.size(), true), x.rank()}, DType::Int64);
  Index* to = out.mutable_data<Index>();
  for (Index i = 0; i < x.size(); ++i) {
    if (!is[i]) continue;
    const Dims at = index_of(x.shape(), i);
    to = std::copy(at.begin(), at.end(), to);
  }
  return out;
}

NDArray one_hot(const NDArray& index, Index num_classes) {
  if (index.dtype() != DType::Int64)
    fail<DTypeError>("one_hot: the index must be Int64, got ", name(index.dtype()),
                     "; convert with .to(Int64)");
  if (num_classes == -1) {
    if (index.size() == 0)
      fail<ShapeError>("one_hot: an empty index ", index.shape(),
                       " does not tell how many classes there are; give num_classes");
    const Index most = std::numeric_limits<Index>::max() - 1;
    num_classes = std::clamp<Index>(amax(index).item<Index>(), 0, most) + 1;
  }
  if (num_classes < 1)
    fail<ShapeError>("one_hot: expected at least one class, got ", num_classes,
                     "; class numbers begin at 0");
  const NDArray at = checked_index("one_hot", index, num_classes, index.rank());
  Shape shape = index.shape();
  shape.push_back(num_classes);
  NDArray out = NDArray::full(shape, 0, DType::Int64);
  Index* const to = out.mutable_data<Index>();
  for (Index i = 0; i < at.size(); ++i) to[i * num_classes + at.data<Index>()[i]] = 1;
  return out;
}

}  // namespace tapehead::core
