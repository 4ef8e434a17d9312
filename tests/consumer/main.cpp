#include <tapehead/core/ndarray.h>
#include <tapehead/tapehead.h>

#include <iostream>

#include "core/ndarray.h"

int main() {
  const auto x = tapehead::core::NDArray::of({1, 2, 3, 4}, {2, 2}, tapehead::core::DType::Float64);
  std::cout << owner() << " and tapehead's " << x.transpose(0, 1).shape() << '\n';
}
