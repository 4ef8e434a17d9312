#include "reduce.h"

#include "elementwise.h"
#include "parallel.h"

namespace tapehead::core {
namespace {

// Which dimensions of a shape are reduced, and the shapes without and with them.
struct Plan {
  std::array<bool, Dims::max_rank> reduced{};
  Shape kept, keepdim;
  Dims order;        // kept dimensions, then reduced ones
  Index length = 1;  // elements an output

  Plan(const char* op, const Shape& shape, const Axes& axes) {
    for (const Index axis : axes) {
      const int d = dim(op, static_cast<int>(axis), std::max(shape.rank(), 1));
      if (std::exchange(reduced.at(static_cast<std::size_t>(d)), true))
        fail<ShapeError>(op, ": dimension ", d, " appears twice in ", axes);
    }
    if (axes.rank() == 0) reduced.fill(true);
    for (int d = 0; d < shape.rank(); ++d) {
      const bool gone = reduced.at(static_cast<std::size_t>(d));
      if (!gone) kept.push_back(shape[d]), order.push_back(d);
      keepdim.push_back(gone ? 1 : shape[d]);
      if (gone) length *= shape[d];
    }
    for (int d = 0; d < shape.rank(); ++d)
      if (reduced.at(static_cast<std::size_t>(d))) order.push_back(d);
  }
};

// Calls f(row, output index) for each output, rows contiguous.
template <class T, class F>
void for_each_row(const NDArray& x, const Plan& plan, Index outputs, F f) {
  const NDArray rows = x.permute(plan.order).contiguous();
  const T* from = rows.data<T>();
  parallel_for(outputs, grain_for(plan.length), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) f(from + i * plan.length, i);
  });
}

// Blocks of 512 in 32 lanes, added up in double.
template <class T>
auto block_sum(const T* x, Index n) {
  constexpr Index lanes = 32, block = 512;
  using Total = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
  using Lane = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;
  Total total = 0;
  for (Index start = 0; start < n; start += block) {
    const Index end = std::min(n, start + block);
    std::array<Lane, lanes> lane{};
    Index i = start;
    for (; i + lanes <= end; i += lanes)
      for (Index k = 0; k < lanes; ++k)
        lane[static_cast<std::size_t>(k)] += static_cast<Lane>(x[i + k]);
    for (Index k = 0; i < end; ++i, ++k)
      lane[static_cast<std::size_t>(k)] += static_cast<Lane>(x[i]);
    for (const Lane v : lane) total += static_cast<Total>(v);
  }
  return total;
}

template <class Better>
NDArray extreme(const char* op, const NDArray& x, const Axes& axes, bool keepdim, Better better) {
  const Plan plan(op, x.shape(), axes);
  if (plan.length == 0 && (axes.rank() == 0 || numel(plan.kept) >= 0))
    fail<ShapeError>(op, ": there is no element to choose in shape ", x.shape(),
                     axes.rank() ? " along dimensions " : "", axes.rank() ? axes : Axes{});
  NDArray out = NDArray::empty(keepdim ? plan.keepdim : plan.kept, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    T* to = out.mutable_data<T>();
    for_each_row<T>(x, plan, out.size(), [&](const T* row, Index i) {
      T best = row[0];
      for (Index k = 1; k < plan.length; ++k)
        if (better(row[k], best)) best = row[k];
      to[i] = best;
    });
  });
  return out;
}

template <class Better>
ValuesIndices extreme_along(const char* op, const NDArray& x, int d, bool keepdim, Better better) {
  d = dim(op, d, std::max(x.rank(), 1));
  const Plan plan(op, x.shape(), {d});
  if (plan.length == 0)
    fail<ShapeError>(op, ": there is no element to choose in shape ", x.shape(),
                     " along dimension ", d);
  const Shape& shape = keepdim ? plan.keepdim : plan.kept;
  ValuesIndices out{NDArray::empty(shape, x.dtype()), NDArray::empty(shape, DType::Int64)};
  dispatch(x.dtype(), [&]<class T>() {
    T* value = out.values.mutable_data<T>();
    Index* index = out.indices.mutable_data<Index>();
    for_each_row<T>(x, plan, out.values.size(), [&](const T* row, Index i) {
      Index best = 0;
      for (Index k = 1; k < plan.length; ++k)
        if (better(row[k], row[best])) best = k;
      value[i] = row[best], index[i] = best;
    });
  });
  return out;
}

constexpr auto larger = [](auto v, auto best) { return best == best && !(v <= best); };
constexpr auto smaller = [](auto v, auto best) { return best == best && !(v >= best); };

}  // namespace

NDArray sum(const NDArray& x, const Axes& axes, bool keepdim) {
  const Plan plan("sum", x.shape(), axes);
  NDArray out = NDArray::empty(keepdim ? plan.keepdim : plan.kept,
                               is_floating(x.dtype()) ? x.dtype() : DType::Int64);
  dispatch(x.dtype(), [&]<class T>() {
    using Out = std::conditional_t<std::is_floating_point_v<T>, T, Index>;
    Out* to = out.mutable_data<Out>();
    for_each_row<T>(x, plan, out.size(), [&](const T* row, Index i) {
      to[i] = static_cast<Out>(block_sum(row, plan.length));
    });
  });
  return out;
}

NDArray sum_to(const NDArray& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  expanded("sum_to", shape, row_major(shape), x.shape());
  const int extra = x.rank() - shape.rank();
  Axes axes;
  for (int d = 0; d < x.rank(); ++d)
    if (d < extra || (shape[d - extra] == 1 && x.shape()[d] != 1)) axes.push_back(d);
  return sum(x, axes, true).view(shape);
}

NDArray amax(const NDArray& x, const Axes& axes, bool keepdim) {
  return extreme("amax", x, axes, keepdim, larger);
}
NDArray amin(const NDArray& x, const Axes& axes, bool keepdim) {
  return extreme("amin", x, axes, keepdim, smaller);
}
ValuesIndices max(const NDArray& x, int d, bool keepdim) {
  return extreme_along("max", x, d, keepdim, larger);
}
ValuesIndices min(const NDArray& x, int d, bool keepdim) {
  return extreme_along("min", x, d, keepdim, smaller);
}

}  // namespace tapehead::core
