#include "rows.h"

#include <cstring>

#include "../kernels/dispatch.h"
#include "parallel.h"

namespace tapehead::core {
namespace {

using Offsets = std::array<Index, max_operands>;
using Pointers = std::array<std::byte*, max_operands>;

// Dimensions from the innermost out; sizes[0] is the length of a row. What is beyond `rank` and
// `operands` is not set: this is made for every small array too.
struct Rows {
  std::size_t operands, rank;
  std::array<Index, Dims::max_rank> sizes;
  std::array<Offsets, Dims::max_rank> strides;
  Pointers data;
  Offsets item;
  bool neighbours;  // in every operand's row

  // Whether dimension d of the shape continues the outermost one so far, in every operand.
  bool continues(std::span<const Operand> all, int d) const {
    if (rank == 0) return false;
    for (std::size_t i = 0; i < operands; ++i)
      if (all[i].strides[d] != strides[rank - 1][i] * sizes[rank - 1]) return false;
    return true;
  }
  void push(std::span<const Operand> all, int d, Index size) {
    sizes[rank] = size;
    for (std::size_t i = 0; i < operands; ++i) strides[rank][i] = all[i].strides[d];
    ++rank;
  }
  void move(Pointers& at, std::size_t d, Index by) const {
    for (std::size_t i = 0; i < operands; ++i) at[i] += by * strides[d][i] * item[i];
  }
};

// n elements of the size of Bits, whatever they are: from `from`, where they are `step` elements
// apart, to `to`, where they are neighbours.
template <class Bits>
void gather(Index n, std::byte* __restrict to, const std::byte* __restrict from, Index step) {
  constexpr Index size{sizeof(Bits)};
  Bits x;
  std::memcpy(&x, from, sizeof x);
  for (Index i = 0; i < n; ++i) {
    if (step != 0) std::memcpy(&x, from + i * step * size, sizeof x);
    std::memcpy(to + i * size, &x, sizeof x);
  }
}
// The way back.
template <class Bits>
void scatter(Index n, std::byte* __restrict to, const std::byte* __restrict from, Index step) {
  constexpr Index size{sizeof(Bits)};
  for (Index i = 0; i < n; ++i) std::memcpy(to + i * step * size, from + i * size, sizeof(Bits));
}

struct Moves {
  void (*gather)(Index n, std::byte* to, const std::byte* from, Index step);
  void (*scatter)(Index n, std::byte* to, const std::byte* from, Index step);
};
template <class Bits>
constexpr Moves moves_of{gather<Bits>, scatter<Bits>};
const Moves& moves(Index item) {
  if (item == 8) return moves_of<std::uint64_t>;
  return item == 4 ? moves_of<std::uint32_t> : moves_of<std::uint8_t>;
}

// Elements that lie apart are brought together, so many at a time; a number that all share, once.
void run_apart(RowKernel kernel, Index n, std::span<std::byte* const> data, const Index* items,
               const Index* steps) {
  constexpr Index piece = 256;
  struct alignas(64) Room {
    std::array<std::byte, piece * sizeof(double)> bytes;
  };
  std::array<Room, max_operands> rooms;  // NOLINT: what is read has been written
  for (Index start = 0; start < n; start += piece) {
    const Index m = std::min(piece, n - start);
    Pointers at;
    for (std::size_t i = 0; i < data.size(); ++i) {
      std::byte* const from = data[i] + start * steps[i] * items[i];
      at[i] = steps[i] == 1 ? from : rooms[i].bytes.data();
      if (i > 0 && steps[i] != 1 && (steps[i] != 0 || start == 0))
        moves(items[i]).gather(m, at[i], from, steps[i]);
    }
    kernel(m, at.data());
    if (steps[0] != 1)
      moves(items[0]).scatter(m, data[0] + start * steps[0] * items[0], at[0], steps[0]);
  }
}

bool are_neighbours(const Index* steps, std::size_t operands) {
  return std::all_of(steps, steps + operands, [](Index step) { return step == 1; });
}

Rows merged(const Shape& shape, std::span<const Operand> all) {
  Rows rows;
  rows.operands = all.size(), rows.rank = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    rows.data[i] = all[i].data;
    rows.item[i] = all[i].item;
  }
  for (int d = shape.rank(); d-- > 0;) {
    if (shape[d] == 1) continue;
    if (rows.continues(all, d))
      rows.sizes[rows.rank - 1] *= shape[d];
    else
      rows.push(all, d, shape[d]);
  }
  if (rows.rank == 0) {
    rows.rank = 1, rows.sizes[0] = 1;
    rows.strides[0].fill(1);
  }
  rows.neighbours = are_neighbours(rows.strides[0].data(), rows.operands);
  return rows;
}

void run(RowKernel kernel, const Rows& rows, Index n, const Pointers& data) {
  if (rows.neighbours) return kernel(n, data.data());
  run_apart(kernel, n, std::span(data).first(rows.operands), rows.item.data(),
            rows.strides[0].data());
}

// Elements first..last-1 in row-major order: rows, of which the two at the ends may be cut.
void walk(RowKernel kernel, const Rows& rows, Index first, Index last) {
  std::array<Index, Dims::max_rank> at{};
  Pointers data = rows.data;
  for (std::size_t d = 0, rest = static_cast<std::size_t>(first); rest > 0; ++d) {
    const auto size = static_cast<std::size_t>(rows.sizes[d]);
    at[d] = static_cast<Index>(rest % size);
    rows.move(data, d, at[d]);
    rest /= size;
  }
  while (first < last) {
    const Index n = std::min(rows.sizes[0] - at[0], last - first);
    run(kernel, rows, n, data);
    first += n;
    rows.move(data, 0, -at[0]);
    at[0] = 0;
    for (std::size_t d = 1; d < rows.rank; ++d) {
      rows.move(data, d, 1);
      if (++at[d] < rows.sizes[d]) break;
      rows.move(data, d, -rows.sizes[d]);
      at[d] = 0;
    }
  }
}

// A row of one operand may run across the memory of another, as in a transposition: every element
// then costs a cache line of which nothing else is used. Such arrays are walked in tiles of rows
// and the dimension that runs along memory. 0 where there is none.
constexpr Index tile_rows = 32, tile_length = 64;
std::size_t across(const Rows& rows) {
  if (rows.sizes[0] < tile_rows) return 0;
  for (std::size_t i = 0; i < rows.operands; ++i)
    for (std::size_t d = 1; d < rows.rank; ++d)
      if (rows.strides[d][i] == 1 && rows.strides[0][i] > 1 && rows.sizes[d] >= tile_rows) return d;
  return 0;
}

// Tiles first..last-1 of `tile_rows` along dimension c and all of dimension 0.
void walk_tiles(RowKernel kernel, const Rows& rows, std::size_t c, Index first, Index last) {
  const Index per_plane = (rows.sizes[c] + tile_rows - 1) / tile_rows;
  for (Index tile = first; tile < last; ++tile) {
    Pointers plane = rows.data;
    Index rest = tile / per_plane;
    for (std::size_t d = 1; d < rows.rank; ++d) {
      if (d == c) continue;
      rows.move(plane, d, rest % rows.sizes[d]);
      rest /= rows.sizes[d];
    }
    const Index begin = tile % per_plane * tile_rows,
                end = std::min(begin + tile_rows, rows.sizes[c]);
    for (Index i = 0; i < rows.sizes[0]; i += tile_length)
      for (Index r = begin; r < end; ++r) {
        Pointers data = plane;
        rows.move(data, 0, i);
        rows.move(data, c, r);
        run(kernel, rows, std::min(tile_length, rows.sizes[0] - i), data);
      }
  }
}

}  // namespace

void run_row(RowKernel kernel, Index n, std::span<std::byte* const> data, const Index* items,
             const Index* steps) {
  if (n == 1 || are_neighbours(steps, data.size())) return kernel(n, data.data());
  run_apart(kernel, n, data, items, steps);
}

void for_rows(RowKernel kernel, const Shape& shape, std::span<const Operand> operands) {
  const Index total = numel(shape);
  if (total == 0) return;
  const Rows rows = merged(shape, operands);
  if (const std::size_t c = across(rows)) {
    const Index tiles =
        total / rows.sizes[0] / rows.sizes[c] * ((rows.sizes[c] + tile_rows - 1) / tile_rows);
    return parallel_for(tiles, grain_for(tile_rows * rows.sizes[0]),
                        [&](Index first, Index last) { walk_tiles(kernel, rows, c, first, last); });
  }
  parallel_for(total, grain_for(1),
               [&](Index first, Index last) { walk(kernel, rows, first, last); });
}

void must_be_bool(const char* op, const NDArray& x) {
  if (x.dtype() != DType::Bool) [[unlikely]]
    fail<DTypeError>(op, ": expected Bool, got ", name(x.dtype()), "; convert with .to(Bool)");
}

void must_divide(const char* op, DType dtype) {
  if (dtype == DType::Int64) [[unlikely]]
    fail<DTypeError>(op, ": Int64 / Int64 has no Int64 result; convert with .to(Float32) first");
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
