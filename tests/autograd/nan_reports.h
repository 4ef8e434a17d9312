// What a NanGuard tells, for its tests.
#pragma once

#include <tapehead/autograd/create.h>
#include <tapehead/autograd/nan_guard.h>

#include <limits>
#include <string>
#include <vector>

#include "../support/compare.h"

namespace tapehead::testing {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// The message up to its backtrace, which is another one in every build.
inline std::string head(const std::string& message) {
  return message.substr(0, message.find("\nbacktrace:"));
}

template <class F>
std::string thrown(F f) {
  try {
    f();
  } catch (const NanError& error) {
    return head(error.what());
  }
  return "nothing was thrown";
}

// The cause that is given for the first op in f to make NaN or inf.
template <class F>
std::string cause(F f) {
  std::string found = "nothing was reported";
  NanGuard guard([&](const NanReport& report) {
    if (found == "nothing was reported") found = report.cause;
  });
  f();
  return found;
}

inline std::vector<NanReport> reports;
struct Reporting {
  Reporting() : guard([](const NanReport& report) { reports.push_back(report); }) {
    reports.clear();
  }
  ~Reporting() { reports.clear(); }
  NanGuard guard;
};

inline Tensor numbers(const Values& v) {
  return tensor(v, {static_cast<Index>(v.size())}, Float64);
}

}  // namespace tapehead::testing
