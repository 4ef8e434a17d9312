#include "reduce.h"

#include <limits>

#include "detail/parallel.h"
#include "detail/reduce_plan.h"
#include "elementwise.h"
#include "kernels/dispatch.h"
#include "kernels/reduce.h"

namespace tapehead::core {
namespace {

template <class T>
using SumKernels = kernels::ReduceKernels<T>;

// Job j of plan.blocks an output: a run of inputs to one output. Results go to `out`, those of
// block b `block_stride` after those of the first.
template <class T, class Acc, class Out>
void reduce_rows(const ReducePlan& plan, const kernels::Reduction<T, Acc>& kernel, Acc start,
                 const T* x, Out* out, Index block_stride) {
  const Dimension along = plan.reduced.rank() ? plan.reduced[0] : Dimension{1, 1, 0};
  const Index jobs = plan.kept.size() * plan.blocks;
  parallel_for(jobs, grain_for(std::min(plan.length, plan.block)), [&](Index begin, Index end) {
    for (Index job = begin; job < end; ++job) {
      const Index b = job % plan.blocks, last = std::min(plan.length, (b + 1) * plan.block);
      const auto at = plan.kept.at(job / plan.blocks);
      Acc so_far = start;
      for (Index i = b * plan.block, n = 0; i < last; i += n) {
        const Index first = i % along.size;
        n = std::min(along.size - first, last - i);
        const Index row = at.x + plan.reduced.at(i / along.size, 1).x;
        kernel.row(n, x + row + first * along.x, along.x, &so_far);
      }
      out[b * block_stride + at.out] = static_cast<Out>(so_far);
    }
  });
}

// The same where a job is a run of rows to a run of outputs.
template <class T, class Acc, class Out>
void reduce_columns(const ReducePlan& plan, const kernels::Reduction<T, Acc>& kernel, Acc start,
                    const T* x, Out* out, Index block_stride) {
  constexpr Index most_columns = kernels::Reduction<T, Acc>::most_columns;
  constexpr Index most_rows = kernels::Reduction<T, Acc>::most_rows;
  const Dimension across = plan.kept[0];
  const Dimension down = plan.reduced.rank() ? plan.reduced[0] : Dimension{1, 0, 0};
  const Index tiles = (across.size + most_columns - 1) / most_columns;
  const Index jobs = plan.kept.size(1) * tiles * plan.blocks;
  const Index work = std::min(plan.length, plan.block) * std::min(across.size, most_columns);
  parallel_for(jobs, grain_for(work), [&](Index begin, Index end) {
    std::array<Acc, most_columns> so_far;
    for (Index job = begin; job < end; ++job) {
      const Index b = job % plan.blocks, tile = job / plan.blocks % tiles;
      const Index column = tile * most_columns, m = std::min(most_columns, across.size - column);
      auto at = plan.kept.at(job / plan.blocks / tiles, 1);
      at.x += column * across.x, at.out += column * across.out;
      std::fill_n(so_far.begin(), m, start);
      const Index last = std::min(plan.length, (b + 1) * plan.block);
      for (Index i = b * plan.block, n = 0; i < last; i += n) {
        const Index first = i % down.size;
        n = std::min({most_rows, down.size - first, last - i});
        const Index row = at.x + plan.reduced.at(i / down.size, 1).x + first * down.x;
        kernel.columns(n, down.x, m, x + row, across.x, so_far.data());
      }
      Out* to = out + b * block_stride + at.out;
      for (Index j = 0; j < m; ++j)
        to[j * across.out] = static_cast<Out>(so_far[static_cast<std::size_t>(j)]);
    }
  });
}

// What sums and products of a dtype are given in: whole numbers in Int64.
DType total_dtype(DType dtype) { return is_floating(dtype) ? dtype : DType::Int64; }
template <class T>
using TotalOf = std::conditional_t<std::is_floating_point_v<T>, T, Index>;

// `pick` takes the reduction from a table of kernels, `start` is what it starts from.
template <class T, class Acc, class Out, class Pick>
void reduce_into(const ReducePlan& plan, const NDArray& x, Pick pick, Acc start, NDArray& out) {
  const auto run = [&](auto* to, Index block_stride) {
    const kernels::Reduction<T, Acc>& kernel = pick(kernels::kernels<SumKernels<T>>());
    if (plan.by_columns)
      reduce_columns(plan, kernel, start, x.data<T>(), to, block_stride);
    else
      reduce_rows(plan, kernel, start, x.data<T>(), to, block_stride);
  };
  if (out.size() == 0) return;
  if (plan.blocks == 1) return run(out.mutable_data<Out>(), 0);
  NDArray partial = NDArray::empty({plan.blocks, out.size()}, dtype_of<Acc>);
  run(partial.mutable_data<Acc>(), out.size());
  NDArray total = NDArray::empty({out.size()}, dtype_of<Acc>);
  reduce_into<Acc, Acc, Acc>(ReducePlan("", partial, {0}, false), partial, pick, start, total);
  copy_(out, total.view(out.shape()));
}

template <class Pick>
NDArray total(const char* op, const NDArray& x, const Axes& axes, bool keepdim, Pick pick,
              Index start) {
  const ReducePlan plan(op, x, axes, keepdim);
  NDArray out = NDArray::empty(plan.result, total_dtype(x.dtype()));
  dispatch(x.dtype(), [&]<class T>() {
    using Acc = typename SumKernels<T>::Sum;
    reduce_into<T, Acc, TotalOf<T>>(plan, x, pick, static_cast<Acc>(start), out);
  });
  return out;
}

// Running sums down n rows, `inner` elements apart, of a few columns at once. Floats are added up
// in double precision, whole numbers wrap around.
constexpr Index most_columns = 256;
template <class T, class Out>
void accumulate(Index n, Index inner, Index columns, bool reversed, const T* x, Out* out) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
  std::array<Sum, most_columns> sums{};
  for (Index k = 0; k < n; ++k) {
    const Index row = (reversed ? n - 1 - k : k) * inner;
    for (Index j = 0; j < columns; ++j)
      out[row + j] =
          static_cast<Out>(sums[static_cast<std::size_t>(j)] += static_cast<Sum>(x[row + j]));
  }
}

template <class T>
constexpr T worst(bool largest) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>)
    return largest ? -Limits::infinity() : Limits::infinity();
  else
    return largest ? Limits::lowest() : Limits::max();
}

void check_choice(const char* op, const NDArray& x, const ReducePlan& plan, const Axes& axes) {
  if (plan.length > 0 && (axes.rank() > 0 || x.size() > 0)) return;
  fail<ShapeError>(op, ": nothing to choose from in shape ", x.shape(),
                   "; reduce only dimensions that are not empty");
}

NDArray extreme(const char* op, const NDArray& x, const Axes& axes, bool keepdim, bool largest) {
  const ReducePlan plan(op, x, axes, keepdim);
  check_choice(op, x, plan, axes);
  NDArray out = NDArray::empty(plan.result, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    const auto pick = [largest](const auto& table) -> const auto& {
      return largest ? table.largest : table.smallest;
    };
    reduce_into<T, T, T>(plan, x, pick, worst<T>(largest), out);
  });
  return out;
}

// The first place that holds the chosen value, NaN included.
template <class T>
Index first_of(const T* row, T value) {
  Index i = 0;
  if (value == value)
    while (row[i] != value) ++i;
  else
    while (row[i] == row[i]) ++i;
  return i;
}

ValuesIndices extreme_along(const char* op, const NDArray& x, int d, bool keepdim, bool largest) {
  d = dim_if_any(op, d, x.rank());
  const NDArray values = extreme(op, x, {d}, keepdim, largest);
  const NDArray rows = (x.rank() ? x.transpose(d, -1) : x.unsqueeze(0)).contiguous();
  // Outputs as rows are ordered: dimension d last, then gone.
  const NDArray ordered =
      (x.rank() ? (keepdim ? values : values.unsqueeze(d)).transpose(d, -1) : values).contiguous();
  NDArray places = NDArray::empty(ordered.shape(), DType::Int64);
  dispatch(x.dtype(), [&]<class T>() {
    const Index n = rows.shape()[-1];
    auto* index = places.mutable_data<Index>();
    parallel_for(ordered.size(), grain_for(n), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        index[i] = first_of(rows.data<T>() + i * n, ordered.data<T>()[i]);
    });
  });
  if (x.rank() == 0) return {values, places};
  return {values, places.transpose(d, -1).contiguous().view(values.shape())};
}

}  // namespace

NDArray sum(const NDArray& x, const Axes& axes, bool keepdim) {
  return total(
      "sum", x, axes, keepdim, [](const auto& table) -> const auto& { return table.sum; }, 0);
}
NDArray prod(const NDArray& x, const Axes& axes, bool keepdim) {
  return total(
      "prod", x, axes, keepdim, [](const auto& table) -> const auto& { return table.product; }, 1);
}

NDArray cumsum(const NDArray& x, int d, bool reversed) {
  d = dim_if_any("cumsum", d, x.rank());
  const Index n = x.rank() ? x.shape()[d] : 1;
  Index inner = 1;
  for (int k = d + 1; k < x.rank(); ++k) inner *= x.shape()[k];
  NDArray out = NDArray::empty(x.shape(), total_dtype(x.dtype()));
  if (out.size() == 0) return out;
  const Index tiles = (inner + most_columns - 1) / most_columns;
  const NDArray in = x.contiguous();
  dispatch(x.dtype(), [&]<class T>() {
    using Out = TotalOf<T>;
    Out* const to = out.mutable_data<Out>("cumsum");
    parallel_for(x.size() / (n * inner) * tiles, grain_for(n), [&](Index begin, Index end) {
      for (Index job = begin; job < end; ++job) {
        const Index column = job % tiles * most_columns, start = job / tiles * n * inner + column;
        accumulate(n, inner, std::min(most_columns, inner - column), reversed, in.data<T>() + start,
                   to + start);
      }
    });
  });
  return out;
}

NDArray sum_to(const NDArray& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const int extra = x.rank() - shape.rank();
  bool fits = extra >= 0;
  for (int d = 1; fits && d <= shape.rank(); ++d)
    fits = shape[-d] == 1 || shape[-d] == x.shape()[-d];
  if (!fits)
    fail<ShapeError>("sum_to: cannot sum ", x.shape(), " to ", shape,
                     "; sizes must be equal or become 1, counted from the last dimension");
  Axes axes;
  for (int d = 0; d < x.rank(); ++d)
    if (d < extra || (shape[d - extra] == 1 && x.shape()[d] != 1)) axes.push_back(d);
  return sum(x, axes, true).view(shape);
}

NDArray amax(const NDArray& x, const Axes& axes, bool keepdim) {
  return extreme("amax", x, axes, keepdim, true);
}
NDArray amin(const NDArray& x, const Axes& axes, bool keepdim) {
  return extreme("amin", x, axes, keepdim, false);
}
ValuesIndices max(const NDArray& x, int d, bool keepdim) {
  return extreme_along("max", x, d, keepdim, true);
}
ValuesIndices min(const NDArray& x, int d, bool keepdim) {
  return extreme_along("min", x, d, keepdim, false);
}

}  // namespace tapehead::core
