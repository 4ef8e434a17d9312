// Scratch memory of a kernel, from the pool.
#pragma once

#include "../memory.h"

namespace tapehead::core {

/// `count` uninitialised T, 64-byte aligned, given back at the end of the scope.
template <class T>
class Workspace {
 public:
  explicit Workspace(std::int64_t count)
      : bytes_(static_cast<std::uint64_t>(count) * sizeof(T)),
        data_(static_cast<T*>(allocate(bytes_))) {}
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() { deallocate(data_, bytes_); }

  T* data() const { return data_; }

 private:
  std::uint64_t bytes_;
  T* data_;
};

}  // namespace tapehead::core
