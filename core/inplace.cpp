// What changes an array in place.
#include "detail/inplace.h"

#include "detail/pick.h"
#include "elementwise.h"
#include "kernels/dispatch.h"

namespace tapehead::core {
namespace {

// One past the last byte an array reaches, and the first.
struct Extent {
  const std::byte *begin, *end;
};
Extent extent(const NDArray& x) {
  Index last = 0;
  for (int d = 0; d < x.rank(); ++d) last += x.strides()[d] * (x.shape()[d] - 1);
  const std::byte* const begin = first_byte(x);
  return {begin, begin + (last + 1) * size_of(x.dtype())};
}

bool same_view(const NDArray& a, const NDArray& b) {
  return a.offset() == b.offset() && a.dtype() == b.dtype() && a.shape() == b.shape() &&
         a.strides() == b.strides();
}

// target = kernel(target, other).
void update(const char* writer, NDArray& target, const NDArray& other, RowKernel kernel) {
  check_target(writer, target);
  const NDArray b = readable(target, other);
  const Operand from = operand(writer, b, target.shape());
  const Operand to = written(writer, target);
  for_rows(kernel, target.shape(), std::array{to, to, from});
}
template <class T>
void update(const char* writer, NDArray& target, T number, RowKernel kernel) {
  check_target(writer, target);
  const Operand to = written(writer, target);
  for_rows(kernel, target.shape(), std::array{to, to, operand(number, target.shape())});
}

template <class Pick>
void numeric(const char* writer, NDArray& target, const NDArray& b, Pick pick) {
  check_same(writer, target.dtype(), b.dtype(), target.dtype());
  dispatch_numeric(writer, target.dtype(), [&]<class T>() {
    update(writer, target, b, pick(kernels::kernels<kernels::NumericKernels<T>>()));
  });
}
template <class Pick>
void numeric(const char* writer, NDArray& target, Scalar b, Pick pick) {
  dispatch_numeric(writer, target.dtype(), [&]<class T>() {
    update(writer, target, b.to<T>(writer), pick(kernels::kernels<kernels::NumericKernels<T>>()));
  });
}

}  // namespace

void check_target(const char* op, const NDArray& target) {
  if (target.overlaps_itself()) [[unlikely]]
    fail<ShapeError>(op, ": elements of the target, of shape ", target.shape(), " and strides ",
                     target.strides(), ", share memory; clone() it first");
}

NDArray apart(const NDArray& target, const NDArray& source) {
  if (!source.shares_storage_with(target) || source.size() == 0 || target.size() == 0)
    return source;
  const auto [begin, end] = extent(target);
  const auto [from, to] = extent(source);
  return to <= begin || end <= from ? source : copy(source);
}
NDArray readable(const NDArray& target, const NDArray& source) {
  return same_view(source, target) ? source : apart(target, source);
}

Operand written(const char* writer, NDArray& target) {
  target.mutable_data<std::byte>(writer);
  return {first_byte(target), size_of(target.dtype()), target.strides()};
}

void add_(NDArray& target, const NDArray& b, Scalar alpha, const char* writer) {
  if (alpha.real() == 1) return numeric(writer, target, b, plus);
  check_same(writer, target.dtype(), b.dtype(), target.dtype());
  dispatch_numeric(writer, target.dtype(), [&]<class T>() {
    T factor = alpha.to<T>(writer);
    check_target(writer, target);
    const NDArray term = readable(target, b);
    const Operand from = operand(writer, term, target.shape());
    const Operand to = written(writer, target);
    for_rows(kernels::kernels<kernels::NumericKernels<T>>().add_scaled, target.shape(),
             std::array{to, to, from, operand(factor, target.shape())});
  });
}
void sub_(NDArray& target, const NDArray& b, const char* writer) {
  numeric(writer, target, b, minus);
}
void mul_(NDArray& target, const NDArray& b, const char* writer) {
  numeric(writer, target, b, times);
}
void add_(NDArray& target, Scalar b, const char* writer) { numeric(writer, target, b, plus); }
void mul_(NDArray& target, Scalar b, const char* writer) { numeric(writer, target, b, times); }

void div_(NDArray& target, const NDArray& b, const char* writer) {
  check_same(writer, target.dtype(), b.dtype(), target.dtype());
  must_divide(writer, target.dtype());
  dispatch_floating(writer, target.dtype(), [&]<class T>() {
    update(writer, target, b, kernels::kernels<kernels::RealKernels<T>>().div);
  });
}
void div_(NDArray& target, Scalar b, const char* writer) {
  must_divide(writer, target.dtype());
  dispatch_floating(writer, target.dtype(), [&]<class T>() {
    update(writer, target, b.to<T>(writer), kernels::kernels<kernels::RealKernels<T>>().div);
  });
}

void copy_(NDArray& target, const NDArray& source, const char* writer) {
  check_target(writer, target);
  const NDArray from = readable(target, source);
  const Operand in = operand(writer, from, target.shape());
  for_rows(cast_kernel(target.dtype(), from.dtype()), target.shape(),
           std::array{written(writer, target), in});
}
void fill_(NDArray& target, Scalar value, const char* writer) {
  check_target(writer, target);
  dispatch(target.dtype(), [&]<class T>() {
    T number = value.stored<T>(writer);
    const Operand to = written(writer, target);
    for_rows(cast_kernel(target.dtype(), target.dtype()), target.shape(),
             std::array{to, operand(number, target.shape())});
  });
}
void masked_fill_(NDArray& target, const NDArray& given, Scalar value, const char* writer) {
  must_be_bool(writer, given);
  check_target(writer, target);
  const NDArray mask = readable(target, given);
  const Operand condition = operand(writer, mask, target.shape());
  dispatch(target.dtype(), [&]<class T>() {
    T number = value.stored<T>(writer);
    const Operand to = written(writer, target);
    for_rows(kernels::kernels<kernels::AnyKernels<T>>().where, target.shape(),
             std::array{to, condition, operand(number, target.shape()), to});
  });
}

}  // namespace tapehead::core
