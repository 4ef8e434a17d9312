#include <doctest/doctest.h>
#include <tapehead/cli/progress_printer.h>

#include <csignal>

using tapehead::cli::InterruptGuard;

namespace {

volatile std::sig_atomic_t heard = 0;
void hear(int) { heard = heard + 1; }

bool handled_by(void (*handler)(int)) {
  struct sigaction now {};
  sigaction(SIGINT, nullptr, &now);
  return now.sa_handler == handler;
}

// What SIGINT does, put back at the end.
class SavedHandler {
 public:
  SavedHandler() { sigaction(SIGINT, nullptr, &before_); }
  ~SavedHandler() { sigaction(SIGINT, &before_, nullptr); }
  SavedHandler(const SavedHandler&) = delete;
  SavedHandler& operator=(const SavedHandler&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace

TEST_CASE("Ctrl-C is noted while the guard lives, the next one as by default") {
  const SavedHandler saved;
  std::signal(SIGINT, SIG_DFL);
  const InterruptGuard guard;
  CHECK_FALSE(guard.pressed());
  std::raise(SIGINT);
  CHECK(guard.pressed());
  CHECK(handled_by(SIG_DFL));
  const InterruptGuard anew;
  CHECK_FALSE(anew.pressed());
}

TEST_CASE("after the guard, Ctrl-C does what it did before") {
  const SavedHandler saved;
  heard = 0;
  std::signal(SIGINT, hear);
  {
    const InterruptGuard guard;
    std::raise(SIGINT);
    CHECK(heard == 0);
  }
  CHECK(handled_by(hear));
  std::raise(SIGINT);
  CHECK(heard == 1);
}

TEST_CASE("a process that ignores Ctrl-C goes on ignoring it") {
  const SavedHandler saved;
  std::signal(SIGINT, SIG_IGN);
  const InterruptGuard guard;
  std::raise(SIGINT);
  CHECK_FALSE(guard.pressed());
  CHECK(handled_by(SIG_IGN));
}
