#include "elementwise.h"
#include "indexing.h"

namespace tapehead::core {
namespace {

// Row i keeps columns [0, i + diagonal] (lower), or [i + diagonal, m) (upper).
NDArray triangle(const char* op, const NDArray& x, Index diagonal, bool lower) {
  if (x.rank() < 2)
    fail<ShapeError>(op, ": expected at least 2 dimensions, got shape ", x.shape(),
                     "; view it as a matrix first");
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
