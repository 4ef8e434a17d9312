#include "shape.h"

#include <ostream>

namespace tapehead::core {

Dims::Dims(std::initializer_list<Index> values) {
  for (const Index value : values) push_back(value);
}
Dims::Dims(const std::vector<Index>& values) {
  for (const Index value : values) push_back(value);
}

void refuse_shape(const Shape& shape) {
  for (const Index size : shape)
    if (size < 0)
      fail<ShapeError>("shape: sizes cannot be negative, got ", shape,
                       "; -1 is for view, reshape and expand");
  fail<ShapeError>("shape: ", shape, " holds more elements than 64 bits can count; ",
                   "use smaller dimensions");
}

int dim(const char* op, Index d, int rank) {
  if (rank == 0)
    fail<ShapeError>(op, ": dimension ", d, " is out of range for a tensor of 0 dimensions; ",
                     "unsqueeze(0) it first");
  if (d < -rank || d >= rank)
    fail<ShapeError>(op, ": dimension ", d, " is out of range for a tensor of ", rank,
                     rank == 1 ? " dimension" : " dimensions", "; use ", -rank, " to ", rank - 1);
  return static_cast<int>(d < 0 ? d + rank : d);
}

int dim_if_any(const char* op, Index d, int rank) {
  return rank == 0 && (d == 0 || d == -1) ? 0 : dim(op, d, rank);
}

Dims without(const Dims& dims, int d) {
  Dims result;
  for (int i = 0; i < dims.rank(); ++i)
    if (i != d) result.push_back(dims[i]);
  return result;
}

Dims with_inserted(const Dims& dims, int d, Index value) {
  Dims result;
  for (int i = 0; i <= dims.rank(); ++i) {
    if (i == d) result.push_back(value);
    if (i < dims.rank()) result.push_back(dims[i]);
  }
  return result;
}

Strides row_major(const Shape& shape) {
  Strides strides = shape;
  Index next = 1;
  for (int d = shape.rank(); d-- > 0;) {
    strides[d] = next;
    next = wrapping_product(next, std::max<Index>(shape[d], 1));
  }
  return strides;
}

Dims index_of(const Shape& shape, Index i) {
  Dims index = shape;
  for (int d = shape.rank(); d-- > 0; i /= shape[d]) index[d] = i % shape[d];
  return index;
}

Shape broadcast(const char* op, const Shape& a, const Shape& b) {
  Shape result = a.rank() >= b.rank() ? a : b;
  for (int d = 1; d <= std::min(a.rank(), b.rank()); ++d) {
    if (a[-d] != b[-d] && a[-d] != 1 && b[-d] != 1)
      fail<ShapeError>(op, ": shapes ", a, " and ", b, " do not broadcast: ", a[-d], " against ",
                       b[-d], " in dimension ", -d, "; sizes must be equal, or one of them 1");
    result[-d] = a[-d] == 1 ? b[-d] : a[-d];
  }
  return result;
}

Strides expanded(const char* op, const Shape& shape, const Strides& strides, const Shape& target) {
  Strides result = Strides::filled(target.rank(), 0);
  for (int d = 1; d <= shape.rank(); ++d) {
    if (d > target.rank() || (shape[-d] != 1 && shape[-d] != target[-d]))
      fail<ShapeError>(op, ": cannot expand ", shape, " to ", target,
                       "; sizes must be equal or 1, counted from the last dimension");
    result[-d] = shape[-d] == 1 && target[-d] != 1 ? 0 : strides[-d];
  }
  return result;
}

std::ostream& operator<<(std::ostream& out, const Dims& dims) {
  out << '(';
  for (int d = 0; d < dims.rank(); ++d) out << (d ? ", " : "") << dims[d];
  return out << ')';
}

}  // namespace tapehead::core
