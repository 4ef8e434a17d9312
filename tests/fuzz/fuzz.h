// What all fuzzers share: the bytes as a file in memory, and a look at every value that is read.
#pragma once

#include <sys/mman.h>
#include <tapehead/autograd/tensor.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace tapehead::testing {

/// A file that is in memory alone, and its path.
inline int memory_file() {
  static const int descriptor = memfd_create("fuzz", 0);
  return descriptor;
}
inline std::string memory_path() { return "/proc/self/fd/" + std::to_string(memory_file()); }

inline void fill_memory_file(const std::uint8_t* data, std::size_t size) {
  const auto bytes = static_cast<ssize_t>(size);
  if (ftruncate(memory_file(), 0) != 0 || pwrite(memory_file(), data, size, 0) != bytes)
    std::abort();
}

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

/// One run: read(path) gives something for `look`, or refuses.
template <class Reader, class Look>
int fuzz(const std::uint8_t* data, std::size_t size, Reader read, Look look) {
  core::set_memory_limit(std::uint64_t{64} << 20);
  fill_memory_file(data, size);
  try {
    look(read(memory_path()));
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace tapehead::testing
