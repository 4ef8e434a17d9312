#include "checked_index.h"

namespace tapehead::core {
namespace {

[[noreturn]] void refuse_index(const char* op, const NDArray& index, Index i, Index least,
                               Index size, int d) {
  const Index at = index.data<Index>()[i];
  if (size == 0)
    fail<ShapeError>(op, ": index ", at, " at position ", index_of(index.shape(), i),
                     " is out of range for dimension ", d, ", which is empty");
  fail<ShapeError>(op, ": index ", at, " at position ", index_of(index.shape(), i),
                   " is out of range for dimension ", d, " of size ", size, "; use ", least, " to ",
                   size - 1);
}

// Row-major, and every index in [least, size).
NDArray checked(const char* op, const NDArray& index, Index least, Index size, int d) {
  if (index.dtype() != DType::Int64)
    fail<DTypeError>(op, ": the index must be Int64, got ", name(index.dtype()),
                     "; convert with .to(Int64)");
  NDArray flat = index.contiguous();
  const Index* const at = flat.data<Index>();
  for (Index i = 0; i < flat.size(); ++i)
    if (at[i] < least || at[i] >= size) [[unlikely]]
      refuse_index(op, flat, i, least, size, d);
  return flat;
}

}  // namespace

NDArray checked_index(const char* op, const NDArray& index, Index size, int d) {
  return checked(op, index, 0, size, d);
}

NDArray wrapped_index(const char* op, const NDArray& index, Index size, int d) {
  const NDArray given = checked(op, index, -size, size, d);
  NDArray wrapped = NDArray::empty(given.shape(), DType::Int64);
  std::transform(given.data<Index>(), given.data<Index>() + given.size(),
                 wrapped.mutable_data<Index>(),
                 [size](Index at) { return at < 0 ? at + size : at; });
  return wrapped;
}

}  // namespace tapehead::core
