#include "progress_printer.h"

#include "../data/utf8.h"
#include "output.h"

namespace tapehead::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);  // a second one ends the process
}

constexpr std::chrono::milliseconds pause{100};

}  // namespace

void ProgressPrinter::show(const train::Progress& progress) {
  const viz::Terminal terminal = screen();
  if (terminal.interactive) {
    overwrite(progress, terminal.width);
  } else if (train::belongs_in_log(progress.step, progress.steps)) {
    say(train::to_string(progress) + "\n");
  }
}

// One column is left free: in the last one, some terminals would begin a new line.
void ProgressPrinter::overwrite(const train::Progress& progress, int width) {
  const Clock::time_point now = Clock::now();
  if (line_open_ && now - last_ < pause && progress.step < progress.steps) return;
  last_ = now;
  line_open_ = true;
  say(core::to_text("\r", data::fitted(train::to_string(progress), width - 1)));
}

void ProgressPrinter::end() {
  if (line_open_) say("\n");
  line_open_ = false;
}

// A process that was told to ignore Ctrl-C, as those in the background of a script are, goes on.
InterruptGuard::InterruptGuard() {
  interrupted = 0;
  sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler != SIG_IGN) std::signal(SIGINT, note_interrupt);
}
InterruptGuard::~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }
bool InterruptGuard::pressed() const { return interrupted != 0; }

}  // namespace tapehead::cli
