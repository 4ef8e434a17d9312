#include "output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "../core/error.h"

namespace tapehead::cli {

// A missing one is opened so that using it fails, as using a closed one would.
void guard_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    while (fcntl(descriptor, F_GETFD) < 0)
      if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) break;
  std::signal(SIGPIPE, SIG_IGN);
}

void say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail<IoError>("cannot write to standard output: ", std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

viz::Terminal screen() { return viz::terminal_of(STDOUT_FILENO); }

std::string grouped(long long number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3 && digits[at - 4] != '-';)
    digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace tapehead::cli
