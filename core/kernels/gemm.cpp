// C = A B after Goto and van de Geijn (2008): k is cut into blocks, of which a block of B, packed
// into strips two vectors wide, meets blocks of A, packed into strips as high as the tile. Where
// packing would not pay, strips are read in place.
//
// Every element of C is the sum of its products in order, cut at multiples of `depth`: whatever the
// tile, the block or the thread, its bits are the same.
#include "gemm.h"

#include "gemm_dot.h"
#include "gemm_pack.h"
#include "gemm_tile.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

inline constexpr Index depth = 256;
inline constexpr Index block_rows = 192;  // of A
template <class T>
inline constexpr Index block_columns = 2048 / sizeof(T);  // of B
template <class T>
inline constexpr Index strip_columns = 2 * width<T>;

inline Index rounded_up(Index n, Index to) { return (n + to - 1) / to * to; }

/// The tile has instances for these heights only.
inline Index strip_rows(Index left) {
  return left >= tile_rows ? tile_rows : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

template <class T>
inline bool packs_a(Index n) {
  return n >= 8 * strip_columns<T>;
}
template <class T>
inline bool packs_b(Index m, Index k, Index b_row, Index b_col) {
  return b_col != 1 || (m >= 4 * tile_rows && k * b_row * Index{sizeof(T)} > (32 << 10));
}

template <class T>
Index packed_size(Index m, Index n, Index k) {
  const Index columns = rounded_up(smaller(n, block_columns<T>), strip_columns<T>);
  return smaller(k, depth) * (columns + (packs_a<T>(n) ? smaller(m, block_rows) : 0));
}
template <class T>
Index workspace(Index m, Index n, Index k) {
  const Index size = packed_size<T>(m, n, k), turned = n == 1 ? packed_size<T>(1, m, k) : 0;
  return size > turned ? size : turned;
}

template <class T>
struct Strip {
  const T* data;
  Index lane, step;
};

template <int R, int N, class T>
[[gnu::noinline]] void tile(Index k, Strip<T> a, Strip<T> b, T* c, Index c_row, Index columns,
                            bool accumulate) {
  Vec<T> sums[R][N];
  if (a.lane == 1 && a.step == R)
    multiply_tile<R, N, T>(k, {a.data, 1, R, b.data, b.step}, sums);
  else
    multiply_tile<R, N, T>(k, {a.data, a.lane, a.step, b.data, b.step}, sums);
  store_tile<R, N, T>(sums, c, c_row, columns, accumulate);
}

template <int R, class T>
void tile_of(Index k, Strip<T> a, Strip<T> b, T* c, Index c_row, Index columns, bool accumulate) {
  if (columns > width<T>)
    tile<R, 2>(k, a, b, c, c_row, columns, accumulate);
  else
    tile<R, 1>(k, a, b, c, c_row, columns, accumulate);
}

template <class T>
void tile_of(Index rows, Index k, Strip<T> a, Strip<T> b, T* c, Index c_row, Index columns,
             bool accumulate) {
  if (rows == tile_rows) return tile_of<tile_rows>(k, a, b, c, c_row, columns, accumulate);
  if constexpr (tile_rows > 8)
    if (rows == 8) return tile_of<8>(k, a, b, c, c_row, columns, accumulate);
  if constexpr (tile_rows > 4)
    if (rows == 4) return tile_of<4>(k, a, b, c, c_row, columns, accumulate);
  if (rows == 2) return tile_of<2>(k, a, b, c, c_row, columns, accumulate);
  tile_of<1>(k, a, b, c, c_row, columns, accumulate);
}

/// Strip j … of B (k, n), packed behind `packed` unless it can be read where it is.
template <class T>
Strip<T> strip_of_b(const Product<T>& p, Index j, const T* packed, bool pack) {
  if (!pack && p.n - j >= strip_columns<T>) return {p.b + j, 1, p.b_row};
  return {packed + j * p.k, 1, p.n - j > width<T> ? strip_columns<T> : width<T>};
}

template <class T>
void pack_b(const Product<T>& p, T* to, bool all) {
  const Index whole = p.n / strip_columns<T> * strip_columns<T>;
  for (Index j = all ? 0 : whole; j < p.n; j += strip_columns<T>) {
    const Index count = smaller(strip_columns<T>, p.n - j);
    pack(to + j * p.k, count > width<T> ? 2 * width<T> : width<T>, count, p.k, p.b + j * p.b_col,
         p.b_col, p.b_row);
  }
}

template <class T>
void pack_a(const Product<T>& p, T* to) {
  for (Index i = 0; i < p.m; i += strip_rows(p.m - i)) {
    const Index rows = strip_rows(p.m - i);
    pack(to + i * p.k, rows, rows, p.k, p.a + i * p.a_row, p.a_row, p.a_col);
  }
}

/// A block of A times a block of B.
template <class T>
void multiply_block(const Product<T>& p, const T* packed_a, const T* packed_b, bool all_b) {
  for (Index j = 0; j < p.n; j += strip_columns<T>) {
    const Strip<T> b = strip_of_b(p, j, packed_b, all_b);
    for (Index i = 0, rows = 0; i < p.m; i += rows) {
      rows = strip_rows(p.m - i);
      const Strip<T> a = packed_a ? Strip<T>{packed_a + i * p.k, 1, rows}
                                  : Strip<T>{p.a + i * p.a_row, p.a_row, p.a_col};
      tile_of(rows, p.k, a, b, p.c + i * p.c_row + j, p.c_row, smaller(strip_columns<T>, p.n - j),
              p.accumulate);
    }
  }
}

/// The part of p with rows from i, columns from j and products from l.
template <class T>
Product<T> part(const Product<T>& p, Index i, Index j, Index l) {
  return {smaller(p.m - i, block_rows),
          smaller(p.n - j, block_columns<T>),
          smaller(p.k - l, depth),
          p.a + i * p.a_row + l * p.a_col,
          p.a_row,
          p.a_col,
          p.b + l * p.b_row + j * p.b_col,
          p.b_row,
          p.b_col,
          p.c + i * p.c_row + j,
          p.c_row,
          p.accumulate || l > 0};
}

template <class T>
void clear(const Product<T>& p) {
  for (Index i = 0; i < p.m; ++i)
    for (Index j = 0; j < p.n; ++j) p.c[i * p.c_row + j] = 0;
}

template <class T>
void gemm(const Product<T>& p, T* workspace) {
  if (p.k == 0 && !p.accumulate) return clear(p);
  if (p.n == 1 && p.c_row == 1 && p.m > 1)  // (A b)^T = b^T A^T
    return gemm<T>(
        {1, p.m, p.k, p.b, p.b_col, p.b_row, p.a, p.a_col, p.a_row, p.c, p.m, p.accumulate},
        workspace);
  if (p.m <= dot_rows && p.a_col == 1 && p.b_row == 1 && p.k >= 16) return multiply_dots(p);
  const bool all_a = packs_a<T>(p.n), all_b = packs_b<T>(p.m, p.k, p.b_row, p.b_col);
  T* const packed_b = workspace;
  T* const packed_a = workspace + smaller(p.k, depth) *
                                      rounded_up(smaller(p.n, block_columns<T>), strip_columns<T>);
  for (Index l = 0; l < p.k; l += depth)
    for (Index j = 0; j < p.n; j += block_columns<T>) {
      pack_b(part(p, 0, j, l), packed_b, all_b);
      for (Index i = 0; i < p.m; i += block_rows) {
        const Product<T> block = part(p, i, j, l);
        if (all_a) pack_a(block, packed_a);
        multiply_block(block, all_a ? packed_a : nullptr, packed_b, all_b);
      }
    }
}

}  // namespace
}  // namespace TAPEHEAD_ISA

template <class T>
template <Isa>
const GemmKernels<T>& GemmKernels<T>::of() {
  static constexpr GemmKernels table{TAPEHEAD_ISA::workspace<T>, TAPEHEAD_ISA::gemm<T>};
  return table;
}
template const GemmKernels<float>& GemmKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const GemmKernels<double>& GemmKernels<double>::of<Isa::TAPEHEAD_ISA>();

}  // namespace tapehead::core::kernels
