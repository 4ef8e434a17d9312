#include <doctest/doctest.h>
#include <tapehead/core/elementwise.h>
#include <tapehead/core/storage.h>

#include <string>
#include <thread>
#include <vector>
using namespace tapehead;
using namespace tapehead::core;

TEST_CASE("a storage is one aligned block that goes with its last owner") {
  const auto live = live_blocks();
  {
    const Ref<Storage> storage(make_storage(100));
    CHECK(live_blocks() == live + 1);
    CHECK(reinterpret_cast<std::uintptr_t>(storage->data) % 64 == 0);
    CHECK(storage->bytes == 100);
    CHECK(storage->version == 0);
    CHECK(storage->tensors == 0);
    const Ref<Storage> second = storage;
    CHECK_FALSE(storage.unique());
  }
  CHECK(live_blocks() == live);
}

TEST_CASE("a write through any view is seen by all, with its writer") {
  NDArray x = NDArray::full({2, 3}, 1, DType::Float32);
  NDArray row = x.select(0, 1);
  const auto before = x.version();
  add_(row, 1);
  CHECK(x.version() == before + 1);
  CHECK(std::string(x.writer()) == "add_");
  fill_(x, 0, "zero_");
  CHECK(row.version() == before + 2);
  CHECK(std::string(row.writer()) == "zero_");
}

TEST_CASE("threads may share arrays that they only read") {
  const auto live = live_blocks();
  {
    const NDArray x = NDArray::full({100}, 2, DType::Float64);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&x] {
        for (int i = 0; i < 1000; ++i) {
          const NDArray view = x.narrow(0, i % 50, 50);
          CHECK(view.data<double>()[0] == 2);
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(x.exclusive());
  }
  CHECK(live_blocks() == live);
}
