#include "progress_printer.h"

#include <iomanip>

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

// Where there is no room for all, the speed is what is left out.
std::string fitting(std::string line, const std::string& more, int width) {
  const std::size_t end = line.find(" tokens/s"), from = line.rfind("%", end) + 1;
  if (std::ssize(line) + std::ssize(more) > width && end != std::string::npos && !more.empty())
    line.erase(from, end + 9 - from);
  return line + more;
}

}  // namespace

void ProgressPrinter::show(const train::Progress& progress) {
  const viz::Terminal terminal = screen();
  if (terminal.interactive) {
    overwrite(progress, terminal.width);
  } else if (train::belongs_in_log(progress.step, progress.steps)) {
    say(train::to_string(progress) + held_out_text(progress.step) + "\n");
    held_out_.reset();
  }
}

// One column is left free: in the last one, some terminals would begin a new line.
void ProgressPrinter::overwrite(const train::Progress& progress, int width) {
  const Clock::time_point now = Clock::now();
  if (line_open_ && now - last_ < pause && progress.step < progress.steps) return;
  last_ = now;
  line_open_ = true;
  const std::string held_out = held_out_ ? held_out_text(held_out_->step) : "";
  say("\r" + data::fitted(fitting(train::to_string(progress), held_out, width - 1), width - 1));
}

std::string ProgressPrinter::held_out_text(core::Index step) const {
  if (!held_out_) return "";
  return core::to_text(
      "  held out ", std::fixed, std::setprecision(3), held_out_->loss,
      held_out_->step == step ? "" : core::to_text(" (step ", held_out_->step, ")"));
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
