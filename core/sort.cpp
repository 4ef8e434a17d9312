#include "sort.h"

#include <algorithm>

#include "detail/is_nan.h"
#include "detail/parallel.h"

namespace tapehead::core {
namespace {

template <class T>
struct Entry {
  T value;
  Index at;
};

// Numbers rising, then NaN; equal ones as they stand.
template <class T>
bool rising(const Entry<T>& a, const Entry<T>& b) {
  if (a.value < b.value || (is_nan(b.value) && !is_nan(a.value))) return true;
  if (b.value < a.value || (is_nan(a.value) && !is_nan(b.value))) return false;
  return a.at < b.at;
}
template <class T>
bool falling(const Entry<T>& a, const Entry<T>& b) {
  if (b.value < a.value || (is_nan(a.value) && !is_nan(b.value))) return true;
  if (a.value < b.value || (is_nan(b.value) && !is_nan(a.value))) return false;
  return a.at < b.at;
}
template <class T>
bool in_place(const Entry<T>& a, const Entry<T>& b) {
  return a.at < b.at;
}

// With dimension d last.
NDArray turned(const NDArray& x, int d) {
  return x.rank() == 0 ? x.unsqueeze(0) : x.transpose(d, x.rank() - 1);
}

// The first k entries along d after choose(begin, end) has put each row in order.
template <class T, class Choose>
ValuesIndices chosen(const NDArray& given, int d, Index k, Choose choose) {
  const NDArray x = turned(given, d).contiguous();
  Shape shape = x.shape();
  const Index n = shape[-1], rows = n == 0 ? 0 : x.size() / n;
  shape[-1] = k;
  NDArray values = NDArray::empty(shape, x.dtype()), indices = NDArray::empty(shape, DType::Int64);
  const T* const from = x.data<T>();
  T* const to = values.mutable_data<T>();
  Index* const at = indices.mutable_data<Index>();
  parallel_for(rows, grain_for(16 * n), [&](Index begin, Index end) {
    std::vector<Entry<T>> row(static_cast<std::size_t>(n));
    for (Index r = begin; r < end; ++r) {
      for (Index i = 0; i < n; ++i) row[static_cast<std::size_t>(i)] = {from[r * n + i], i};
      choose(row.begin(), row.end());
      for (Index i = 0; i < k; ++i) {
        to[r * k + i] = row[static_cast<std::size_t>(i)].value;
        at[r * k + i] = row[static_cast<std::size_t>(i)].at;
      }
    }
  });
  if (given.rank() == 0) return {values.view({}), indices.view({})};
  return {turned(values, d).contiguous(), turned(indices, d).contiguous()};
}

}  // namespace

ValuesIndices sort(const NDArray& x, int d, bool descending) {
  d = dim_if_any("sort", d, x.rank());
  return dispatch(x.dtype(), [&]<class T>() {
    return chosen<T>(x, d, x.rank() == 0 ? 1 : x.shape()[d], [&](auto begin, auto end) {
      std::sort(begin, end, descending ? falling<T> : rising<T>);
    });
  });
}

ValuesIndices topk(const NDArray& x, Index k, int d, bool largest, bool sorted) {
  d = dim_if_any("topk", d, x.rank());
  const Index n = x.rank() == 0 ? 1 : x.shape()[d];
  if (k < 0 || k > n)
    fail<ShapeError>("topk: k must lie in [0, ", n, "], the size of dimension ", d, " of ",
                     x.shape(), ", got ", k);
  if (x.rank() == 0 && k == 0)
    fail<ShapeError>("topk: a tensor of 0 dimensions has 1 element to choose, got k = 0; ",
                     "unsqueeze(0) it first");
  return dispatch_numeric("topk", x.dtype(), [&]<class T>() {
    return chosen<T>(x, d, k, [&](auto begin, auto end) {
      const auto before = largest ? falling<T> : rising<T>;
      if (k < n) std::nth_element(begin, begin + k, end, before);
      std::sort(begin, begin + k, sorted ? before : in_place<T>);
    });
  });
}

}  // namespace tapehead::core
