// tapehead generate: a trained model writes on.
#include "../train/generate.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>

#include "../train/progress.h"
#include "commands.h"
#include "output.h"
#include "progress_printer.h"
#include "settings.h"
#include "text_writer.h"
#include "tokenizer.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

struct GenerateArguments {
  std::string model, tokenizer, prompt, stop;
  Index samples = 1, top_k = 0, seed = 0;
  std::optional<Index> tokens;
  std::optional<double> temperature, top_p = 1;
};

void describe(const train::LoadedModel& loaded) {
  const train::ModelOptions& o = loaded.model->options;
  note(core::to_text(loaded.weights, ": ", train::name(o.arch), ", ", o.layers,
                     o.layers == 1 ? " layer of " : " layers of ", o.heads,
                     o.heads == 1 ? " head" : " heads", ", d_model ", o.d_model, ", ",
                     grouped(loaded.model->num_parameters()), " parameters"));
}

void check_writes(const train::SequenceModel& model) {
  if (model.options.arch == train::Arch::encoder)
    fail("this encoder answers all places at once and does not write; see tapehead eval, or train ",
         "with --arch gpt");
  train::detail::check_causal(model);
}

// The toy task that it was taught, if any.
std::optional<data::Task> task_taught(const train::LoadedModel& loaded) {
  const Settings s = taught(loaded.words);
  const std::vector<std::string>& names = data::task_names();
  if (std::find(names.begin(), names.end(), s.task) == names.end()) return std::nullopt;
  const data::Task task = data::written_out(toy_task(s));
  return task.vocabulary.size() == loaded.model->options.vocabulary ? std::optional(task)
                                                                    : std::nullopt;
}

// What follows a prompt that asks something: all answers, where each is read before the next is
// given; else that to its last symbol. 0 where it asks nothing.
std::size_t answers(const data::Task& task, std::size_t prompt) {
  const std::vector<Index> targets = task.held_out().front().targets;
  const auto first = std::find_if(targets.begin(), targets.end(),
                                  [](Index target) { return target != data::no_target; });
  const auto before = static_cast<std::size_t>(first - targets.begin());
  if (task.answers_within) return prompt == before + 1 ? targets.size() - before : 0;
  return prompt > 0 && prompt <= targets.size() && targets[prompt - 1] != data::no_target;
}

std::string example_of(const data::Task& task) {
  std::vector<Index> inputs = task.held_out().front().inputs;
  while (answers(task, inputs.size()) == 0) inputs.pop_back();
  return task.vocabulary.decode(inputs);
}

// Until a toy task's answer is complete; of texts, some lines.
Index usual_tokens(const std::optional<data::Task>& task, std::size_t asked) {
  if (!task) return 200;
  const std::size_t wanted = answers(*task, asked);
  if (wanted == 0)
    throw UsageError(core::to_text(
        "this model answers questions of ", task->name, ": ", task->question, "; ",
        asked == 0 ? "add --prompt, for example --prompt "
                   : core::to_text("--prompt has ", asked, asked == 1 ? " symbol" : " symbols",
                                   ", which is no such question; for example "),
        '"', example_of(*task), '"'));
  return static_cast<Index>(wanted);
}

std::vector<Index> prompt_of(const Tokenizer& tokenizer, const std::string& text) {
  try {
    return tokenizer.encode(text);
  } catch (const Error& error) {
    throw UsageError(core::to_text("--prompt: ", error.what()));
  }
}

struct Wanted {
  std::vector<Index> asked;  // the prompt as it was given
  Index tokens;
  double temperature;
};

// One text; how many tokens it took.
Index write(const train::LoadedModel& loaded, const Tokenizer& tokenizer,
            const GenerateArguments& a, const Wanted& wanted, std::uint64_t seed,
            const InterruptGuard& interrupt) {
  std::vector<Index> prompt = tokenizer.start;
  TextWriter writer(a.stop);
  const std::vector<Index>& asked = wanted.asked;
  if (!tokenizer.always_starts && !asked.empty()) prompt.clear();
  for (const Index token : asked) {
    writer.add_prompt(tokenizer.decode(prompt.empty() ? -1 : prompt.back(), token));
    prompt.push_back(token);
  }
  Index previous = prompt.back(), count = 0;
  const auto show = [&](Index token) {
    ++count;
    const bool ends =
        std::find(tokenizer.ends.begin(), tokenizer.ends.end(), token) != tokenizer.ends.end();
    const bool goes_on =
        !ends && writer.add(tokenizer.decode(std::exchange(previous, token), token));
    return goes_on && !interrupt.pressed();
  };
  train::generate(*loaded.model, prompt,
                  {.tokens = wanted.tokens,
                   .temperature = wanted.temperature,
                   .top_k = a.top_k,
                   .top_p = *a.top_p,
                   .seed = seed},
                  show);
  writer.end();
  return count;
}

void generate(const GenerateArguments& a) {
  const train::LoadedModel loaded = train::load_model(a.model);
  check_writes(*loaded.model);
  const Tokenizer tokenizer = tokenizer_of(loaded, a.tokenizer);
  const std::optional<data::Task> task = task_taught(loaded);
  std::vector<Index> asked = prompt_of(tokenizer, a.prompt);
  const Index usual = usual_tokens(task, asked.size());
  const Wanted wanted{std::move(asked), a.tokens.value_or(usual),
                      a.temperature.value_or(task ? 0 : 0.8)};
  describe(loaded);
  const InterruptGuard interrupt;
  const auto start = std::chrono::steady_clock::now();
  Index count = 0;
  const bool one_a_line = task || taught(loaded.words).task == "names";
  for (Index i = 0; i < a.samples && !interrupt.pressed(); ++i) {
    if (i > 0 && !one_a_line)
      std::cerr << "--- sample " << i + 1 << ", seed " << a.seed + i << std::endl;
    count += write(loaded, tokenizer, a, wanted, static_cast<std::uint64_t>(a.seed + i), interrupt);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (interrupt.pressed())
    throw Interrupted(
        core::to_text("interrupted after ", grouped(count), count == 1 ? " token" : " tokens"));
  note(core::to_text(grouped(count), count == 1 ? " token, " : " tokens, ",
                     train::rounded(static_cast<double>(count) / seconds.count()), " tokens/s"));
}

}  // namespace

Command generate_command() {
  const auto a = std::make_shared<GenerateArguments>();
  constexpr Index most = 1'000'000'000;
  return {
      .name = "generate",
      .about = "Let a trained model write",
      .notes =
          "MODEL is a run folder, weights that tapehead saved, minGPT's JSON or a\n"
          "checkpoint of llama2.c. The text goes to stdout, all else to stderr.\n\n"
          "Examples:\n"
          "  tapehead generate runs/hamlet --prompt 'To be' --tokens 300\n"
          "  tapehead generate runs/names --samples 10 --seed 5\n"
          "  tapehead generate stories15M.bin --tokenizer tokenizer.bin --temperature 0\n"
          "  tapehead generate runs/hamlet --top-k 5 --top-p 0.9 --stop HAMLET",
      .options = {required(file("MODEL", a->model, "What writes")),
                  text("--prompt", "TEXT", a->prompt, "What it goes on from"),
                  whole("--tokens", a->tokens, "How many to write (200; a task's answer)", 0, most),
                  number("--temperature", a->temperature,
                         "0: likeliest; below 1: likely (0.8; a task: 0)", 0.0, 1000.0),
                  called("K", whole("--top-k", a->top_k, "Only the K likeliest (0: all)", 0, most)),
                  called("P", number("--top-p", a->top_p, "Only the likeliest that add up to P (1)",
                                     1e-9, 1.0)),
                  text("--stop", "TEXT", a->stop, "Ends before this text"),
                  whole("--samples", a->samples, "How many texts (1), each from the next seed", 1,
                        most),
                  whole("--seed", a->seed, "Of what is drawn (0)", 0),
                  file("--tokenizer", a->tokenizer, "llama2.c's tokenizer, or byte pairs as JSON")},
      .run = [a] { generate(*a); }};
}

}  // namespace tapehead::cli
