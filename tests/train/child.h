// The same program again, as a new process that runs one test case which is otherwise skipped.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

namespace tapehead::testing {

/// The shell's words for it. `before` goes in front of the program, variables say.
inline std::string child_command(const std::string& test_case, const std::string& before) {
  return "OMP_NUM_THREADS=1 TAPEHEAD_CHILD=1 " + before +
         " '" TAPEHEAD_BIN_DIR "/test_train' --no-skip --minimal --test-case='" + test_case +
         "' >/dev/null 2>&1";
}

/// Its exit code, or 128 and the signal that ended it.
inline int run_child(const std::string& test_case, const std::string& before) {
  const int status = std::system(child_command(test_case, before).c_str());
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

inline std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace tapehead::testing
