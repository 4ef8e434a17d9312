// What all fuzzers share: the bytes as a file in memory, and a look at every value that is read.
#pragma once

#include <tapehead/autograd/tensor.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "../support/memory_file.h"

namespace tapehead::testing {

/// Reads every value, where a sanitizer sees it; aborts where there are others than the shape has.
inline void touch(const Tensor& x) {
  const NDArray values = x.array().contiguous();
  volatile double sum = 0;
  core::dispatch(values.dtype(), [&]<class T>() {
    for (Index i = 0; i < values.size(); ++i) sum = sum + static_cast<double>(values.data<T>()[i]);
  });
  if (values.size() != core::numel(x.shape())) std::abort();
}
inline void touch(const NamedTensors& tensors) {
  for (const auto& [name, x] : tensors) touch(x);
}

/// One run: read(path) gives something for `look`, or refuses as readers promise: with an IoError,
/// or for want of memory. Any other error is a finding.
template <class Reader, class Look>
int fuzz(const std::uint8_t* data, std::size_t size, Reader read, Look look) {
  core::set_memory_limit(std::uint64_t{64} << 20);
  static const MemoryFile file;
  file.fill(data, size);
  try {
    look(read(file.path()));
  } catch (const IoError&) {
  } catch (const MemoryError&) {
  }
  return 0;
}

}  // namespace tapehead::testing
