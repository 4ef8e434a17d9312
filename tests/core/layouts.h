// One array in every layout a view can have, and a reader that knows nothing but indices and
// strides: what the kernels are held against.
#pragma once

#include <tapehead/core/elementwise.h>

#include <string>
#include <vector>

namespace tapehead::core {

/// Where element `flat` (counted in row-major order) lies, in elements from the first.
inline Index position(const NDArray& x, Index flat) {
  Index at = 0;
  for (int d = x.rank(); d-- > 0; flat /= x.shape()[d]) at += flat % x.shape()[d] * x.strides()[d];
  return at;
}

template <class T = double>
T element(const NDArray& x, Index flat) {
  return dispatch(x.dtype(),
                  [&]<class U>() { return static_cast<T>(x.data<U>()[position(x, flat)]); });
}

template <class T = double>
std::vector<T> elements(const NDArray& x) {
  std::vector<T> result;
  for (Index i = 0; i < x.size(); ++i) result.push_back(element<T>(x, i));
  return result;
}

/// Writes x's values into `view`, which has its shape.
inline NDArray filled(NDArray view, const NDArray& x) {
  dispatch(x.dtype(), [&]<class T>() {
    T* to = view.mutable_data<T>();
    for (Index i = 0; i < x.size(); ++i) to[position(view, i)] = element<T>(x, i);
  });
  return view;
}

/// 0, 1, 2, … in row-major order.
inline NDArray counted(const Shape& shape, DType dtype = DType::Float32) {
  std::vector<double> values;
  for (Index i = 0; i < numel(shape); ++i) values.push_back(static_cast<double>(i));
  return NDArray::of(values, shape, dtype);
}

struct Layout {
  std::string name;
  NDArray array;
};

/// x row-major; with its dimensions reversed in memory; cut out of a larger array; every second
/// element of one; and with its last two dimensions swapped in memory.
inline std::vector<Layout> layouts(const NDArray& x) {
  Shape reversed, larger, doubled;
  Dims order;
  for (int d = x.rank(); d-- > 0;) reversed.push_back(x.shape()[d]), order.push_back(d);
  for (const Index size : x.shape()) larger.push_back(size + 3), doubled.push_back(size * 2);
  NDArray cut = NDArray::full(larger, 77, x.dtype()),
          stepped = NDArray::full(doubled, 77, x.dtype());
  for (int d = 0; d < x.rank(); ++d) {
    cut = cut.narrow(d, -2 - x.shape()[d], x.shape()[d]);
    stepped = stepped.slice(d, 1, x.shape()[d] * 2, 2);
  }
  std::vector<Layout> result{
      {"row-major", filled(NDArray::empty(x.shape(), x.dtype()), x)},
      {"reversed", filled(NDArray::empty(reversed, x.dtype()).permute(order), x)},
      {"cut out", filled(cut, x)},
      {"every second", filled(stepped, x)}};
  if (x.rank() >= 2) {
    Shape swapped = x.shape();
    std::swap(swapped[-1], swapped[-2]);
    result.push_back(
        {"last two swapped", filled(NDArray::empty(swapped, x.dtype()).transpose(-1, -2), x)});
  }
  return result;
}

/// Numbers that are all different, go from low to high and are in no order.
inline NDArray scattered(const Shape& shape, DType dtype, double low = -3, double high = 3) {
  std::vector<double> values;
  const Index n = numel(shape);
  for (Index i = 0; i < n; ++i) {
    const double at = static_cast<double>((i * 7919 + 13) % 10007) / 10007;
    values.push_back(low + at * (high - low));
  }
  return NDArray::of(values, shape, dtype);
}

/// Shapes that have found bugs: no dimension, one, none left, some of size 1, odd sizes.
inline std::vector<Shape> awkward_shapes() {
  return {{}, {1}, {0}, {3, 0, 2}, {5}, {1, 4, 1}, {2, 3, 4}, {3, 1, 5, 2}, {33, 17}};
}

/// One large enough for several threads.
inline Shape large_shape() { return {3, 65, 180}; }

}  // namespace tapehead::core
