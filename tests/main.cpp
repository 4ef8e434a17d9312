// Runs the test cases of one program. Every error thrown meanwhile leaves the source line it came
// from in the file that TAPEHEAD_FAIL_LOG names, for lint/errors.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <tapehead/core/error.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>

namespace {

void note(const char* file, int line) {
  static std::FILE* const log = std::fopen(std::getenv("TAPEHEAD_FAIL_LOG"), "a");
  static std::mutex mutex;
  static std::set<std::pair<const char*, int>> noted;
  const std::lock_guard lock(mutex);
  if (log == nullptr || !noted.emplace(file, line).second) return;
  std::fprintf(log, "%s:%d\n", file, line);
  std::fflush(log);
}

}  // namespace

int main(int argc, char** argv) {
  if (std::getenv("TAPEHEAD_FAIL_LOG") != nullptr) tapehead::on_fail = note;
  return doctest::Context(argc, argv).run();
}
