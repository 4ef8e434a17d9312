#include "free_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace tapehead::core {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// The number that stands alone in a file; none for "max", or where there is no such file.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return {};
}

// The number after a word, in a file of lines that each begin with one.
std::optional<std::uint64_t> number_after(const std::string& word, const std::string& path) {
  std::ifstream file(path);
  for (std::string key, rest; file >> key; std::getline(file, rest))
    if (std::uint64_t number = 0; key == word && file >> number) return number;
  return {};
}

// Where a version of control groups has its files, and how it names them.
struct Version {
  const char *mount, *limit, *usage, *cache;
};
constexpr Version v1{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                     "total_inactive_file"};
constexpr Version v2{"/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file"};

// What one group leaves of its limit.
std::uint64_t left_by(const std::string& folder, const Version& version) {
  const auto limit = number_in(folder + version.limit);
  if (!limit) return unlimited;
  const std::uint64_t used = number_in(folder + version.usage).value_or(0);
  const std::uint64_t cache = number_after(version.cache, folder + "/memory.stat").value_or(0);
  const std::uint64_t taken = used - std::min(used, cache);
  return *limit - std::min(*limit, taken);
}

// What a group and all that it lies in leave. In a container the path may be that of the host: then
// only the mount itself is there.
std::uint64_t left_along(const std::string& root, std::string path, const Version& version) {
  const std::string mount = root + version.mount;
  std::uint64_t least = left_by(mount, version);
  for (; path.size() > 1; path.erase(path.rfind('/')))
    least = std::min(least, left_by(mount + path, version));
  return least;
}

// Lines such as "0::/user.slice" (v2) and "4:memory:/docker/1f" (v1).
std::uint64_t left_by_groups(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  std::uint64_t least = unlimited;
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string kinds = line.substr(first, second - first) + ",",
                      path = line.substr(second + 1);
    if (kinds == ":,") least = std::min(least, left_along(root, path, v2));
    if (kinds.find("memory,") == 1 || kinds.find(",memory,") != std::string::npos)
      least = std::min(least, left_along(root, path, v1));
  }
  return least;
}

// Where only the size of the memory is known, as on macOS, it counts as free.
std::uint64_t free_pages() {
#if defined(_SC_AVPHYS_PAGES)
  const long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
#elif defined(_SC_PHYS_PAGES)
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
#else
  const long pages = 0, size = 0;
#endif
  if (pages <= 0 || size <= 0) return std::uint64_t{4} << 30;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
}

}  // namespace

std::uint64_t free_memory(const std::string& root) {
  const auto kib = number_after("MemAvailable:", root + "/proc/meminfo");
  return std::min(kib ? *kib * 1024 : free_pages(), left_by_groups(root));
}

}  // namespace tapehead::core
