#include "command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <limits>
#include <locale>
#include <new>
#include <type_traits>

#include "../data/tasks.h"
#include "../train/recipe.h"
#include "gradcheck_command.h"
#include "near_match.h"
#include "output.h"
#include "trace.h"
#include "train.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

constexpr const char* about =
    "tapehead: train small attention models, check their gradients, look inside.";

constexpr const char* main_examples = R"(Examples:
  tapehead train reverse                 reverse digits, see where heads look
  tapehead train text --file hamlet.txt  write, character by character
  tapehead gradcheck --all               every gradient by central differences
  tapehead trace                         the shapes inside multi-head attention

tapehead COMMAND --help says more.)";

std::string train_notes() {
  core::TextStream out;
  out << "What each task is trained with unless told otherwise:\n"
      << "             steps  batch     lr  layers  heads  d-model\n";
  for (const std::string& task : train::recipe_names()) {
    const train::Recipe r = train::recipe(task);
    out << "  " << std::left << std::setw(10) << task << std::right << std::setw(6) << r.steps
        << std::setw(7) << r.batch << std::setw(7) << r.lr << std::setw(8) << r.layers
        << std::setw(7) << r.heads << std::setw(9) << r.d_model << "\n";
  }
  out << "\nExamples:\n"
         "  tapehead train copy\n"
         "  tapehead train sort --heads 1 --seed 3\n"
         "  tapehead train addition --out addition.safetensors\n"
         "  tapehead train names --file names.txt\n"
         "  tapehead train text --file hamlet.txt --steps 3000 --layers 3\n"
         "\nCtrl-C ends training. A log without colours: NO_COLOR=1, or a pipe.";
  return out.str();
}

// Decimal from the first character to the last, where CLI11 reads 010 as 8 and nan as a number.
template <class T>
T parsed(const char* name, const std::string& given, T least, T most) {
  std::istringstream in(given);
  in.imbue(std::locale::classic());
  T value{};
  // libc++ would read nan and 0x1p-3 as well.
  const bool read = given.find_first_not_of("0123456789+-.eE") == std::string::npos &&
                    in >> std::noskipws >> value &&
                    in.peek() == std::istringstream::traits_type::eof();
  if (!read || value < least || value > most)
    throw CLI::ValidationError(
        name, core::to_text("expected ", std::is_integral_v<T> ? "a whole number from " : "", least,
                            " to ", most, ", got ", given));
  return value;
}

template <class T, class Target>
void number(CLI::App& app, const char* name, Target& target, const std::string& what, T least,
            T most) {
  const auto take = [=, &target](const std::string& given) {
    target = parsed<T>(name, given, least, most);
  };
  app.add_option_function<std::string>(name, take, what)->type_name("N");
}
template <class Target>
void whole(CLI::App& app, const char* name, Target& target, const std::string& what, Index least,
           Index most) {
  number<Index>(app, name, target, what, least, most);
}

void file(CLI::App& app, const char* name, std::string& target, const std::string& what) {
  const auto named = [](const std::string& given) {
    return given.empty() ? "expected the name of a file, got \"\"" : "";
  };
  app.add_option(name, target, what)->type_name("FILE")->check(CLI::Validator(named, ""));
}

void add_train(CLI::App& app, TrainArguments& a) {
  CLI::App& c = *app.add_subcommand("train", "Train a model and show what its heads look at");
  c.add_option("TASK", a.task, "What to learn: one of those below")->required()->type_name("");
  file(c, "--file", a.file, "What to read (text and names only)");
  whole(c, "--steps", a.steps, "Training steps", 1, 1'000'000'000);
  whole(c, "--batch", a.batch, "Sequences a step", 1, 65536);
  number(c, "--lr", a.lr, "Learning rate at its peak", 1e-12, 10.0);
  whole(c, "--seed", a.seed, "Of weights and batches (0)", 0, std::numeric_limits<Index>::max());
  whole(c, "--layers", a.layers, "Encoder blocks; 0 for none", 0, 64);
  whole(c, "--heads", a.heads, "Attention heads a layer", 1, 4096);
  whole(c, "--d-model", a.d_model, "Width; heads must divide it", 1, 4096);
  number(c, "--dropout", a.dropout, "Probability, below 1 (0)", 0.0, 0.999);
  whole(c, "--context", a.context, "Characters read at once (text only; 64)", 1, 4096);
  whole(c, "--threads", a.threads, "Threads (as many as cores)", 1, 1024);
  file(c, "--out", a.out, "Where to write the final weights, as safetensors");
  c.footer(train_notes());
}

void add_gradcheck(CLI::App& app, std::vector<std::string>& names, bool& all) {
  CLI::App& c = *app.add_subcommand("gradcheck", "Check gradients against central differences");
  auto* const which =
      c.add_option("NAME", names, "Ops and modules, as they are called in C++")->type_name("");
  c.add_flag("--all", all, "All of them, as if none were named")->excludes(which);
  c.footer(
      "Examples:\n"
      "  tapehead gradcheck --all\n"
      "  tapehead gradcheck softmax matmul MultiHeadAttention");
}

void add_trace(CLI::App& app, TraceArguments& a) {
  CLI::App& c = *app.add_subcommand("trace", "Show the shapes inside multi-head attention");
  whole(c, "--batch", a.batch, core::to_text("Sequences (", a.batch, ")"), 1, 65536);
  whole(c, "--length", a.length, core::to_text("Tokens in each (", a.length, ")"), 1, 65536);
  whole(c, "--d-model", a.d_model, core::to_text("Width; heads must divide it (", a.d_model, ")"),
        1, 65536);
  whole(c, "--heads", a.heads, core::to_text("Attention heads (", a.heads, ")"), 1, 4096);
  c.footer(
      "Examples:\n"
      "  tapehead trace\n"
      "  tapehead trace --batch 1 --length 6 --d-model 8 --heads 2");
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

std::string usage_message(const CLI::App& app, const CLI::ParseError& error, int argc,
                          const char* const* argv) {
  const std::vector<std::string> commands = names_of(app.get_subcommands(nullptr));
  const std::string first = argc > 1 ? argv[1] : "";
  const bool known = std::find(commands.begin(), commands.end(), first) != commands.end();
  if (!known && !first.empty() && first[0] != '-')
    return core::to_text("there is no command \"", first, "\"", suggestion(first, commands),
                         " (tapehead --help lists them)");
  return core::to_text(problem(app, error, argc, argv), " (see tapehead ", known ? first + " " : "",
                       "--help)");
}

int complain(const std::string& message, int code) {
  std::cerr << "tapehead: " << one_line(message) << std::endl;
  return code;
}

int run_command(CLI::App& app, int argc, const char* const* argv) {
  TrainArguments train_arguments;
  TraceArguments trace_arguments;
  std::vector<std::string> names;
  bool all = false;
  add_train(app, train_arguments);
  add_gradcheck(app, names, all);
  add_trace(app, trace_arguments);
  refuse_flag_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    say(app.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    say("tapehead " TAPEHEAD_VERSION "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    throw UsageError(usage_message(app, error, argc, argv));
  }
  if (app.got_subcommand("train"))
    train(train_arguments);
  else if (app.got_subcommand("gradcheck"))
    gradcheck_command(names);
  else if (app.got_subcommand("trace"))
    trace(trace_arguments);
  else
    say(app.help());
  return 0;
}

}  // namespace

int run(int argc, const char* const* argv) {
  guard_standard_streams();
  CLI::App app(about, "tapehead");
  app.set_version_flag("--version", "tapehead " TAPEHEAD_VERSION);
  app.require_subcommand(0, 1);
  app.footer(main_examples);
  try {
    return run_command(app, argc, argv);
  } catch (const UsageError& error) {
    return complain(error.message(), 2);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; use smaller sizes", 1);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}

}  // namespace tapehead::cli
