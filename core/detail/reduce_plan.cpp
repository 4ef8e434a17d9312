#include "reduce_plan.h"

namespace tapehead::core {

void Dimensions::insert(Dimension d) {
  if (d.size == 1) return;
  std::size_t place = static_cast<std::size_t>(rank_++);
  for (; place > 0 && all_.at(place - 1).x > d.x; --place) all_.at(place) = all_.at(place - 1);
  all_.at(place) = d;
}

void Dimensions::merge() {
  int last = 0;
  for (int d = 1; d < rank_; ++d) {
    Dimension& inner = all_.at(static_cast<std::size_t>(last));
    const Dimension outer = (*this)[d];
    if (outer.x == inner.x * inner.size && outer.out == inner.out * inner.size)
      inner.size *= outer.size;
    else
      all_.at(static_cast<std::size_t>(++last)) = outer;
  }
  rank_ = std::min(rank_, last + 1);
}

Index Dimensions::size(int from) const {
  Index n = 1;
  for (int d = from; d < rank_; ++d) n *= (*this)[d].size;
  return n;
}

Dimensions::Offsets Dimensions::at(Index index, int from) const {
  Offsets result;
  for (int d = from; d < rank_ && index > 0; ++d) {
    const auto& [size, x, out] = (*this)[d];
    const Index i = d + 1 < rank_ ? index % size : index;
    result.x += i * x;
    result.out += i * out;
    index /= size;
  }
  return result;
}

std::array<bool, Dims::max_rank> named_axes(const char* op, const Axes& axes, int rank) {
  std::array<bool, Dims::max_rank> named{};
  if (axes.rank() == 0) named.fill(true);
  for (const Index axis : axes) {
    const int d = dim_if_any(op, axis, rank);
    if (std::exchange(named.at(static_cast<std::size_t>(d)), true))
      fail<ShapeError>(op, ": axes ", axes, " name dimension ", d, " twice; name each once");
  }
  return named;
}

ReducePlan::ReducePlan(const char* op, const NDArray& x, const Axes& axes, bool keepdim) {
  const std::array goes = named_axes(op, axes, x.rank());
  for (int d = 0; d < x.rank(); ++d) {
    if (!goes.at(static_cast<std::size_t>(d)))
      result.push_back(x.shape()[d]);
    else if (keepdim)
      result.push_back(1);
  }
  Index out = 1;
  for (int d = x.rank(); d-- > 0;) {
    const Dimension dimension{x.shape()[d], x.strides()[d], 0};
    if (goes.at(static_cast<std::size_t>(d))) {
      reduced.insert(dimension);
    } else {
      kept.insert({dimension.size, dimension.x, out});
      out *= dimension.size;
    }
  }
  kept.merge(), reduced.merge();
  choose_jobs();
}

void ReducePlan::choose_jobs() {
  constexpr Index elements = 16384, rows = 1024, short_run = 8;
  length = reduced.size();
  const Dimension none{1, 0, 0};
  const Dimension& across = kept.rank() ? kept[0] : none;
  const Dimension& along = reduced.rank() ? reduced[0] : none;
  by_columns = kept.rank() && (!reduced.rank() || across.x <= along.x);
  if ((by_columns ? across : along).size < short_run)
    by_columns = kept.rank() && across.size >= along.size;
  block = by_columns ? rows : elements;
  blocks = std::max<Index>(1, (length + block - 1) / block);
}

}  // namespace tapehead::core
