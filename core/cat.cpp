#include "elementwise.h"
#include "indexing.h"

namespace tapehead::core {
namespace {

// The shape of the result, and whether all arrays can be part of it.
Shape joined(const std::vector<NDArray>& arrays, int d) {
  const NDArray& first = arrays.front();
  Shape shape = first.shape();
  shape[d] = 0;
  for (const NDArray& x : arrays) {
    check_same("cat", first.dtype(), x.dtype());
    bool fits = x.rank() == first.rank();
    for (int i = 0; fits && i < shape.rank(); ++i) fits = i == d || x.shape()[i] == shape[i];
    if (!fits)
      fail<ShapeError>("cat: shapes ", first.shape(), " and ", x.shape(),
                       " cannot be joined; all sizes but that of dimension ", d, " must be equal");
    if (__builtin_add_overflow(shape[d], x.shape()[d], &shape[d]))
      fail<ShapeError>("cat: the sizes of dimension ", d,
                       " add up to more than 64 bits can count; join fewer or smaller tensors");
  }
  return shape;
}

}  // namespace

NDArray cat(const std::vector<NDArray>& arrays, int d) {
  if (arrays.empty()) fail<ShapeError>("cat: expected at least one tensor, got none");
  const NDArray& first = arrays.front();
  if (first.rank() == 0)
    fail<ShapeError>("cat: 0-d tensors cannot be joined; use stack, or unsqueeze(0) them first");
  d = dim("cat", d, first.rank());
  NDArray out = NDArray::empty(joined(arrays, d), first.dtype());
  Index start = 0;
  for (const NDArray& x : arrays) {
    NDArray part = out.narrow(d, start, x.shape()[d]);
    copy_(part, x, "cat");
    start += x.shape()[d];
  }
  return out;
}

}  // namespace tapehead::core
