// Which part of a data set is held out: decided by each element alone, so that equal ones always
// go the same way, whoever asks and in whatever order.
#pragma once

#include <vector>

#include "../core/shape.h"

namespace tapehead::data {

using core::Index;

/// True for about `tenths` of all sequences of numbers. They are scrambled into a number whose last
/// digit is as good as random (the finaliser is MurmurHash3's).
inline bool is_held_out(const std::vector<Index>& sequence, Index tenths = 1) {
  std::uint64_t scrambled = 1;
  for (const Index element : sequence)
    scrambled = (scrambled + static_cast<std::uint64_t>(element)) * 6364136223846793005u +
                1442695040888963407u;
  scrambled = (scrambled ^ (scrambled >> 33)) * 0xff51afd7ed558ccdu;
  scrambled = (scrambled ^ (scrambled >> 33)) * 0xc4ceb9fe1a85ec53u;
  return (scrambled ^ (scrambled >> 33)) % 10 < static_cast<std::uint64_t>(tenths);
}

}  // namespace tapehead::data
