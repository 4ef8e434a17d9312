// Standard output, watched: a command whose reader has gone, or whose disk is full, ends.
#pragma once

#include <string>
#include <string_view>

#include "../core/text.h"
#include "../viz/terminal.h"

namespace tapehead::cli {

/// Makes sure that descriptors 0 to 2 are open, so that no file is opened under one of these
/// numbers and then printed into; and that writing to a closed pipe, or past the size that a file
/// may have, is an error, not the end of the process.
void guard_standard_streams();

/// What say() throws where the pipe has been closed, as head(1) does when it has enough: nobody
/// waits for the rest, or for a message.
struct ReaderGone {};

/// Writes to standard output at once. IoError if that fails.
void say(std::string_view text);
/// The same of a result for programs, wherever say() goes.
void say_to_programs(std::string_view text);
/// Writes to standard error what is worth knowing beside what was asked for: `tapehead: …`, a line.
void note(std::string_view text);

/// What standard output can show.
viz::Terminal screen();

/// While it lives, and if it is `on`, standard output is for a program that reads: say() goes to
/// standard error, and screen() is about that. One at a time.
class ForPrograms {
 public:
  explicit ForPrograms(bool on);
  ~ForPrograms();
  ForPrograms(const ForPrograms&) = delete;
  ForPrograms& operator=(const ForPrograms&) = delete;
};

/// As it can be shown in one line of the locale: what else a text or a name holds, control
/// characters above all, is shown by its code.
std::string one_line(std::string_view text);

/// 35,149.
std::string grouped(long long number);

/// A number with as few digits as bring it back: 0.1.
std::string exact(double number);

/// The line that tells of entries that a gradcheck had no time for; "" if there are none.
std::string skipped_line(long long entries);

}  // namespace tapehead::cli
