// The values of tensors as bytes.
#pragma once

#include <span>

#include "../../autograd/tensor.h"

namespace tapehead::io {

/// Hands f the values in row-major order, a span of bytes.
template <class F>
void with_bytes(const Tensor& tensor, F f) {
  const NDArray values = tensor.array().contiguous();
  core::dispatch(values.dtype(), [&]<class T>() {
    f(std::as_bytes(std::span(values.data<T>(), static_cast<std::size_t>(values.size()))));
  });
}

}  // namespace tapehead::io
