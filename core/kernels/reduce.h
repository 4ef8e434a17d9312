// Many numbers to one, along a row or down the columns of a few rows. Neighbours in a row are
// `step` elements apart. What is added is the same in the same order for every instruction set.
#pragma once

#include "table.h"

namespace tapehead::core::kernels {

/// What numbers of type T are added up in.
template <class T>
struct Total {
  using type = double;
};
template <>
struct Total<Index> {
  using type = Index;
};
template <>
struct Total<bool> {
  using type = Index;
};

/// One reduction that goes on from what `so_far` holds.
template <class T, class Result>
struct Reduction {
  /// *so_far with x[0], x[step], … (n of them).
  void (*row)(Index n, const T* x, Index step, Result* so_far);
  /// so_far[j] with x[j step], x[row + j step], … (rows of them), for each j < n.
  void (*columns)(Index rows, Index row, Index n, const T* x, Index step, Result* so_far);

  /// The most that `columns` takes at once.
  static constexpr Index most_rows = 16, most_columns = 256;
};

/// For float, double, Index and bool.
template <class T>
struct ReduceKernels {
  using Sum = typename Total<T>::type;
  Reduction<T, Sum> sum, product;
  /// NaN wins.
  Reduction<T, T> largest, smallest;

  template <Isa>
  static const ReduceKernels& of();
};

}  // namespace tapehead::core::kernels
