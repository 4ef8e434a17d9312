// A file that is in memory alone: as quick to write anew as a string.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>

namespace tapehead::testing {

class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("file", 0)) {}
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void fill(const void* data, std::size_t size) const {
    const auto bytes = static_cast<ssize_t>(size);
    if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, data, size, 0) != bytes) std::abort();
  }
  /// Its path, with these bytes in it.
  std::string write(const std::string& bytes) const {
    fill(bytes.data(), bytes.size());
    return path();
  }

 private:
  int descriptor_;
};

}  // namespace tapehead::testing
