#include "train.h"

#include <omp.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>

#include "../io/atomic_file.h"
#include "../io/byte_pairs.h"
#include "../io/json.h"
#include "../train/choices.h"
#include "../train/load_model.h"
#include "../train/precheck.h"
#include "../train/run_folder.h"
#include "output.h"
#include "progress_printer.h"
#include "text_mark.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

// Under any name: by another path, a link.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code none_if_missing;
  return std::filesystem::equivalent(one, other, none_if_missing);
}

void check(const TrainArguments& a, const Settings& s) {
  const std::string end = std::filesystem::path(a.out).extension().string();
  if (end == ".npz" || end == ".npy")
    throw UsageError(core::to_text("--out ", a.out,
                                   ": weights are written as safetensors; name it ",
                                   std::filesystem::path(a.out).replace_extension().string(),
                                   ".safetensors, and let tapehead convert make ", end, " of it"));
  if (same_file(s.file, a.out))
    throw UsageError(core::to_text("--out ", a.out, " is the text itself; choose another name"));
  if (!a.run.empty() && !a.resume.empty())
    throw UsageError("--resume names the folder already; leave --run out");
  if (!a.run.empty() || !a.resume.empty()) return;
  if (*s.patience > 0)
    throw UsageError("--patience needs a run folder, where the best weights go; add --run DIR");
  if (s.tokenizer == "bpe")
    throw UsageError("--tokenizer bpe needs a run folder, where it is kept; add --run DIR");
}

// Noam's --lr is a factor; its rate is highest where the warm-up ends, or the run does.
std::string peak(const Settings& s, const train::ModelOptions& model) {
  if (s.schedule != "noam") return core::to_text(*s.lr);
  const Index last = std::min(std::max<Index>(*s.warmup, 1), *s.steps) - 1;
  return core::to_text(std::setprecision(3),
                       train::schedule_of(fit_options(s), model.d_model)(last));
}

void describe(const train::SequenceModel& model, const Settings& s) {
  const train::ModelOptions& m = model.options;
  say(core::to_text(
      train::name(m.arch), ": ", m.layers, m.layers == 1 ? " layer of " : " layers of ", m.heads,
      m.heads == 1 ? " head" : " heads", ", d_model ", m.d_model, ", ",
      model.causal() ? "causal" : "no mask", ", ", grouped(model.num_parameters()), " parameters",
      m.dropout > 0 ? core::to_text(", dropout ", m.dropout) : "", "\n", grouped(*s.steps),
      *s.steps == 1 ? " step of " : " steps of ", *s.batch,
      *s.batch == 1 ? " sequence" : " sequences", ", learning rate up to ", peak(s, m), "\n"));
}

void show_gradcheck(const train::ModelOptions& options, std::uint64_t seed) {
  const GradcheckResult result = train::check_gradients(options, seed);
  if (!result.passed) fail("the gradients of this model are wrong: ", result.message);
  const Index entries = result.checked - 1;
  say(core::to_text("gradients checked: ", grouped(entries), entries == 1 ? " entry" : " entries",
                    " and a direction through all, to ", std::setprecision(2),
                    result.worst_relative, "\n", skipped_line(result.skipped)));
}

// What goes along with weights, so that they can be used without anything else.
io::Metadata words_of(const Settings& s, const train::SequenceModel& model, const Lesson& lesson) {
  io::Metadata words = io::as_pytorch;
  words.merge(train::model_words(model.options));
  words.insert(lesson.tokenizer.words.begin(), lesson.tokenizer.words.end());
  words["task"] = s.task;
  if (s.length) words["length"] = std::to_string(*s.length);
  if (s.symbols) words["symbols"] = std::to_string(*s.symbols);
  if (lesson.byte_pairs) words["tokenizer"] = s.tokenizer;
  return words;
}

// As a shell takes it for one word.
std::string quoted(const std::string& path) {
  if (path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "_-+./,:@%") == std::string::npos)
    return path;
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

void warn_of_idle_parameters(const train::Trainer& trainer) {
  const std::vector<std::string> never = trainer.watch().never();
  if (never.empty()) return;
  constexpr std::size_t most = 4;
  std::string names;
  for (std::size_t i = 0; i < std::min(most, never.size()); ++i)
    names += (i > 0 ? ", " : "") + never[i];
  if (never.size() > most) names += core::to_text(" and ", never.size() - most, " more");
  note(core::to_text("warning: no gradient ever reached ", names,
                     "; nothing that the loss depends on goes through ",
                     never.size() == 1 ? "it" : "them"));
}

// The folder of a run that begins or goes on, if it is to have one.
std::optional<train::RunFolder> folder_of(const TrainArguments& a, const Settings& s,
                                          const Lesson& lesson) {
  if (!a.resume.empty()) return train::RunFolder::open(a.resume);
  if (a.run.empty()) return std::nullopt;
  train::RunFolder folder = train::RunFolder::create(a.run, config_text(s));
  if (lesson.byte_pairs) io::save_byte_pairs(byte_pairs_in(a.run), lesson.byte_pairs->merges());
  keep_text(a.run, s.file);
  return folder;
}

// The step whose held-out loss was the lowest, by the log; nothing without one.
std::optional<Index> best_step(const std::string& log) {
  std::ifstream in(log);
  const std::string key = "\"held_out_loss\":";
  std::optional<Index> step;
  double lowest = INFINITY;
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find(key);
    if (at == std::string::npos) continue;
    std::istringstream number(line.substr(at + key.size()));
    number.imbue(std::locale::classic());
    double loss = INFINITY;  // where it was none: null
    if (number >> loss && loss < lowest) {
      lowest = loss;
      step = io::json_integer(line, "step");
    }
  }
  return step;
}

class Run {
 public:
  Run(const TrainArguments& a, const Settings& s, const Lesson& lesson)
      : arguments_(a),
        settings_(s),
        lesson_(lesson),
        model_(model_options(s, lesson.vocabulary, lesson.context)),
        trainer_(model_, fit_options(s)),
        batches_(train::drawn(batch_generator(seed()),
                              [draw = lesson.draw, size = *s.batch](core::Generator& random) {
                                return draw(random, size);
                              })) {}

  void operator()() {
    std::optional<InterruptGuard> interrupt(std::in_place);
    describe(model_, settings_);
    show_gradcheck(model_.options, seed());
    if (interrupt->pressed())
      throw Interrupted("interrupted before the first step; nothing was written");
    const std::optional<train::RunFolder> folder = folder_of(arguments_, settings_, lesson_);
    const train::Progress progress = fit(folder, *interrupt);
    interrupt.reset();
    if (!trainer_.finished()) stop(progress, folder);
    if (trainer_.stopping().enough())
      say_why(progress, *folder);
    else if (folder)
      tell_best(*folder);
    warn_of_idle_parameters(trainer_);
    save(folder);
    report(progress);
  }

 private:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(settings_.seed); }

  train::Progress fit(const std::optional<train::RunFolder>& folder,
                      const InterruptGuard& interrupt) {
    ProgressPrinter printer;
    const train::Report report = [&](const train::Progress& p) {
      printer.show(p);
      return !interrupt.pressed();
    };
    train::Progress progress{};
    if (folder) {
      if (const Index step = train::resume(*folder, trainer_, batches_); step > 0)
        say(core::to_text("going on after step ", grouped(step), "\n"));
      progress = train::run(*folder, trainer_, batches_,
                            {.evaluate_every = *settings_.evaluate_every,
                             .save_every = *settings_.save_every,
                             .held_out =
                                 [&] {
                                   const train::TokenScore score = lesson_.held_out(model_);
                                   printer.held_out(last_held_out_ = score.loss, trainer_.steps());
                                   return score;
                                 },
                             .report = report,
                             .weights_metadata = words_of(settings_, model_, lesson_)});
    } else {
      progress = train::fit(trainer_, batches_.next, report);
    }
    printer.end();
    return progress;
  }

  [[noreturn]] void stop(const train::Progress& p,
                         const std::optional<train::RunFolder>& folder) const {
    const std::string when = core::to_text("interrupted after step ", p.step, " of ", p.steps);
    if (!folder) throw Interrupted(when + "; no weights were written");
    throw Interrupted(when + "; to go on: tapehead train --resume " + quoted(folder->path()));
  }

  void say_why(const train::Progress& p, const train::RunFolder& folder) const {
    const Index looks = trainer_.options().patience;
    const bool has_best = std::isfinite(trainer_.stopping().best);
    say(core::to_text(
        "stopped after step ", p.step, " of ", p.steps, ": no lower held-out loss in the last ",
        looks == 1 ? "look" : core::to_text(looks, " looks"),
        has_best ? core::to_text("; the best weights are in ", one_line(folder.best()),
                                 " and have become the final ones")
                 : "; it never was a number",
        "\n"));
  }

  // Where the last weights are not the best.
  void tell_best(const train::RunFolder& folder) const {
    const double best = trainer_.stopping().best;
    const std::optional<Index> step = best_step(folder.log());
    if (!step || !(last_held_out_ > best)) return;
    say(core::to_text("lowest held-out loss ", std::fixed, std::setprecision(3), best, " at step ",
                      *step, ": ", one_line(folder.best()), "\n"));
  }

  void save(const std::optional<train::RunFolder>& folder) {
    if (folder) say(core::to_text("the run is in ", one_line(folder->path()), "\n"));
    if (arguments_.out.empty()) return;
    const train::Trainer::Averaged averaged(trainer_);
    io::save_safetensors(arguments_.out, model_.state_dict(), words_of(settings_, model_, lesson_));
    say(core::to_text("weights written to ", one_line(arguments_.out), "\n"));
  }

  void report(const train::Progress& p) {
    const train::Trainer::Averaged averaged(trainer_);
    const Verdict verdict = lesson_.judge(model_);
    say(verdict.text);
    lesson_.show(model_, seed());
    if (!arguments_.json) return;
    std::vector<std::pair<std::string, io::Json>> fields{
        {"task", settings_.task},
        {"arch", settings_.arch},
        {"parameters", model_.num_parameters()},
        {"steps", p.step},
        {"train_loss", p.loss},
        {"seconds", p.seconds},
        {"tokens_per_second", p.tokens_per_second}};
    fields.insert(fields.end(), verdict.fields.begin(), verdict.fields.end());
    say_to_programs(io::Json::object(fields).text() + "\n");
  }

  const TrainArguments& arguments_;
  const Settings& settings_;
  const Lesson& lesson_;
  train::SequenceModel model_;
  train::Trainer trainer_;
  train::Batches batches_;
  double last_held_out_ = NAN;
};

// A toy task must have questions to train on, and others.
Lesson checked_lesson(const Settings& s) {
  if (reads_file(s.task)) return lesson_of(s);
  try {
    Lesson lesson = lesson_of(s);
    core::Generator random(0);
    lesson.draw(random, 1);
    return lesson;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

core::Generator batch_generator(std::uint64_t seed) { return core::Generator(seed ^ 0x5DEECE66D); }

void train(const TrainArguments& arguments) {
  const ForPrograms for_programs(arguments.json);
  const Settings settings = resolved(arguments.settings);
  check(arguments, settings);
  if (!arguments.out.empty()) io::check_writable(arguments.out);
  if (!arguments.run.empty()) train::RunFolder::check_free(arguments.run);
  if (arguments.threads) omp_set_num_threads(static_cast<int>(*arguments.threads));
  if (!arguments.resume.empty()) check_text(arguments.resume, settings.file);
  const Lesson lesson = checked_lesson(settings);
  say(lesson.about);
  manual_seed(static_cast<std::uint64_t>(settings.seed));
  Run(arguments, settings, lesson)();
}

}  // namespace tapehead::cli
