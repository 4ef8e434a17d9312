#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace tapehead::viz {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool locale_is_utf8() {
  std::string locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (locale.empty()) locale = variable(name);
  std::transform(locale.begin(), locale.end(), locale.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

int width_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const int columns = std::atoi(variable("COLUMNS").c_str());
  return columns > 0 ? std::min(columns, 10000) : 80;
}

bool has_256_colors() {
  return variable("TERM").find("256color") != std::string::npos || !variable("COLORTERM").empty();
}

}  // namespace

Terminal terminal_of(int descriptor) {
  const bool screen = isatty(descriptor) != 0;
  const bool dumb = variable("TERM") == "dumb";
  return {.width = width_of(descriptor),
          .interactive = screen && !dumb,
          .color = screen && !dumb && has_256_colors() && variable("NO_COLOR").empty(),
          .unicode = locale_is_utf8()};
}

}  // namespace tapehead::viz
