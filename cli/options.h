// What a command takes and does, said without the library that parses it.
//
//   Command trace{.name = "trace", .about = "Show the shapes inside multi-head attention"};
//   trace.options = {whole("--batch", batch, "Sequences (32)", 1, 65536)};
//   trace.run = [] { … };
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "../core/shape.h"

namespace tapehead::cli {

using core::Index;

struct Option {
  std::string name;   // "--steps", or "TASK" for one that is known by its place
  std::string value;  // what help calls its value, "" for a flag
  std::string what;   // for help
  /// UsageError for a value that it cannot have: "expected 0 to 1, got 2".
  std::function<void(const std::string&)> take;
  /// Of a setting, that is of what a file of settings may hold: its value, "" while it has none.
  std::function<std::string()> show = {};
  /// Of an option that names a place with settings: reads them, as text.
  std::function<std::string(const std::string&)> settings = {};
  bool required = false;
  bool many = false;   // a list, known by its place
  bool alone = false;  // no setting can be given beside it

  /// What the option is called in a file of settings: steps, task.
  std::string key() const;
};

struct Command {
  std::string name, about;
  std::string notes = {};  // what follows the options in its help: examples above all
  std::vector<Option> options = {};
  std::function<void()> run = {};
};

/// Any text.
Option text(std::string name, std::string value, std::string& target, std::string what);
/// The same, but not the empty one.
Option file(std::string name, std::string& target, std::string what);
/// One of these words; a near match is suggested for another.
Option word(std::string name, std::string& target, std::string what,
            std::vector<std::string> words);
Option flag(std::string name, bool& target, std::string what);
/// A number from `least` to `most`, decimal from the first character to the last.
Option number(std::string name, std::optional<double>& target, std::string what, double least,
              double most);
/// The same of whole ones.
Option whole(std::string name, std::optional<Index>& target, std::string what, Index least,
             Index most = std::numeric_limits<Index>::max());
Option whole(std::string name, Index& target, std::string what, Index least,
             Index most = std::numeric_limits<Index>::max());

Option required(Option option);
/// With another name of its value in the help.
Option called(std::string value, Option option);
/// What is no setting: what a file of settings has no say in.
Option aside(Option option);

/// All settings that have a value, a line each: `steps = 400`, `task = "copy"`.
std::string settings_text(const std::vector<Option>& options);

struct Setting {
  std::string key;
  std::vector<std::string> values;
  std::string from = "settings";  // what messages call the place
};
struct Given {
  std::string name;
  std::vector<std::string> values;
};
/// Gives options their values: first those in `settings`, then those of the command line, by name.
/// UsageError for a key that is no setting, with one that is close, for several values where one is
/// wanted, for a value that it cannot have, and where a required one is missing.
void take(const std::vector<Option>& options, const std::vector<Setting>& settings,
          const std::vector<Given>& given);

}  // namespace tapehead::cli
