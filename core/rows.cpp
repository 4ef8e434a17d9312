#include "rows.h"

#include "parallel.h"

namespace tapehead::core {
namespace {

// Dimensions from the innermost out; sizes[0] is the length of a row.
struct Rows {
  std::size_t operands;
  int rank = 0;
  std::array<Index, Dims::max_rank> sizes{};
  std::array<std::array<Index, max_operands>, Dims::max_rank> strides{};
  std::array<std::byte*, max_operands> data{};
  std::array<Index, max_operands> item{};

  // Whether dimension d of the shape continues the outermost one so far, in every operand.
  bool continues(std::span<const Operand> all, int d) const {
    if (rank == 0) return false;
    const auto outer = static_cast<std::size_t>(rank - 1);
    for (std::size_t i = 0; i < operands; ++i)
      if (all[i].strides[d] != strides.at(outer).at(i) * sizes.at(outer)) return false;
    return true;
  }
  void push(std::span<const Operand> all, int d, Index size) {
    const auto next = static_cast<std::size_t>(rank++);
    sizes.at(next) = size;
    for (std::size_t i = 0; i < operands; ++i) strides.at(next).at(i) = all[i].strides[d];
  }
};

Rows merged(const Shape& shape, std::span<const Operand> all) {
  Rows rows{.operands = all.size()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    rows.data.at(i) = all[i].data;
    rows.item.at(i) = all[i].item;
  }
  for (int d = shape.rank(); d-- > 0;) {
    if (shape[d] == 1) continue;
    if (rows.continues(all, d))
      rows.sizes.at(static_cast<std::size_t>(rows.rank - 1)) *= shape[d];
    else
      rows.push(all, d, shape[d]);
  }
  if (rows.rank == 0) rows.rank = 1, rows.sizes[0] = 1;
  return rows;
}

// Elements first..last-1 in row-major order: rows, of which the two at the ends may be cut.
void walk(RowKernel kernel, const Rows& rows, Index first, Index last) {
  std::array<Index, Dims::max_rank> at{};
  std::array<std::byte*, max_operands> data = rows.data;
  const auto rank = static_cast<std::size_t>(rows.rank);
  const auto move = [&](std::size_t d, Index by) {
    for (std::size_t i = 0; i < rows.operands; ++i)
      data[i] += by * rows.strides[d][i] * rows.item[i];
  };
  Index rest = first;
  for (std::size_t d = 0; d < rank; rest /= rows.sizes[d++]) {
    at[d] = rest % rows.sizes[d];
    move(d, at[d]);
  }
  while (first < last) {
    const Index n = std::min(rows.sizes[0] - at[0], last - first);
    kernel(n, data.data(), rows.strides[0].data());
    first += n;
    move(0, -at[0]);
    at[0] = 0;
    for (std::size_t d = 1; d < rank; ++d) {
      move(d, 1);
      if (++at[d] < rows.sizes[d]) break;
      move(d, -rows.sizes[d]);
      at[d] = 0;
    }
  }
}

}  // namespace

void for_rows(RowKernel kernel, const Shape& shape, std::span<const Operand> operands) {
  const Index total = numel(shape);
  if (total == 0) return;
  const Rows rows = merged(shape, operands);
  parallel_for(total, grain_for(1),
               [&](Index first, Index last) { walk(kernel, rows, first, last); });
}

void same_dtype(const char* op, const NDArray& a, const NDArray& b) {
  if (a.dtype() != b.dtype()) [[unlikely]]
    fail<DTypeError>(op, ": dtypes ", name(a.dtype()), " and ", name(b.dtype()),
                     " differ; convert one of them, for example with .to(", name(a.dtype()), ")");
}

void must_be_bool(const char* op, const NDArray& x) {
  if (x.dtype() != DType::Bool) [[unlikely]]
    fail<DTypeError>(op, ": expected Bool, got ", name(x.dtype()), "; convert with .to(Bool)");
}

void must_divide(const char* op, DType dtype) {
  if (dtype == DType::Int64) [[unlikely]]
    fail<DTypeError>(op,
                     ": Int64 / Int64 has no Int64 result; convert with .to(Float32) first, or ",
                     "use floor_divide");
}

RowKernel cast_kernel(DType to, DType from) {
  return dispatch(to, [from]<class T>() {
    const auto& table = kernels::kernels<kernels::AnyKernels<T>>();
    const std::array by_dtype{table.from_float, table.from_double, table.from_whole,
                              table.from_bool};
    return by_dtype.at(static_cast<std::size_t>(from));
  });
}

}  // namespace tapehead::core
