#include "settings.h"

#include <algorithm>
#include <filesystem>

#include "../train/choices.h"
#include "commands.h"
#include "near_match.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

const std::vector<std::string> tokenizers{"characters", "bytes", "bpe"};

// UsageError if an option that is for others was given.
template <class T>
void only_for(const char* option, const std::optional<T>& value, bool fits, const std::string& whom,
              const std::string& instead) {
  if (value && !fits)
    throw UsageError(core::to_text(option, " is for ", whom, ", not for ", instead));
}
void only_for(const char* option, const std::string& value, bool fits, const std::string& whom,
              const std::string& instead) {
  only_for(option, value.empty() ? std::optional<int>() : 1, fits, whom, instead);
}

std::string word_in(const io::Metadata& words, const char* key) {
  const auto found = words.find(key);
  return found == words.end() ? "" : found->second;
}

std::optional<Index> number_in(const io::Metadata& words, const char* key) {
  std::istringstream in(word_in(words, key));
  Index value = 0;
  return in >> value ? std::optional<Index>(value) : std::nullopt;
}

void check_data(const Settings& s) {
  const std::vector<std::string>& names = train::recipe_names();
  if (std::find(names.begin(), names.end(), s.task) == names.end())
    throw UsageError(core::to_text("expected ", data::alternatives(names), ", got \"", s.task, "\"",
                                   suggestion(s.task, names)));
  if (reads_file(s.task) && s.file.empty())
    throw UsageError(core::to_text(s.task, " needs a file to read; add --file FILE"));
  if (!reads_file(s.task) && !s.file.empty())
    throw UsageError(core::to_text("--file is for text and names, not for ", s.task,
                                   "; try: train text --file ", s.file));
  if (s.task != "text" && s.context)
    throw UsageError(
        core::to_text("--context is for text; the sequences of ", s.task, " have one length"));
  only_for("--tokenizer", s.tokenizer, s.task == "text", "text", s.task);
  only_for("--tokens", s.tokens, s.tokenizer == "bpe", "--tokenizer bpe",
           s.tokenizer.empty() ? s.task : s.tokenizer);
  only_for("--length", s.length, !reads_file(s.task), "toy tasks", s.task);
  only_for("--symbols", s.symbols, !reads_file(s.task), "toy tasks", s.task);
}

bool looks_ahead(train::Arch arch) {
  return arch == train::Arch::encoder || arch == train::Arch::encdec;
}

void check_model(const Settings& s) {
  const train::Arch arch = train::arch_of(s.arch);
  if (looks_ahead(arch) && (reads_file(s.task) || data::task(s.task).answers_within))
    throw UsageError(core::to_text("an ", s.arch, " would see the answers of ", s.task,
                                   "; choose decoder, gpt or llama"));
  const std::string other = "--arch " + s.arch;
  only_for("--positions", s.positions, arch == train::Arch::decoder, "--arch decoder", other);
  only_for("--kv-heads", s.kv_heads, arch == train::Arch::llama, "--arch llama", other);
  only_for("--d-ff", s.d_ff, arch != train::Arch::gpt, "all but --arch gpt",
           "it: it has 4 d_model");
}

}  // namespace

bool reads_file(const std::string& task) { return task == "text" || task == "names"; }
bool is_causal(const Settings& s) { return !looks_ahead(train::arch_of(s.arch)); }

std::vector<Option> options_of(Settings& s) {
  constexpr Index most_steps = 1'000'000'000;
  return {required(text("TASK", "", s.task, "What to learn: one of those below")),
          file("--file", s.file, "What to read (text and names only)"),
          word("--tokenizer", s.tokenizer, "characters, bytes or bpe (text only)", tokenizers),
          whole("--tokens", s.tokens, "How many different ones (bpe only; 512)", 256, 65536),
          whole("--context", s.context, "Tokens read at once (text only; 64)", 1, 4096),
          whole("--length", s.length, "Of a toy task's sequences", 1, 4096),
          whole("--symbols", s.symbols, "How many a toy task has", 1, 4096),
          word("--arch", s.arch, "encoder, decoder, encdec, gpt or llama", train::arch_names()),
          word("--positions", s.positions, "sinusoidal, learned, rotary or alibi (decoder)",
               train::position_names()),
          whole("--layers", s.layers, "Blocks; 0 for none", 0, 64),
          whole("--heads", s.heads, "Attention heads a layer", 1, 4096),
          whole("--kv-heads", s.kv_heads, "Of keys and values (llama only; as --heads)", 1, 4096),
          whole("--d-model", s.d_model, "Width; heads must divide it", 1, 4096),
          whole("--d-ff", s.d_ff, "Width inside feed-forward networks", 1, 65536),
          number("--dropout", s.dropout, "Probability, below 1 (0)", 0.0, 0.999),
          whole("--steps", s.steps, "Training steps", 1, most_steps),
          whole("--batch", s.batch, "Sequences a step", 1, 65536),
          number("--lr", s.lr, "Learning rate at its peak (noam: a factor)", 1e-12, 10.0),
          word("--optimizer", s.optimizer, "adam, adamw, sgd or muon", train::optimizer_names()),
          word("--schedule", s.schedule, "cosine, linear, noam, step or constant",
               train::schedule_names()),
          whole("--warmup", s.warmup, "Steps up to the peak (a tenth)", 0, most_steps),
          number("--weight-decay", s.weight_decay, "Of matrices", 0.0, 100.0),
          number("--max-norm", s.max_norm, "Gradients are clipped to it (1)", 1e-12, 1e12),
          whole("--accumulate", s.accumulate, "Batches a step (1)", 1, 65536),
          number("--label-smoothing", s.label_smoothing, "Part of the loss, up to 1 (0)", 0.0, 1.0),
          number("--ema", s.ema, "Decay of averaged weights (0: none)", 0.0, 1.0),
          whole("--patience", s.patience, "Losses without a best to stop after (0: never)", 0,
                most_steps),
          whole("--evaluate-every", s.evaluate_every, "Steps between held-out losses (100)", 1,
                most_steps),
          whole("--save-every", s.save_every, "Steps between checkpoints (100)", 1, most_steps),
          whole("--seed", s.seed, "Of weights and batches (0)", 0)};
}

Settings resolved(const Settings& given) {
  check_data(given);
  Settings s = given;
  const train::Recipe recipe = train::recipe(s.task);
  const bool causal = reads_file(s.task) || data::task(s.task).causal;
  if (s.arch.empty()) s.arch = train::name(causal ? recipe.writes : train::Arch::encoder);
  check_model(s);
  const auto usual = [](auto& value, const auto& otherwise) { value = value.value_or(otherwise); };
  usual(s.layers, recipe.layers), usual(s.heads, recipe.heads), usual(s.d_model, recipe.d_model);
  usual(s.dropout, recipe.dropout), usual(s.batch, recipe.batch), usual(s.steps, recipe.steps);
  if (s.arch != "gpt") usual(s.d_ff, recipe.widening * *s.d_model);
  if (s.arch == "llama") usual(s.kv_heads, *s.heads);
  if (s.arch == "decoder" && s.positions.empty()) s.positions = "sinusoidal";
  if (s.task == "text") usual(s.context, 64);
  if (s.task == "text" && s.tokenizer.empty()) s.tokenizer = "characters";
  if (s.tokenizer == "bpe") usual(s.tokens, 512);
  const train::FitOptions fit = recipe.fit();
  usual(s.lr, fit.lr), usual(s.warmup, *s.steps / 10), usual(s.weight_decay, fit.weight_decay);
  usual(s.max_norm, fit.max_norm), usual(s.accumulate, fit.accumulate);
  usual(s.label_smoothing, fit.label_smoothing), usual(s.ema, fit.ema);
  usual(s.patience, fit.patience), usual(s.evaluate_every, 100), usual(s.save_every, 100);
  if (s.optimizer.empty()) s.optimizer = fit.optimizer;
  if (s.schedule.empty()) s.schedule = fit.schedule;
  check_heads(*s.d_model, *s.heads);
  if (s.kv_heads && *s.heads % *s.kv_heads != 0)
    throw UsageError(core::to_text("--kv-heads ", *s.kv_heads, " must divide --heads ", *s.heads));
  return s;
}

train::ModelOptions model_options(const Settings& s, Index vocabulary, Index context) {
  train::ModelOptions options{.vocabulary = vocabulary,
                              .context = context,
                              .d_model = *s.d_model,
                              .heads = *s.heads,
                              .layers = *s.layers,
                              .d_ff = s.d_ff.value_or(4 * *s.d_model),
                              .dropout = *s.dropout,
                              .arch = train::arch_of(s.arch),
                              .kv_heads = s.kv_heads.value_or(0)};
  if (!s.positions.empty()) options.positions = train::positions_of(s.positions);
  return options;
}

train::FitOptions fit_options(const Settings& s) {
  return {.steps = *s.steps,
          .lr = *s.lr,
          .warmup = *s.warmup,
          .max_norm = *s.max_norm,
          .optimizer = s.optimizer,
          .schedule = s.schedule,
          .weight_decay = *s.weight_decay,
          .accumulate = *s.accumulate,
          .label_smoothing = *s.label_smoothing,
          .ema = *s.ema,
          .patience = *s.patience};
}

data::Task toy_task(const Settings& s) {
  try {
    return data::task(s.task, {.length = s.length, .symbols = s.symbols});
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

data::Task task_of(const Settings& s) {
  const data::Task task = toy_task(s);
  return is_causal(s) ? data::written_out(task) : task;
}

std::string config_text(Settings s) {
  if (!s.file.empty()) s.file = std::filesystem::absolute(s.file).lexically_normal().string();
  const std::string text = settings_text(options_of(s));
  if (settings_in(text).file != s.file)
    throw UsageError(core::to_text("the name of --file ", s.file,
                                   " cannot be kept in a run's config.ini; rename it"));
  return text;
}

Settings taught(const io::Metadata& words) {
  Settings s;
  s.task = word_in(words, "task");
  s.length = number_in(words, "length");
  s.symbols = number_in(words, "symbols");
  return s;
}

Settings settings_in(const std::string& config) {
  Settings s;
  take(options_of(s), parse_settings(config), {});
  return s;
}

}  // namespace tapehead::cli
