// A listener for doctest: a test case that ends with more of what is counted than it began with
// then counts as failed. Each program says what it counts, and registers its own in one source
// file.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <iostream>
#include <utility>
#include <vector>

namespace tapehead::testing {

class Leaks : public doctest::IReporter {
 public:
  /// What there is of each, by name; always in one order.
  using Counts = std::vector<std::pair<const char*, std::int64_t>>;
  virtual Counts now() const = 0;

  void test_case_start(const doctest::TestCaseData& test) override {
    name_ = test.m_name;
    before_ = now();
  }
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    const Counts after = now();
    if (after == before_) return;
    ++leaks_;
    std::cerr << "LEAK in \"" << name_ << "\":";
    for (std::size_t i = 0; i < after.size(); ++i)
      std::cerr << (i ? ", " : " ") << after[i].second - before_[i].second << ' ' << after[i].first;
    std::cerr << '\n';
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
  const char* name_ = "";
  Counts before_;
  unsigned leaks_ = 0;
};

}  // namespace tapehead::testing
