// tapehead eval: how well a trained model does.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "../train/run_folder.h"
#include "commands.h"
#include "lesson.h"
#include "near_match.h"
#include "output.h"
#include "text_mark.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

struct EvalArguments {
  std::string model, task, file, tokenizer;
  std::optional<Index> length, symbols;
  bool json = false;
};

void check_fits(const train::SequenceModel& model, const data::Task& task) {
  const train::ModelOptions& o = model.options;
  if (o.vocabulary != task.vocabulary.size())
    fail("eval: the model has ", o.vocabulary, " tokens and ", task.name, " ",
         task.vocabulary.size(), "; choose another --task or --symbols");
  if (task.length > o.context)
    fail("eval: the model reads ", o.context, " tokens and ", task.name, " has ", task.length,
         "; choose a shorter --length");
}

// All questions for a model that may have seen them all, or none; else those held out from it.
Verdict judge_toy(train::SequenceModel& model, const Settings& s, bool taught_here) {
  if (!model.causal() && data::task(s.task).answers_within)
    fail("eval: an ", train::name(model.options.arch), " would see the answers of ", s.task,
         "; choose another --task");
  const data::Task usual = toy_task(s);
  const data::Task task = model.causal() ? data::written_out(usual) : usual;
  check_fits(model, task);
  say(core::to_text(task.name, ": ", task.question, "\n"));
  const std::vector<data::Example> examples =
      taught_here ? task.held_out() : data::all_questions(task);
  const std::string count = grouped(std::ssize(examples));
  return judge_task(model, task, examples, taught_here ? "held-out accuracy" : "accuracy",
                    count + (taught_here ? " whole unseen" : " whole"));
}

// The run that these weights are of; "" where they are of none.
std::string run_of(const std::string& model) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (fs::is_directory(model, none)) return model;
  const std::string name = fs::path(model).filename().string();
  const fs::path folder = fs::path(model).parent_path();
  const bool of_run =
      name == "best.safetensors" || name == "final.safetensors" || name == "checkpoint.safetensors";
  return of_run && fs::exists(folder / "config.ini", none)
             ? (folder.empty() ? std::string(".") : folder.string())
             : "";
}

// A run's own file, of which a part is held out.
Verdict judge_run(train::SequenceModel& model, const std::string& folder) {
  const Settings settings = settings_in(train::RunFolder::open(folder).config());
  check_text(folder, settings.file);
  const Lesson lesson = lesson_of(settings);
  say(lesson.about);
  if (lesson.vocabulary != model.options.vocabulary)
    fail("eval: the model has ", model.options.vocabulary, " tokens and its file now ",
         lesson.vocabulary, "; it has changed");
  return lesson.judge(model);
}

Verdict judge(const train::LoadedModel& loaded, const EvalArguments& a) {
  Settings s = taught(loaded.words);
  const bool taught_here =
      !s.task.empty() && (a.task.empty() || a.task == s.task) && !a.length && !a.symbols;
  if (!a.task.empty() && a.task != s.task) s = Settings(), s.task = a.task;
  if (a.length) s.length = a.length;
  if (a.symbols) s.symbols = a.symbols;
  const std::string run = run_of(a.model);
  if (!a.file.empty()) return judge_text(*loaded.model, tokenizer_of(loaded, a.tokenizer), a.file);
  if (!run.empty() && taught_here) return judge_run(*loaded.model, run);
  if (s.task.empty())
    throw UsageError("the model does not say what it was taught; add --task NAME or --file FILE");
  if (reads_file(s.task))
    throw UsageError(core::to_text("a model of ", s.task,
                                   " outside its run folder does not say what was held out from "
                                   "it; name the folder, or add --file FILE"));
  return judge_toy(*loaded.model, s, taught_here);
}

void eval(const EvalArguments& a) {
  const ForPrograms for_programs(a.json);
  const train::LoadedModel loaded = train::load_model(a.model);
  const Verdict verdict = judge(loaded, a);
  say(verdict.text);
  if (!verdict.tally.empty())
    say("right from the first symbol to the last: " + verdict.tally + "\n");
  if (a.json) say_to_programs(io::Json::object(verdict.fields).text() + "\n");
}

}  // namespace

Command eval_command() {
  const auto a = std::make_shared<EvalArguments>();
  return {
      .name = "eval",
      .about = "Say how well a trained model does",
      .notes =
          "MODEL is a run folder, weights that tapehead saved, minGPT's JSON or a\n"
          "checkpoint of llama2.c. What a model was taught here, it is asked what was\n"
          "held out from it; another --task, all questions, or 1,000; a --file, how\n"
          "likely it finds each token.\n\n"
          "Examples:\n"
          "  tapehead eval runs/hamlet\n"
          "  tapehead eval addition.safetensors --json\n"
          "  tapehead eval model.json --task sort --length 6 --symbols 3\n"
          "  tapehead eval stories15M.bin --tokenizer tokenizer.bin --file story.txt",
      .options = {required(file("MODEL", a->model, "What is judged")),
                  word("--task", a->task, "A toy task", data::task_names()),
                  whole("--length", a->length, "Of the task's sequences", 1, 4096),
                  whole("--symbols", a->symbols, "How many the task has", 1, 4096),
                  file("--file", a->file, "A text to judge by"),
                  file("--tokenizer", a->tokenizer, "llama2.c's tokenizer, or byte pairs as JSON"),
                  flag("--json", a->json, "The result for programs")},
      .run = [a] { eval(*a); }};
}

}  // namespace tapehead::cli
