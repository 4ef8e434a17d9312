// The commands, each of them in a file of its own.
#pragma once

#include "options.h"

namespace tapehead::cli {

Command train_command();
Command generate_command();
Command eval_command();
Command inspect_command();
Command convert_command();
Command diff_command();
Command gradcheck_command();
Command trace_command();

/// All of them, in the order of the help.
inline std::vector<Command> all_commands() {
  return {train_command(),   generate_command(), eval_command(),      inspect_command(),
          convert_command(), diff_command(),     gradcheck_command(), trace_command()};
}

/// What a text in INI or TOML sets. Of a key in a section the name is "section.key".
std::vector<Setting> parse_settings(const std::string& text);

}  // namespace tapehead::cli
