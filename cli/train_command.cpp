#include <iomanip>
#include <memory>

#include "../core/error.h"
#include "../core/text.h"
#include "../data/text_file.h"
#include "../train/run_folder.h"
#include "commands.h"
#include "train.h"

namespace tapehead::cli {
namespace {

std::string notes() {
  core::TextStream out;
  out << "What each task is trained with unless told otherwise:\n"
      << "             steps  batch     lr  layers  heads  d-model\n";
  for (const std::string& task : train::recipe_names()) {
    const train::Recipe r = train::recipe(task);
    out << "  " << std::left << std::setw(10) << task << std::right << std::setw(6) << r.steps
        << std::setw(7) << r.batch << std::setw(7) << r.lr << std::setw(8) << r.layers
        << std::setw(7) << r.heads << std::setw(9) << r.d_model << "\n";
  }
  out << "\nA file of settings has a line `name = value` for each; what the command line\n"
         "says goes before it. Ctrl-C finishes the step, saves the run, and says how to\n"
         "go on. A log without colours: NO_COLOR=1, or a pipe.\n"
         "\nExamples:\n"
         "  tapehead train copy\n"
         "  tapehead train sort --arch gpt --length 6 --symbols 3 --seed 3\n"
         "  tapehead train addition --out addition.safetensors\n"
         "  tapehead train names --file names.txt --run runs/names\n"
         "  tapehead train text --file hamlet.txt --tokenizer bpe --run runs/hamlet\n"
         "  tapehead train --resume runs/hamlet\n"
         "  tapehead train --config runs/hamlet/config.ini --seed 1 --run runs/second";
  return out.str();
}

std::string settings_file(const std::string& path) {
  std::string text = data::read_text_file("train", path);
  if (text.size() > std::size_t{1} << 20)
    fail<IoError>("train: ", path,
                  " is larger than 1 MiB, as no settings are; give a config.ini as runs have it");
  return text;
}

std::string settings_of_run(const std::string& path) {
  return train::RunFolder::open(path).config();
}

}  // namespace

Command train_command() {
  const auto a = std::make_shared<TrainArguments>();
  std::vector<Option> options = options_of(a->settings);
  const auto folder = [](const char* name, std::string& target, const char* what) {
    Option option = aside(file(name, target, what));
    option.value = "DIR";
    return option;
  };
  Option resume = folder("--resume", a->resume, "Go on with the run in DIR");
  resume.settings = settings_of_run;
  resume.alone = true;
  const Option from{"--config", "FILE",       "Settings, as INI or TOML", [](const std::string&) {},
                    {},         settings_file};
  options.insert(
      options.end(),
      {from, folder("--run", a->run, "A new folder for the run: settings, log, weights"), resume,
       aside(file("--out", a->out, "Where the final weights go, as safetensors")),
       aside(whole("--threads", a->threads, "Threads (as many as cores)", 1, 1024)),
       flag("--json", a->json, "The result for programs; progress on stderr")});
  return {.name = "train",
          .about = "Train a model and show what its heads look at",
          .notes = notes(),
          .options = std::move(options),
          .run = [a] { train(*a); }};
}

}  // namespace tapehead::cli
