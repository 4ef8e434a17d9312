#include "shape_draw.h"

#include <numeric>

namespace parity {

std::size_t count_of(const Indices& shape) {
  std::size_t count = 1;
  for (const Index size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

Indices ShapeDraw::shape() {
  static const std::vector<Index> ranks{0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4};
  return shape_of_rank(random.pick(ranks));
}

Indices ShapeDraw::shape_of_rank(Index rank) {
  static const std::vector<Index> sizes{1, 2, 2, 3, 3, 3, 4, 5};
  Indices shape;
  for (Index d = 0; d < rank; ++d) shape.push_back(rarely() ? 0 : random.pick(sizes));
  return shape;
}

Index ShapeDraw::dim(Index rank) {
  if (rarely()) return rank + random.between(0, 1);
  if (rank == 0) return random.between(-1, 0);
  return random.between(-rank, rank - 1);
}

Indices ShapeDraw::axes(Index rank) {
  Indices all;
  for (Index d = 0; d < rank; ++d)
    if (random.chance(0.5)) all.push_back(random.chance(0.5) ? d : d - rank);
  if (rarely()) all.push_back(dim(rank));
  return all;
}

Indices ShapeDraw::order(Index rank) {
  Indices all(static_cast<std::size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[static_cast<std::size_t>(random.below(static_cast<Index>(i)))]);
  return all;
}

Indices ShapeDraw::broadcastable(const Indices& from) {
  Indices shape = from;
  if (random.chance(0.4)) return shape;
  for (Index& size : shape)
    if (random.chance(0.3)) size = size == 1 ? random.between(1, 3) : 1;
  if (rarely() && !shape.empty()) shape.back() += 2;
  if (random.chance(0.4)) {
    const auto dropped = random.below(static_cast<Index>(shape.size()) + 1);
    shape.erase(shape.begin(), shape.begin() + dropped);
  } else if (shape.size() < 4 && random.chance(0.2)) {
    shape.insert(shape.begin(), random.between(1, 3));
  }
  return shape;
}

Indices ShapeDraw::expanded(const Indices& from) {
  Indices shape = from;
  for (Index& size : shape) {
    if (size == 1 && random.chance(0.7))
      size = random.between(1, 4);
    else if (random.chance(0.2))
      size = -1;
    else if (rarely())
      size += 1;
  }
  if (shape.size() < 5 && random.chance(0.4))
    shape.insert(shape.begin(), rarely() ? -1 : random.between(1, 3));
  return shape;
}

Indices ShapeDraw::regrouped(const Indices& from) {
  const Index count = static_cast<Index>(count_of(from));
  Indices shape;
  if (count == 0) {
    shape = {0};
  } else {
    for (Index rest = count; rest > 1;) {
      Indices divisors;
      for (Index d = 1; d <= rest; ++d)
        if (rest % d == 0 && (d > 1 || random.chance(0.3))) divisors.push_back(d);
      const Index size = shape.size() < 4 ? random.pick(divisors) : rest;
      shape.push_back(size), rest /= size;
    }
  }
  if (shape.size() < 5 && random.chance(0.3))
    shape.insert(shape.begin() + random.below(static_cast<Index>(shape.size()) + 1), 1);
  if (!shape.empty() && random.chance(0.3)) random.pick(shape), shape[0] = -1;
  if (rarely()) shape.push_back(2);
  return shape;
}

}  // namespace parity
