// Random shapes and dimensions.
//
// Nearly all are legal where they are meant for. About one in fifty is not, so that refusals are
// compared too.
#pragma once

#include "plan.h"
#include "random.h"

namespace parity {

class ShapeDraw {
 public:
  explicit ShapeDraw(Random& numbers) : random(numbers) {}

  Random& random;

  bool rarely() { return random.chance(0.02); }
  Indices shape();
  Indices shape_of_rank(Index rank);
  /// A dimension of something of this rank, negative or not.
  Index dim(Index rank);
  /// Distinct dimensions, maybe none.
  Indices axes(Index rank);
  /// All dimensions in some order.
  Indices order(Index rank);
  /// A shape that broadcasts with this one.
  Indices broadcastable(const Indices& shape);
  /// A shape that this one expands to.
  Indices expanded(const Indices& shape);
  /// Another shape with as many elements.
  Indices regrouped(const Indices& shape);
};

/// The number of elements.
std::size_t count_of(const Indices& shape);

}  // namespace parity
