// What can be seen of a tensor, whichever library holds it.
#pragma once

#include <string>

#include "plan.h"

namespace parity {

struct Reading {
  bool defined = false;
  DType dtype = DType::Float64;
  Indices shape, strides;
  Index offset = 0;
  bool requires_grad = false;
  const void* storage = nullptr;  // the same for tensors that share memory
  Numbers values;                 // row-major

  Index rank() const { return static_cast<Index>(shape.size()); }
  Index size() const { return static_cast<Index>(values.size()); }
  bool floating() const { return tapehead::is_floating(dtype); }
  bool finite() const;
  double largest() const;   // magnitude; 0 where there is none
  double smallest() const;  // value; +inf where there is none
};

/// "(2, 3) float64 [1, 2, …]".
std::string to_string(const Reading& reading, bool with_values = true);

/// What the elements of a tensor lie like in memory.
enum class Layout {
  Contiguous,
  Offset,
  Transposed,
  Permuted,
  Sliced,
  Stepped,
  Expanded,
  Scalar,
  Empty
};
inline constexpr int layouts = 9;
const char* name(Layout layout);
Layout layout_of(const Reading& reading);

}  // namespace parity
