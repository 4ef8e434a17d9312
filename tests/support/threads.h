// Live counts are kept per thread; threads of a test hand theirs in here, so that what one makes
// and another destroys adds up.
#pragma once

#include <tapehead/autograd/tape.h>
#include <tapehead/core/memory.h>

#include <atomic>
#include <thread>

namespace tapehead::testing {

struct Elsewhere {
  std::atomic<std::int64_t> tensors{0}, nodes{0}, blocks{0};
};
inline Elsewhere elsewhere;

template <class F>
std::thread counted_thread(F f) {
  return std::thread([f] {
    f();
    elsewhere.tensors += live_tensors();
    elsewhere.nodes += live_nodes();
    elsewhere.blocks += core::live_blocks();
  });
}

}  // namespace tapehead::testing
