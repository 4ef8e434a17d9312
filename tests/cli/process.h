// Running the tapehead command as a user would.
#pragma once

#include <doctest/doctest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "../support/folder.h"

struct Result {
  int code;  // or 128 + the signal that ended it
  std::string out, err;
};

inline int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Seconds after which alarm() ends a child, which would otherwise outlive a test that is killed.
constexpr unsigned patience = 120;

/// What stands between `tapehead` and the end of a shell's command line; `before` goes in front of
/// it, variables say.
inline Result run_tapehead(const std::string& arguments, const std::string& before = "") {
  const Folder folder;
  const std::string command = "env -u NO_COLOR LC_ALL=C.UTF-8 COLUMNS=80 OMP_NUM_THREADS=1 " +
                              before + " '" TAPEHEAD_BIN_DIR "/tapehead' " + arguments;
  const int status = std::system(
      ("(" + command + ") >'" + folder.file("out") + "' 2>'" + folder.file("err") + "'").c_str());
  return {code_of(status), folder.read("out"), folder.read("err")};
}

/// The same on a terminal of 80 columns; `out` is all that it was sent.
inline Result run_on_terminal(const std::string& arguments, const std::string& before = "") {
  winsize size{};
  size.ws_col = 80;
  size.ws_row = 24;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    alarm(patience);
    const std::string command =
        "exec env -u NO_COLOR LC_ALL=C.UTF-8 TERM=xterm-256color "
        "OMP_NUM_THREADS=1 " +
        before + " '" TAPEHEAD_BIN_DIR "/tapehead' " + arguments;
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  std::string out;
  char block[4096];
  for (ssize_t n = 0; (n = read(terminal, block, sizeof block)) > 0;)
    out.append(block, static_cast<std::size_t>(n));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  return {code_of(status), out, ""};
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }
