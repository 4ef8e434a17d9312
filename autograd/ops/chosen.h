// Ops that choose elements along a dimension, and say which.
#pragma once

#include "../ops.h"

namespace tapehead {

/// choose(array, d, keepdim) gives the values and where they were. The whole gradient goes there.
/// `arguments` are what else it goes by.
template <class Choose, class... Arguments>
ValuesIndices chosen(const char* op, const Tensor& x, int d, bool keepdim, Choose choose,
                     const Arguments&... arguments) {
  Tensor indices;
  const Tensor values = record(
      op,
      [&] {
        core::ValuesIndices result = choose(x.array(), d, keepdim);
        indices = Tensor(std::move(result.indices));
        return std::move(result.values);
      },
      wrt(x, later([&] {
            return [indices = saved(indices), s = x.shape(), d, keepdim](const Tensor& g) {
              if (s.rank() == 0) return g;
              if (keepdim) return gather_backward(g, s, d, indices());
              return gather_backward(unsqueeze(g, d), s, d, unsqueeze(indices(), d));
            };
          })),
      args(d), unprinted(keepdim, arguments...));
  return {values, indices};
}

}  // namespace tapehead
