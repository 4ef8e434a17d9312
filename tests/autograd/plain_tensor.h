// A second opinion on views, broadcasting and reductions: tensors as plain vectors of numbers, each
// of which carries its derivative by every element of one leaf along (forward mode). No strides, no
// memory shared, no tape; every result is a fresh list in row-major order.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace tapehead::testing {

using Sizes = std::vector<std::int64_t>;

/// A number and its slopes: its derivative by each element of the leaf.
struct Number {
  double value = 0;
  std::vector<double> slopes;
};
inline Number combined(const Number& a, double by_a, const Number& b, double by_b, double value) {
  Number result{value, a.slopes};
  for (std::size_t i = 0; i < result.slopes.size(); ++i)
    result.slopes[i] = by_a * a.slopes[i] + by_b * b.slopes[i];
  return result;
}
inline Number operator+(const Number& a, const Number& b) {
  return combined(a, 1, b, 1, a.value + b.value);
}
inline Number operator*(const Number& a, const Number& b) {
  return combined(a, b.value, b, a.value, a.value * b.value);
}
inline Number sin(const Number& a) {
  return combined(a, std::cos(a.value), a, 0, std::sin(a.value));
}

/// Calls f(index) for every index into `sizes`, the last dimension fastest.
template <class F>
void each_index(const Sizes& sizes, F f) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  Sizes index(sizes.size(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    f(index);
    for (std::size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
}

struct PlainTensor {
  Sizes sizes;
  std::vector<Number> numbers;

  std::size_t rank() const { return sizes.size(); }
  std::int64_t count() const { return static_cast<std::int64_t>(numbers.size()); }
  const Number& at(const Sizes& index) const {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) place = place * sizes[d] + index[d];
    return numbers[static_cast<std::size_t>(place)];
  }
};

/// Constants.
inline PlainTensor plain(const Sizes& sizes, const std::vector<double>& values,
                         std::size_t leaf_elements) {
  PlainTensor result{sizes, {}};
  for (const double value : values)
    result.numbers.push_back({value, std::vector<double>(leaf_elements)});
  return result;
}
/// The leaf itself.
inline PlainTensor plain_leaf(const Sizes& sizes, const std::vector<double>& values) {
  PlainTensor result = plain(sizes, values, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result.numbers[i].slopes[i] = 1;
  return result;
}

/// A tensor whose element at `index` is x's at map(index).
inline PlainTensor picked(const PlainTensor& x, const Sizes& sizes,
                          const std::function<Sizes(const Sizes&)>& map) {
  PlainTensor result{sizes, {}};
  each_index(sizes, [&](const Sizes& index) { result.numbers.push_back(x.at(map(index))); });
  return result;
}
/// The same numbers under another shape.
inline PlainTensor reshaped(const PlainTensor& x, const Sizes& sizes) { return {sizes, x.numbers}; }

/// Repeats dimensions of size 1, and the whole along new leading ones.
inline PlainTensor broadcast(const PlainTensor& x, const Sizes& sizes) {
  return picked(x, sizes, [&](const Sizes& index) {
    Sizes from(index.end() - static_cast<std::ptrdiff_t>(x.rank()), index.end());
    for (std::size_t d = 0; d < from.size(); ++d)
      if (x.sizes[d] == 1) from[d] = 0;
    return from;
  });
}
/// f of every pair that broadcasting makes.
template <class F>
PlainTensor zipped(const PlainTensor& a, const PlainTensor& b, F f) {
  Sizes sizes = a.rank() >= b.rank() ? a.sizes : b.sizes;
  for (std::size_t d = 1; d <= sizes.size(); ++d) {
    const std::int64_t of_a = d <= a.rank() ? a.sizes[a.rank() - d] : 1;
    const std::int64_t of_b = d <= b.rank() ? b.sizes[b.rank() - d] : 1;
    sizes[sizes.size() - d] = of_a == 1 ? of_b : of_a;
  }
  const PlainTensor x = broadcast(a, sizes), y = broadcast(b, sizes);
  PlainTensor result{sizes, {}};
  for (std::size_t i = 0; i < x.numbers.size(); ++i)
    result.numbers.push_back(f(x.numbers[i], y.numbers[i]));
  return result;
}

/// f of the list of all numbers along the chosen dimensions, which become 1 or go.
template <class F>
PlainTensor reduced(const PlainTensor& x, const std::vector<bool>& chosen, bool keepdim, F f) {
  Sizes kept, inner, shape;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    kept.push_back(chosen[d] ? 1 : x.sizes[d]);
    inner.push_back(chosen[d] ? x.sizes[d] : 1);
    if (keepdim || !chosen[d]) shape.push_back(kept.back());
  }
  PlainTensor result{shape, {}};
  each_index(kept, [&](const Sizes& outer) {
    std::vector<Number> list;
    each_index(inner, [&](const Sizes& within) {
      Sizes index = outer;
      for (std::size_t d = 0; d < index.size(); ++d) index[d] += within[d];
      list.push_back(x.at(index));
    });
    result.numbers.push_back(f(list));
  });
  return result;
}

}  // namespace tapehead::testing
