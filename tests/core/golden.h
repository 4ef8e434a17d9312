// Reading the lines of tests/goldens/core/*.txt: "Float32 [2 3] …".
#pragma once

#include <doctest/doctest.h>
#include <tapehead/core/ndarray.h>

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
