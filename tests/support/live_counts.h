// Include this in one source file of a test program: a test case that ends with more tensors, tape
// nodes or memory blocks than it began with then counts as failed.
#pragma once

#include <doctest/doctest.h>
#include <tapehead/autograd/tape.h>
#include <tapehead/core/memory.h>

#include <iostream>

#include "threads.h"

namespace tapehead::testing {

class LiveCounts final : public doctest::IReporter {
 public:
  explicit LiveCounts(const doctest::ContextOptions&) {}

  void test_case_start(const doctest::TestCaseData& test) override {
    name_ = test.m_name;
    before_ = now();
  }
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    const Counts after = now();
    if (after.tensors == before_.tensors && after.nodes == before_.nodes &&
        after.blocks == before_.blocks)
      return;
    ++leaks_;
    std::cerr << "LEAK in \"" << name_ << "\": " << after.tensors - before_.tensors << " tensors, "
              << after.nodes - before_.nodes << " nodes, " << after.blocks - before_.blocks
              << " blocks\n";
  }
  // Doctest has closed each test case's books by now, and hands out the run's own as constant.
  void test_run_end(const doctest::TestRunStats& stats) override {
    const_cast<doctest::TestRunStats&>(stats).numTestCasesFailed += leaks_;
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  struct Counts {
    std::int64_t tensors, nodes, blocks;
  };
  static Counts now() {
    return {live_tensors() + elsewhere.tensors, live_nodes() + elsewhere.nodes,
            core::live_blocks() + elsewhere.blocks};
  }

  const char* name_ = "";
  Counts before_{};
  unsigned leaks_ = 0;
};

}  // namespace tapehead::testing

REGISTER_LISTENER("live_counts", 1, tapehead::testing::LiveCounts);
