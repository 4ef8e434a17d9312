#include <doctest/doctest.h>
#include <tapehead/core/detail/free_memory.h>
#include <tapehead/core/elementwise.h>
#include <tapehead/core/memory.h>

#if !TAPEHEAD_POOLED
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "../support/memory_limit.h"
using namespace tapehead;
using namespace tapehead::core;
using tapehead::testing::MemoryLimit;
using tapehead::testing::refusal;

namespace {
constexpr std::uint64_t gib = std::uint64_t{1} << 30;
}  // namespace

TEST_CASE("blocks of every size are aligned, writable and counted") {
  const auto live = live_blocks();
  std::vector<std::pair<void*, std::uint64_t>> blocks;
  for (std::uint64_t bytes : std::initializer_list<std::uint64_t>{0, 1, 63, 64, 65, 511, 512, 513,
                                                                  4096, 100000, 1 << 20, 5000001}) {
    void* block = allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
    std::memset(block, 0x5a, bytes);
    blocks.emplace_back(block, bytes);
  }
  CHECK(live_blocks() == live + static_cast<std::int64_t>(blocks.size()));
  for (const auto& [block, bytes] : blocks) deallocate(block, bytes);
  CHECK(live_blocks() == live);
}

TEST_CASE("a size class holds what is asked for and wastes at most a quarter") {
  std::uint64_t last = 0;
  for (std::uint64_t bytes = 1; bytes < largest_pooled; bytes += 1 + bytes / 7) {
    const auto [index, size] = core::detail::size_class(bytes);
    CHECK(size >= bytes);
    CHECK((size <= 512 || 4 * size <= 5 * bytes + 4 * 64));
    CHECK(index >= last);
    CHECK(index < core::detail::class_count);
    CHECK(core::detail::size_class(size).index == index);
    last = index;
  }
}

TEST_CASE("a steady loop takes no fresh memory from the system") {
  const NDArray x = NDArray::full({300, 70}, 1, DType::Float32);
  const auto step = [&] {
    NDArray y = add(x, x);
    for (int i = 0; i < 4; ++i) y = mul(y, add(y, 1));
  };
  step();
  const std::uint64_t before = reserved_bytes();
  const std::int64_t live = live_blocks();
  for (int i = 0; i < 20; ++i) step();
  CHECK(reserved_bytes() == before);
  CHECK(live_blocks() == live);
}

TEST_CASE("a cached block is used again at once") {
  if (!TAPEHEAD_POOLED) return;
  void* first = allocate(1000);
  deallocate(first, 1000);
  void* second = allocate(1001);  // the same class
  CHECK(first == second);
  deallocate(second, 1001);
}

TEST_CASE("emptying the cache gives every cached block back") {
  empty_cache();
  const std::uint64_t before = reserved_bytes();
  for (std::uint64_t bytes : std::initializer_list<std::uint64_t>{1, 500, 577, 5000, 1 << 20})
    deallocate(allocate(bytes), bytes);
  CHECK(reserved_bytes() >= before);
  empty_cache();
  CHECK(reserved_bytes() == before);
}

TEST_CASE("a block may be freed on another thread, whose cache ends with it") {
  empty_cache();
  const std::uint64_t before = reserved_bytes();
  const std::int64_t live = live_blocks();
  void* block = allocate(10000);
  std::thread([&] {
    deallocate(block, 10000);
    CHECK(live_blocks() == -1);
    void* own = allocate(10000);
    if (TAPEHEAD_POOLED) CHECK(own == block);
    deallocate(own, 10000);
  }).join();
  CHECK(live_blocks() == live + 1);  // counted where it was made
  CHECK(reserved_bytes() == before);
  deallocate(allocate(1), 1);
  core::detail::pool.live = live;
}

TEST_CASE("an array may outlive the thread that made it") {
  NDArray x;
  std::thread([&] { x = NDArray::full({1000}, 3, DType::Float64); }).join();
  CHECK(x.data<double>()[999] == 3);
  x = {};
  core::detail::pool.live += 1;  // made there, freed here
}

TEST_CASE("absurd shapes are refused by name before anything is allocated") {
  const std::uint64_t before = reserved_bytes();
  const Index big = Index{1} << 40, huge = Index{1} << 62;
  CHECK_THROWS_WITH_AS(NDArray::empty({big, big}, DType::Float32),
                       "shape: (1099511627776, 1099511627776) holds more elements than 64 bits can "
                       "count; use smaller dimensions",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      NDArray::empty({-1}, DType::Float32),
      "shape: sizes cannot be negative, got (-1); -1 is for view, reshape and expand", ShapeError);
  CHECK_THROWS_WITH_AS(NDArray::empty({huge, 8}, DType::Bool),
                       "shape: (4611686018427387904, 8) holds more elements than 64 bits can "
                       "count; use smaller dimensions",
                       ShapeError);
  CHECK_THROWS_WITH_AS(NDArray::empty({huge}, DType::Float64),
                       "shape: a Float64 tensor of shape (4611686018427387904) has more bytes than "
                       "64 bits can count; use smaller dimensions",
                       ShapeError);
  CHECK_THROWS_WITH_AS(NDArray::empty({huge}, DType::Int64),
                       "shape: an Int64 tensor of shape (4611686018427387904) has more bytes than "
                       "64 bits can count; use smaller dimensions",
                       ShapeError);
  CHECK(reserved_bytes() == before);
}

TEST_CASE("more than the limit is refused with shape, sizes and limit") {
  empty_cache();
  const MemoryLimit limit(8 * gib);
  const std::uint64_t before = reserved_bytes();
  CHECK(refusal([] {
          NDArray::empty({5, 1 << 30}, DType::Float32);
        }) ==
        "allocate: a Float32 tensor of shape (5, 1073741824) needs 20 GiB, with some held and a "
        "limit of 8 GiB; use smaller tensors or raise TAPEHEAD_MEMORY_LIMIT");
  CHECK(reserved_bytes() == before);
}

TEST_CASE("small blocks count towards the limit too") {
  empty_cache();
  const std::uint64_t held = reserved_bytes();
  const MemoryLimit limit(held + 4096);
  void* fits = allocate(4096);
  const std::string words = refusal([] { allocate(64); });
  CHECK(words.substr(0, words.find("limit of")) ==
        "allocate: a block of 64 bytes needs 64 bytes, with some held and a ");
  deallocate(fits, 4096);
  CHECK_NOTHROW(deallocate(allocate(64), 64));  // the cache makes room
}

TEST_CASE("sizes are read with and without units") {
  CHECK(parse_bytes("4096") == 4096);
  CHECK(parse_bytes("4096b") == 4096);
  CHECK(parse_bytes("64k") == 65536);
  CHECK(parse_bytes("64KiB") == 65536);
  CHECK(parse_bytes("64 kB") == 64000);
  CHECK(parse_bytes("500MB") == 500000000);
  CHECK(parse_bytes("3M") == 3145728);
  CHECK(parse_bytes("8GiB") == 8 * gib);
  CHECK(parse_bytes("8g") == 8 * gib);
  CHECK(parse_bytes("1.5 GB") == 1500000000);
  CHECK(parse_bytes(" 2TiB ") == 2048 * gib);
}

TEST_CASE("what is not a size is refused") {
  for (const char* text :
       {"", "GiB", "-1", "0", "8 GiB 2", "8XB", "1.5.2G", "1e3", "nan", "0x10", "99999999T"})
    CHECK_THROWS_WITH_AS(parse_bytes(text),
                         ("TAPEHEAD_MEMORY_LIMIT: expected a size such as 8GiB, 500MB or 4096, "
                          "got \"" +
                          std::string(text) + "\"")
                             .c_str(),
                         Error);
}

TEST_CASE("the default limit is three quarters of what is free, or what the environment says") {
  const char* const set = std::getenv("TAPEHEAD_MEMORY_LIMIT");
  const std::string before = set == nullptr ? "" : set;
  const MemoryLimit back(0);
  for (const char* none : {"", static_cast<const char*>(nullptr)}) {
    none == nullptr ? unsetenv("TAPEHEAD_MEMORY_LIMIT") : setenv("TAPEHEAD_MEMORY_LIMIT", none, 1);
    set_memory_limit(0);
    const auto share = static_cast<double>(memory_limit()) / static_cast<double>(free_memory());
    CHECK(share > 0.6);  // others take and free some meanwhile
    CHECK(share < 0.9);
  }
  setenv("TAPEHEAD_MEMORY_LIMIT", "1.5 GB", 1);
  set_memory_limit(0);
  CHECK(memory_limit() == 1500000000);
  setenv("TAPEHEAD_MEMORY_LIMIT", "8GiB", 1);
  CHECK(memory_limit() == 1500000000);  // read once
  setenv("TAPEHEAD_MEMORY_LIMIT", before.c_str(), 1);
}

TEST_CASE("a pool allocator serves standard containers") {
  const auto live = live_blocks();
  {
    std::vector<int, PoolAllocator<int>> values(1000, 7);
    values.push_back(8);
    CHECK(values.back() == 8);
    CHECK(live_blocks() == live + 1);
  }
  CHECK(live_blocks() == live);
}

#if !TAPEHEAD_POOLED
TEST_CASE("AddressSanitizer sees a block that is read after it was freed") {
  const auto reads = [](bool freed) {
    const pid_t child = fork();
    if (child == 0) {
      if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(2);
      auto* const block = static_cast<unsigned char*>(allocate(256));
      std::memset(block, 0, 256);
      if (freed) deallocate(block, 256);
      _exit(*static_cast<volatile unsigned char*>(block));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  };
  CHECK(reads(false));
  CHECK_FALSE(reads(true));
}
#endif
