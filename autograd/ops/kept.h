// What remains of a shape that is reduced.
#pragma once

#include "../tensor.h"

namespace tapehead {

/// `shape` with 1 where it is reduced: what keepdim gives. ShapeError for axes that it lacks.
inline Shape kept(const char* op, Shape shape, const Axes& axes) {
  if (axes.rank() == 0) return Shape::filled(shape.rank(), 1);
  for (const Index axis : axes)
    if (const int d = core::dim_if_any(op, axis, shape.rank()); shape.rank()) shape[d] = 1;
  return shape;
}

}  // namespace tapehead
