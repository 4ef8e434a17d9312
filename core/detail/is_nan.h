// is_nan() for elements of any dtype; whole numbers and Bool never are.
#pragma once

#include <cmath>

namespace tapehead::core {

template <class T>
bool is_nan(T value) {
  return std::isnan(static_cast<double>(value));
}

}  // namespace tapehead::core
