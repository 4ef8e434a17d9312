// Terminal: what the place that text goes to can show.
//
//   const Terminal screen = terminal_of(STDOUT_FILENO);
//   if (screen.color) ...
#pragma once

namespace tapehead::viz {

struct Terminal {
  int width = 80;            // columns
  bool interactive = false;  // somebody may be looking: lines can be written over
  bool color = false;        // 256 colours, by escape codes
  bool unicode = false;      // UTF-8, else ASCII
};

/// What an open file can show. A pipe or file gets no escape code; nor does a terminal where
/// NO_COLOR is set or TERM is "dumb" or names no 256 colours. UTF-8 is for locales that say so (the
/// first of LC_ALL, LC_CTYPE, LANG that is set). The width is the terminal's, else COLUMNS,
/// else 80.
Terminal terminal_of(int descriptor);

}  // namespace tapehead::viz
