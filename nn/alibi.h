// ALiBi: instead of positions, a bias that lowers the score of a key by how far away it is, by
// another slope for each head (Press, Smith and Lewis, 2022).
//
//   Tensor y = attn(x, x, x, causal_mask(T), alibi_bias(8, T, T));
#pragma once

#include <vector>

#include "../autograd/tensor.h"

namespace tapehead::nn {

/// One slope a head: 2^(-8/H), 2^(-16/H), …, 2^-8 where H is a power of 2; else those of the power
/// of 2 below it, then every other one of that above, as in the paper's code. Error for H < 1,
/// MemoryError for more heads than memory has room for.
std::vector<double> alibi_slopes(Index H);
/// (1, H, Tq, Tk): minus the head's slope times the distance; the queries are the last Tq of Tk
/// positions. ShapeError for Tq below 0 or above Tk, DTypeError unless the dtype is floating.
Tensor alibi_bias(Index H, Index Tq, Index Tk, DType dtype = Float32);

}  // namespace tapehead::nn
