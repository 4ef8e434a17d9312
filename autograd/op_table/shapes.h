// What many rows share: shapes, a mask, indices, how two outputs are handed on.
#pragma once

#include "../create.h"
#include "../op_table.h"
#include "../ops.h"

namespace tapehead::op_rows {

using In = const std::vector<Tensor>&;
using Sets = std::vector<OpRow::Shapes>;

inline const Sets unary{{{2, 3}}, {{}}, {{0, 3}}, {{1, 1}}, {{3, 1, 2}}};
inline const Sets binary{{{2, 3}, {2, 3}}, {{2, 1, 3}, {4, 1}}, {{3}, {2, 3}}, {{}, {2, 3}},
                         {{}, {}},         {{0, 3}, {3}},       {{1}, {0}},    {{1, 1}, {1}}};
inline const Sets cubes{{{2, 3, 4}}, {{1, 3, 1}}, {{2, 0, 4}}};

/// Bool: true, false, false, true, …
inline Tensor every_third(const Shape& shape) {
  std::vector<double> values;
  for (Index i = 0; i < core::numel(shape); ++i) values.push_back(i % 3 == 0);
  return tensor(values, shape, Bool);
}

inline Tensor picked() { return tensor({2, 0, 2}); }
inline Tensor pair() { return tensor({2, 0}); }

inline Outputs both(const ValuesIndices& result) {
  return std::vector<Tensor>{result.values, result.indices};
}

}  // namespace tapehead::op_rows
