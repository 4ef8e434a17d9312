// TextWriter: a text to standard output as it comes about, up to the words that end it.
#pragma once

#include <string>

namespace tapehead::cli {

/// A pipe or file gets every byte; a terminal gets control characters as their codes, and no
/// character before all its bytes are there.
class TextWriter {
 public:
  /// The text ends before the first `stop` that is not in the prompt; "" for never.
  explicit TextWriter(std::string stop) : stop_(std::move(stop)) {}

  void add_prompt(const std::string& piece);
  /// False once the text has ended: what comes after `stop` is not shown.
  bool add(const std::string& piece);
  /// Shows what was held back, and ends the line.
  void end();

 private:
  void show(const std::string& text);

  std::string stop_, held_;  // what may be the beginning of `stop`
  std::string unfinished_;   // bytes of a character
  bool ended_ = false;
  char last_ = '\n';
};

}  // namespace tapehead::cli
