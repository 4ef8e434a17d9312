// A chain of ops on a tensor and, beside it, on plain vectors.
#pragma once

#include <tapehead/autograd/tensor.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>

#include "plain_tensor.h"

namespace tapehead::testing {

// Random numbers that are the same everywhere (splitmix64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  /// One of 0 … n-1.
  Index below(Index n) { return static_cast<Index>(next() % static_cast<std::uint64_t>(n)); }
  bool toss() { return below(2) == 1; }
  template <class List>
  auto& one_of(List& list) {
    return list[static_cast<std::size_t>(below(static_cast<Index>(list.size())))];
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

// A tensor, what it should be, and how it came about.
struct Chain {
  Tensor x;
  PlainTensor plain;
  std::size_t leaf_elements = 0;
  std::ostringstream story = {};

  int rank() const { return static_cast<int>(plain.rank()); }
  Index size(int d) const { return plain.sizes[static_cast<std::size_t>(d)]; }
};

inline Dims dims(const Sizes& sizes) { return Dims(sizes); }
// The sizes with another one for dimension d.
inline Sizes resized(const Chain& c, int d, Index size) {
  Sizes sizes = c.plain.sizes;
  sizes[static_cast<std::size_t>(d)] = size;
  return sizes;
}

inline void become(Chain& c, const Tensor& x, PlainTensor plain, const std::string& step) {
  c.x = x;
  c.plain = std::move(plain);
  c.story << " ." << step << Shape(c.plain.sizes);
}

}  // namespace tapehead::testing
