// Reading the lines of tests/goldens/core/*.txt: "Float32 [2 3] …".
#pragma once

#include <doctest/doctest.h>
#include <tapehead/core/ndarray.h>

#include <algorithm>
#include <cstdlib>
#include <istream>
#include <string>

namespace golden {

using namespace tapehead::core;

inline DType read_dtype(std::istream& in) {
  std::string word;
  in >> word;
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Int64, DType::Bool})
    if (word == name(dtype)) return dtype;
  FAIL("no dtype is called ", word);
  return DType::Bool;
}

inline Shape read_shape(std::istream& in) {
  Shape shape;
  in.ignore(2, '[');
  for (Index size = 0; (in >> std::ws).peek() != ']' && in >> size;) shape.push_back(size);
  in.ignore();
  return shape;
}

/// An uninitialised array of `shape`: row-major, with reversed strides, or of every second column.
inline NDArray laid_out(const std::string& layout, Shape shape, DType dtype) {
  if (layout == "rows") return NDArray::empty(shape, dtype);
  if (layout == "sliced") {
    shape[-1] *= 2;
    return NDArray::empty(shape, dtype).slice(-1, 0, shape[-1], 2);
  }
  REQUIRE(layout == "reversed");
  std::reverse(&shape[0], &shape[0] + shape.rank());
  Dims order;
  for (int d = shape.rank(); d-- > 0;) order.push_back(d);
  return NDArray::empty(shape, dtype).permute(order);
}

/// The number that a word names, rounded once.
template <class T>
T number(const std::string& word) {
  if constexpr (std::is_same_v<T, float>) {
    return std::strtof(word.c_str(), nullptr);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::strtod(word.c_str(), nullptr);
  } else {
    return static_cast<T>(std::strtoll(word.c_str(), nullptr, 10));
  }
}

}  // namespace golden
