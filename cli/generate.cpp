// tapehead generate: a trained model writes on.
#include "../train/generate.h"

#include <algorithm>
#include <chrono>
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
  std::optional<double> temperature = 0.8, top_p = 1;
};

void describe(const train::LoadedModel& loaded) {
  const train::ModelOptions& o = loaded.model->options;
  note(core::to_text(loaded.weights, ": ", train::name(o.arch), ", ", o.layers,
                     o.layers == 1 ? " layer of " : " layers of ", o.heads,
                     o.heads == 1 ? " head" : " heads", ", d_model ", o.d_model, ", ",
                     grouped(loaded.model->num_parameters()), " parameters"));
}

// Until a toy task's answer is complete; of texts, some lines.
Index usual_tokens(const train::LoadedModel& loaded, std::size_t prompt) {
  const auto task = loaded.words.find("task");
  if (task == loaded.words.end() || reads_file(task->second)) return 200;
  return std::max<Index>(loaded.model->options.context + 1 - static_cast<Index>(prompt), 1);
}

// One text; how many tokens it took.
Index write(const train::LoadedModel& loaded, const Tokenizer& tokenizer,
            const GenerateArguments& a, std::uint64_t seed, const InterruptGuard& interrupt) {
  std::vector<Index> prompt = tokenizer.start;
  TextWriter writer(a.stop);
  const std::vector<Index> asked = tokenizer.encode(a.prompt);
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
                  {.tokens = a.tokens.value_or(usual_tokens(loaded, prompt.size())),
                   .temperature = *a.temperature,
                   .top_k = a.top_k,
                   .top_p = *a.top_p,
                   .seed = seed},
                  show);
  writer.end();
  return count;
}

void generate(const GenerateArguments& a) {
  const train::LoadedModel loaded = train::load_model(a.model);
  train::detail::check_causal(*loaded.model);
  const Tokenizer tokenizer = tokenizer_of(loaded, a.tokenizer);
  describe(loaded);
  const InterruptGuard interrupt;
  const auto start = std::chrono::steady_clock::now();
  Index count = 0;
  for (Index i = 0; i < a.samples && !interrupt.pressed(); ++i)
    count += write(loaded, tokenizer, a, static_cast<std::uint64_t>(a.seed + i), interrupt);
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
                         "Below 1: likely ones; 0: likeliest (0.8)", 0.0, 1000.0),
                  whole("--top-k", a->top_k, "Only the K likeliest (0: all)", 0, most),
                  number("--top-p", a->top_p, "Only the likeliest that add up to P (1)", 1e-9, 1.0),
                  text("--stop", "TEXT", a->stop, "Ends before this text"),
                  whole("--samples", a->samples, "How many texts (1), each from the next seed", 1,
                        most),
                  whole("--seed", a->seed, "Of what is drawn (0)", 0),
                  file("--tokenizer", a->tokenizer, "llama2.c's tokenizer, or byte pairs as JSON")},
      .run = [a] { generate(*a); }};
}

}  // namespace tapehead::cli
