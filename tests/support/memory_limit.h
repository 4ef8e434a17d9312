// A memory limit for a scope, and what is said beyond it.
#pragma once

#include <tapehead/core/error.h>
#include <tapehead/core/memory.h>

#include <string>

namespace tapehead::testing {

struct MemoryLimit {
  explicit MemoryLimit(std::uint64_t bytes) { core::set_memory_limit(bytes); }
  ~MemoryLimit() { core::set_memory_limit(0); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

/// The words with which f() is refused memory, "some" for what is held: that depends on the tests
/// before.
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const MemoryError& error) {
    const std::string words = error.what();
    return words.substr(0, words.find("with ") + 5) + "some" + words.substr(words.find(" held"));
  }
  return "";
}

}  // namespace tapehead::testing
