#include <doctest/doctest.h>
#include <tapehead/core/detail/free_memory.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace tapehead::core;

namespace {

// A root folder with the files of a system that has 8,000 KiB available.
class Root {
 public:
  Root() {
    std::filesystem::remove_all(folder_);
    write("/proc/meminfo", "MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:  8000 kB\n");
  }
  ~Root() { std::filesystem::remove_all(folder_); }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_.string() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::uint64_t free() const { return free_memory(folder_.string()); }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tapehead_free_memory_" + std::to_string(getpid()));
};

constexpr std::uint64_t available = 8000 * 1024;

}  // namespace

TEST_CASE("free memory is what the machine has available") {
  CHECK(Root().free() == available);
  CHECK(free_memory() > 0);
}

TEST_CASE("free memory is at most what a control group leaves, its caches not counted") {
  const Root root;
  root.write("/proc/self/cgroup", "0::/jobs/mine\n");
  CHECK(root.free() == available);
  root.write("/sys/fs/cgroup/jobs/mine/memory.max", "max\n");
  CHECK(root.free() == available);
  root.write("/sys/fs/cgroup/jobs/mine/memory.max", "1000000\n");
  CHECK(root.free() == 1000000);
  root.write("/sys/fs/cgroup/jobs/mine/memory.current", "600000\n");
  CHECK(root.free() == 400000);
  root.write("/sys/fs/cgroup/jobs/mine/memory.stat", "anon 500000\ninactive_file 100000\n");
  CHECK(root.free() == 500000);
  root.write("/sys/fs/cgroup/jobs/memory.max", "300000\n");
  CHECK(root.free() == 300000);
  root.write("/sys/fs/cgroup/jobs/memory.current", "400000\n");
  CHECK(root.free() == 0);
}

TEST_CASE("in a container the limit stands at the mount, whatever the group's path") {
  const Root root;
  root.write("/proc/self/cgroup", "0::/../host/path\n");
  root.write("/sys/fs/cgroup/memory.max", "2000000\n");
  CHECK(root.free() == 2000000);
}

TEST_CASE("free memory knows the first version of control groups") {
  const Root root;
  root.write("/proc/self/cgroup", "5:cpu,cpuacct:/docker/1f\n4:memory:/docker/1f\n");
  root.write("/sys/fs/cgroup/memory/docker/1f/memory.limit_in_bytes", "3000000\n");
  root.write("/sys/fs/cgroup/memory/docker/1f/memory.usage_in_bytes", "1500000\n");
  root.write("/sys/fs/cgroup/memory/docker/1f/memory.stat", "total_inactive_file 500000\n");
  CHECK(root.free() == 2000000);
  root.write("/sys/fs/cgroup/memory/docker/1f/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(root.free() == available);
}
