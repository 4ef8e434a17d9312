#include "command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <new>
#include <string_view>

#include "../core/error.h"
#include "commands.h"
#include "near_match.h"
#include "output.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

constexpr const char* tool_about =
    "tapehead: train small attention models, check their gradients, look inside.";

constexpr const char* main_examples = R"(Examples:
  tapehead train reverse                 reverse digits, see where heads look
  tapehead train text --file hamlet.txt --run runs/hamlet
  tapehead generate runs/hamlet          write as it has learnt to
  tapehead inspect model.safetensors     names, shapes and statistics
  tapehead gradcheck --all               every gradient by central differences

tapehead COMMAND --help says more.)";

// What the command line gives, as it stands there.
using Givens = std::vector<Given>;

void add_option(CLI::App& app, const Option& option, Givens& givens) {
  const std::string name = option.name;
  const auto note = [name, &givens](const std::vector<std::string>& values) {
    givens.push_back({name, values});
  };
  CLI::Option* added = nullptr;
  if (option.many)
    added = app.add_option_function<std::vector<std::string>>(name, note, option.what);
  else if (option.value.empty() && name[0] == '-')
    added = app.add_flag_function(
        name, [note](std::int64_t) { note({""}); }, option.what);
  else
    added = app.add_option_function<std::string>(
        name, [note](const std::string& value) { note({value}); }, option.what);
  added->type_name(name[0] == '-' ? option.value : "");
}

void add_command(CLI::App& app, const Command& command, Givens& givens) {
  CLI::App& added = *app.add_subcommand(command.name, command.about);
  for (const Option& option : command.options) add_option(added, option, givens);
  added.footer(command.notes);
}

// A flag is given or it is not.
void refuse_flag_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) option->disable_flag_override();
  for (CLI::App* command : app.get_subcommands(nullptr)) refuse_flag_values(*command);
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

// What is wrong with an argument that no command wants.
std::string surplus(const CLI::App& app, const std::string& argument) {
  if (argument[0] != '-') return core::to_text("\"", argument, "\" is one argument too many");
  std::vector<std::string> options;
  for (const CLI::App* command : app.get_subcommands())
    for (const CLI::Option* option : command->get_options()) options.push_back(option->get_name());
  return core::to_text("there is no option ", argument, suggestion(argument, options));
}

// In our words where CLI11's are of its own world.
std::string problem(const CLI::App& app, const CLI::ParseError& error, int argc,
                    const char* const* argv) {
  const std::vector<std::string> left = app.remaining(/*recurse=*/true);
  const auto* const unwanted = std::find_first_of(argv, argv + argc, left.begin(), left.end());
  if (unwanted != argv + argc) return surplus(app, *unwanted);
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return what;
  if (what.find("flag override") != std::string::npos)
    return "--" + what.substr(0, what.find(' ')) + " takes no value";
  const bool surplus_value = what.find("At Most") != std::string::npos;
  return what.substr(0, what.find(':')) + (surplus_value ? " is given twice" : " needs a value");
}

std::string see_help(const std::string& command) {
  return core::to_text(" (see tapehead ", command, command.empty() ? "" : " ", "--help)");
}

// What is wrong with the first word, where it should be a command; "" if nothing is.
std::string unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  const std::vector<std::string> commands = names_of(app.get_subcommands(nullptr));
  const std::string first = argc > 1 ? argv[1] : "";
  const bool known = std::find(commands.begin(), commands.end(), first) != commands.end();
  if (known || first.empty() || first[0] == '-') return "";
  return core::to_text("there is no command \"", first, "\"", suggestion(first, commands),
                       " (tapehead --help lists them)");
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error, int argc,
                          const char* const* argv) {
  const std::string unknown = unknown_command(app, argc, argv);
  if (!unknown.empty()) return unknown;
  const std::string first = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
  return problem(app, error, argc, argv) + see_help(first);
}

// `tapehead help train` is `tapehead train --help`.
std::vector<const char*> with_help(int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "help") return words;
  words.erase(words.begin() + 1);
  words.insert(words.begin() + std::min<std::ptrdiff_t>(2, std::ssize(words)), "--help");
  return words;
}

// Without the name of the function that an IoError begins with: "read_tensors: x: No such file".
std::string for_people(const std::string& message) {
  const std::size_t end =
      message.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return end != std::string::npos && end > 0 && message.compare(end, 2, ": ") == 0
             ? message.substr(end + 2)
             : message;
}

int complain(const std::string& message, int code) {
  note(message);
  return code;
}

std::vector<Setting> settings_of(const Command& command, const Givens& givens) {
  const std::string section = command.name + ".";
  std::vector<Setting> settings;
  for (const Option& option : command.options)
    for (const Given& given : givens)
      if (option.settings && given.name == option.name)
        for (Setting& setting : parse_settings(option.settings(given.values.front()))) {
          setting.from = given.values.front();
          if (setting.key.starts_with(section)) setting.key.erase(0, section.size());
          settings.push_back(std::move(setting));
        }
  return settings;
}

void run_command(const Command& command, const Givens& givens) {
  const std::vector<Setting> settings = settings_of(command, givens);
  try {
    take(command.options, settings, givens);
  } catch (const UsageError& error) {
    throw UsageError(error.message() + see_help(command.name));
  }
  command.run();
}

int parse_and_run(CLI::App& app, int argc, const char* const* argv) {
  const std::vector<Command> commands = all_commands();
  Givens givens;
  for (const Command& command : commands) add_command(app, command, givens);
  refuse_flag_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const std::string unknown = unknown_command(app, argc, argv);
    if (!unknown.empty()) throw UsageError(unknown);
    say(app.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    say("tapehead " TAPEHEAD_VERSION "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    throw UsageError(usage_message(app, error, argc, argv));
  }
  for (const Command& command : commands)
    if (app.got_subcommand(command.name)) return run_command(command, givens), 0;
  say(app.help());
  return 0;
}

}  // namespace

std::vector<Setting> parse_settings(const std::string& text) {
  std::istringstream in(text);
  std::vector<Setting> settings;
  for (CLI::ConfigItem& item : CLI::ConfigBase().from_config(in))
    if (item.name != "--" && item.name != "++")  // ends and beginnings of sections
      settings.push_back({item.fullname(), std::move(item.inputs)});
  return settings;
}

int run(int argc, const char* const* argv) {
  guard_standard_streams();
  CLI::App app(tool_about, "tapehead");
  app.set_version_flag("--version", "tapehead " TAPEHEAD_VERSION);
  app.require_subcommand(0, 1);
  app.footer(main_examples);
  const std::vector<const char*> words = with_help(argc, argv);
  try {
    return parse_and_run(app, static_cast<int>(words.size()), words.data());
  } catch (const UsageError& error) {
    return complain(error.message(), 2);
  } catch (const Interrupted& stop) {
    return complain(stop.message(), 130);
  } catch (const ReaderGone&) {
    return 128 + SIGPIPE;  // as of one that this signal ended
  } catch (const IoError& error) {
    return complain(for_people(error.what()), 1);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; use smaller sizes", 1);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}

}  // namespace tapehead::cli
