#include "command.h"

#include <CLI/CLI.hpp>
#include <iomanip>
#include <iostream>
#include <new>

#include "../train/recipe.h"
#include "gradcheck_command.h"
#include "near_match.h"
#include "output.h"
#include "trace.h"
#include "train.h"

namespace tapehead::cli {
namespace {

constexpr const char* about =
    "tapehead: train small attention models, check their gradients, look inside.";

constexpr const char* main_examples = R"(
Examples:
  tapehead train reverse                          learn to reverse eight digits, see where heads look
  tapehead train text --file hamlet.txt           learn to write, character by character
  tapehead gradcheck --all                        every op and module against central differences
  tapehead trace                                  the shapes inside multi-head attention

tapehead COMMAND --help says more.)";

std::string train_notes() {
  std::ostringstream out;
  out << "\nWhat each task is trained with unless told otherwise:\n"
      << "             steps  batch     lr  layers  heads  d-model\n";
  for (const char* task : {"copy", "reverse", "sort", "addition", "text"}) {
    const train::Recipe r = train::recipe(task);
    out << "  " << std::left << std::setw(10) << task << std::right << std::setw(6) << r.steps
        << std::setw(7) << r.batch << std::setw(7) << r.lr << std::setw(8) << r.layers
        << std::setw(7) << r.heads << std::setw(9) << r.d_model << "\n";
  }
  out << "\nExamples:\n"
         "  tapehead train copy\n"
         "  tapehead train sort --heads 1 --seed 3\n"
         "  tapehead train addition --out addition.safetensors\n"
         "  tapehead train text --file hamlet.txt --steps 3000 --layers 3\n"
         "\nCtrl-C ends training. A log without colours: NO_COLOR=1, or a pipe.";
  return out.str();
}

// Unlike CLI::Range it has no place for NaN.
CLI::Validator between(double least, double most) {
  return CLI::Validator(
      [=](const std::string& given) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(given, value) && value >= least && value <= most) return "";
        return text("expected ", least, " to ", most, ", got ", given);
      },
      text("FROM ", least, " TO ", most));
}

void add_train(CLI::App& app, TrainArguments& a) {
  CLI::App& c = *app.add_subcommand("train", "Train a model and show what its heads look at");
  c.add_option("TASK", a.task, "copy, reverse, sort, addition or text")->required();
  c.add_option("--file", a.file, "What to read (text only)");
  c.add_option("--steps", a.steps, "Training steps")->check(CLI::Range(1, 1'000'000'000));
  c.add_option("--batch", a.batch, "Sequences a step")->check(CLI::Range(1, 65536));
  c.add_option("--lr", a.lr, "Learning rate at its peak")->check(between(1e-12, 10));
  c.add_option("--seed", a.seed, "Of weights and batches (0)")->check(CLI::NonNegativeNumber);
  c.add_option("--layers", a.layers, "Encoder blocks; 0 for none")->check(CLI::Range(0, 64));
  c.add_option("--heads", a.heads, "Attention heads a layer")->check(CLI::Range(1, 4096));
  c.add_option("--d-model", a.d_model, "Width; heads must divide it")->check(CLI::Range(1, 4096));
  c.add_option("--dropout", a.dropout, "Probability, below 1 (0)")->check(between(0, 0.999));
  c.add_option("--context", a.context, "Characters read at once (text only; 64)")
      ->check(CLI::Range(1, 4096));
  c.add_option("--threads", a.threads, "Threads (as many as cores)")->check(CLI::Range(1, 1024));
  c.add_option("--out", a.out, "Write the final weights there, as safetensors");
  c.footer(train_notes);
}

void add_gradcheck(CLI::App& app, std::vector<std::string>& names, bool& all) {
  CLI::App& c = *app.add_subcommand("gradcheck", "Check gradients against central differences");
  auto* const which = c.add_option("NAME", names, "Ops and modules, as they are called in C++");
  c.add_flag("--all", all, "All of them, as if none were named")->excludes(which);
  c.footer(
      "\nExamples:\n"
      "  tapehead gradcheck --all\n"
      "  tapehead gradcheck softmax matmul MultiHeadAttention");
}

void add_trace(CLI::App& app, TraceArguments& a) {
  CLI::App& c = *app.add_subcommand("trace", "Show the shapes inside multi-head attention");
  c.add_option("--batch", a.batch, "Sequences")->capture_default_str()->check(CLI::Range(1, 65536));
  c.add_option("--length", a.length, "Tokens in each")
      ->capture_default_str()
      ->check(CLI::Range(1, 65536));
  c.add_option("--d-model", a.d_model, "Width; heads must divide it")
      ->capture_default_str()
      ->check(CLI::Range(1, 65536));
  c.add_option("--heads", a.heads, "Attention heads")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  c.footer(
      "\nExamples:\n"
      "  tapehead trace\n"
      "  tapehead trace --batch 1 --length 6 --d-model 8 --heads 2");
}

std::string usage_message(const CLI::App& app, const std::string& what, int argc,
                          const char* const* argv) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands(nullptr))
    commands.push_back(command->get_name());
  const std::string first = argc > 1 ? argv[1] : "";
  const bool known = std::find(commands.begin(), commands.end(), first) != commands.end();
  if (!known && !first.empty() && first[0] != '-')
    return text("there is no command \"", first, "\"", suggestion(first, commands),
                " (tapehead --help lists them)");
  return text(what, "; see tapehead ", known ? first + " " : "", "--help");
}

int complain(const std::string& message, int code) {
  std::cerr << "tapehead: " << message << std::endl;
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    say(app.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    say("tapehead " TAPEHEAD_VERSION "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    throw UsageError(usage_message(app, error.what(), argc, argv));
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
