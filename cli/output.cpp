#include "output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iomanip>
#include <iostream>

#include "../core/error.h"
#include "../data/utf8.h"

namespace tapehead::cli {
namespace {

int people = STDOUT_FILENO;  // where what people read goes

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) throw ReaderGone();
    if (written < 0)
      fail<IoError>("cannot write to standard ", descriptor == STDOUT_FILENO ? "output" : "error",
                    ": ", std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

// A missing one is opened so that using it fails, as using a closed one would.
void guard_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    while (fcntl(descriptor, F_GETFD) < 0)
      if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) break;
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

void say(std::string_view text) { write_all(people, text); }
void say_to_programs(std::string_view text) { write_all(STDOUT_FILENO, text); }

void note(std::string_view text) { std::cerr << "tapehead: " << one_line(text) << std::endl; }

viz::Terminal screen() { return viz::terminal_of(people); }

ForPrograms::ForPrograms(bool on) { people = on ? STDERR_FILENO : STDOUT_FILENO; }
ForPrograms::~ForPrograms() { people = STDOUT_FILENO; }

std::string one_line(std::string_view text) { return data::printable(text, screen().unicode, " "); }

std::string grouped(long long number) {
  const std::string digits = std::to_string(number);
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool after_digit = i > 0 && digits[i - 1] != '-';
    if (after_digit && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

std::string exact(double number) {
  const std::string text = core::to_text(std::setprecision(15), number);
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double back = 0;
  in >> back;
  return back == number ? text : core::to_text(std::setprecision(17), number);
}

std::string skipped_line(long long entries) {
  return entries == 0 ? "" : core::to_text("  (no time for ", grouped(entries), " more)\n");
}

}  // namespace tapehead::cli
