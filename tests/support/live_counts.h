// live_counts.cpp includes this once a test program: a test case that ends with more tensors, tape
// nodes or memory blocks than it began with then counts as failed.
#pragma once

#include <tapehead/autograd/tape.h>
#include <tapehead/core/memory.h>

#include "leaks.h"
#include "threads.h"

namespace tapehead::testing {

class LiveCounts final : public Leaks {
 public:
  explicit LiveCounts(const doctest::ContextOptions&) {}
  Counts now() const override {
    return {{"tensors", live_tensors() + elsewhere.tensors},
            {"nodes", live_nodes() + elsewhere.nodes},
            {"blocks", core::live_blocks() + elsewhere.blocks}};
  }
};

}  // namespace tapehead::testing

REGISTER_LISTENER("live_counts", 1, tapehead::testing::LiveCounts);
