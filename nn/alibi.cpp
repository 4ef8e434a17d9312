#include "alibi.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../autograd/create.h"
#include "../autograd/ops.h"
#include "../core/memory.h"

namespace tapehead::nn {

std::vector<double> alibi_slopes(Index H) {
  if (H < 1) fail("alibi_slopes: expected at least 1 head, got ", H);
  constexpr Index each = sizeof(double), most = std::numeric_limits<Index>::max() / each;
  core::check_budget(static_cast<std::uint64_t>(std::min(H, most) * each),
                     [&](std::ostream& out) { out << "alibi_slopes of " << H << " heads"; });
  Index power = 1;
  while (power <= H / 2) power *= 2;
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
  core::check_floating("alibi_bias", dtype);
  if (Tq < 0 || Tk < Tq)
    fail<ShapeError>("alibi_bias: expected 0 queries or more and at least as many keys, got ", Tq,
                     " and ", Tk);
  const Tensor slopes = tensor(alibi_slopes(H), {1, H, 1, 1}, dtype);
  const Tensor query = arange(Tk - Tq, Tk).view({Tq, 1}), key = arange(Tk).view({1, Tk});
  return -slopes * (query - key).abs().to(dtype);  // (1, H, Tq, Tk)
}

}  // namespace tapehead::nn
