// The tapehead command.
#include <unistd.h>

#include <cstdlib>

#include "command.h"

namespace {

// Threads that wait for work by spinning are slow where another process wants the same cores: on
// two busy ones `train copy` took 9.6 s, and 1.1 s with threads that sleep. OpenMP reads this
// variable when it is loaded, so the process starts itself again; where that fails it goes on as it
// is.
void sleep_while_waiting(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
  sleep_while_waiting(argv);
  return tapehead::cli::run(argc, argv);
}
