#include "alibi.h"

#include <cmath>

#include "../autograd/create.h"
#include "../autograd/ops.h"

namespace tapehead::nn {

std::vector<double> alibi_slopes(Index H) {
  if (H < 1) fail("alibi_slopes: expected at least 1 head, got ", H);
  Index power = 1;
  while (2 * power <= H) power *= 2;
  const auto slope = [](Index i, Index of) {
    return std::exp2(-8.0 * static_cast<double>(i) / static_cast<double>(of));
  };
  std::vector<double> slopes;
  for (Index i = 1; i <= power; ++i) slopes.push_back(slope(i, power));
  for (Index i = 1; static_cast<Index>(slopes.size()) < H; i += 2)
    slopes.push_back(slope(i, 2 * power));
  return slopes;
}

Tensor alibi_bias(Index H, Index Tq, Index Tk, DType dtype) {
  const Tensor slopes = tensor(alibi_slopes(H), {1, H, 1, 1}, dtype);
  const Tensor query = arange(Tk - Tq, Tk).view({Tq, 1}), key = arange(Tk).view({1, Tk});
  return -slopes * (query - key).abs().to(dtype);  // (1, H, Tq, Tk)
}

}  // namespace tapehead::nn
