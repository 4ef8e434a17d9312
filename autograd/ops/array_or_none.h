// How an op hands on a tensor that may be undefined.
#pragma once

#include "../tensor.h"

namespace tapehead {

inline NDArray array_or_none(const Tensor& x) { return x.defined() ? x.array() : NDArray(); }

}  // namespace tapehead
