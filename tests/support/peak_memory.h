// How much memory reading a file takes, measured as the system does: the most that the process ever
// held.
#pragma once

#include <doctest/doctest.h>
#include <tapehead/core/error.h>
#include <tapehead/core/memory.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "folder.h"
#include "sanitizers.h"

namespace tapehead::testing {

inline constexpr std::uint64_t mib = 1 << 20;

// A line of /proc/self/status, in bytes.
inline std::uint64_t status(const std::string& key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.rfind(key + ":", 0) == 0) return 1024 * std::stoull(line.substr(key.size() + 1));
  return 0;
}

// How far f() goes beyond what is held before; 0 where the system does not tell.
template <class F>
std::uint64_t peak_of(F f) {
  core::empty_cache();
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
  const std::uint64_t before = status("VmRSS"), start = status("VmHWM");
  f();
  const std::uint64_t most = status("VmHWM");
  if (start > before + mib) MESSAGE("skipped: the system does not forget earlier peaks");
  return start > before + mib || most < before ? 0 : most - before;
}

/// A file of these bytes is refused, and costs at most its size and 16 MiB.
template <class Reader>
void check_bad(const std::string& what, const std::string& bytes, Reader read) {
  if (sanitized) return;
  const Folder folder;
  const std::string path = folder.write("file", bytes);
  bool refused = false;
  const std::uint64_t peak = peak_of([&] {
    try {
      static_cast<void>(read(path));
    } catch (const IoError&) {
      refused = true;
    }
  });
  CHECK_MESSAGE(refused, what);
  CHECK_MESSAGE(peak <= bytes.size() + 16 * mib, what, ": ", peak, " for ", bytes.size());
}

/// A file of these bytes costs its `tensors`, of so many bytes, and at most 16 MiB.
template <class Reader>
void check_good(const std::string& what, const std::string& bytes, std::uint64_t tensors,
                Reader read) {
  if (sanitized) return;
  const Folder folder;
  const std::string path = folder.write("file", bytes);
  const std::uint64_t peak = peak_of([&] { static_cast<void>(read(path)); });
  CHECK_MESSAGE(peak <= tensors + 16 * mib, what, ": ", peak, " for ", tensors);
  CHECK_MESSAGE(peak + 16 * mib >= tensors / 2, what, ": ", peak, " for ", tensors);
}

}  // namespace tapehead::testing
