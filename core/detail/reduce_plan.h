// How a reduction walks its input: dimensions that are kept and that go, each list from the
// smallest stride up and merged where they lie evenly in memory. Work is cut into jobs that depend
// on shapes alone, so that any number of threads gives the same bits.
#pragma once

#include <array>

#include "../reduce.h"

namespace tapehead::core {

/// One dimension, with strides in elements.
struct Dimension {
  Index size, x, out;
};

/// Dimensions from the innermost out.
class Dimensions {
 public:
  void insert(Dimension d);
  void merge();
  int rank() const { return rank_; }
  const Dimension& operator[](int d) const { return all_.at(static_cast<std::size_t>(d)); }
  Index size(int from = 0) const;

  struct Offsets {
    Index x = 0, out = 0;
  };
  /// Of the index-th element, counted from the innermost dimension out and from dimension `from`.
  Offsets at(Index index, int from = 0) const;

 private:
  std::array<Dimension, Dims::max_rank> all_;  // the first rank_ of them
  int rank_ = 0;
};

/// Which dimensions `axes` name: all if none. ShapeError for one that is not there or named twice.
std::array<bool, Dims::max_rank> named_axes(const char* op, const Axes& axes, int rank);

struct ReducePlan {
  /// ShapeError where `axes` name no dimension or one twice.
  ReducePlan(const char* op, const NDArray& x, const Axes& axes, bool keepdim);

  Shape result;
  Dimensions kept, reduced;
  Index length;     // elements to one output
  bool by_columns;  // runs of outputs at once, rather than a run of inputs to one output
  Index block;      // of inputs (or rows of them), after which a job ends
  Index blocks;     // jobs to one output

 private:
  void choose_jobs();
};

}  // namespace tapehead::core
