// Settings: all that a training run depends on, as options of the command and as a run's
// config.ini.
#pragma once

#include "../data/tasks.h"
#include "../io/safetensors.h"
#include "../train/recipe.h"
#include "options.h"

namespace tapehead::cli {

/// As given; resolve() puts in what is missing. What does not matter to a run stays empty.
struct Settings {
  std::string task;                     // one of train::recipe_names()
  std::string file, tokenizer;          // of text, the first of names too
  std::optional<Index> context;         // of text
  std::optional<Index> length, tokens;  // of toy tasks; of byte pairs
  std::optional<Index> symbols;         // of toy tasks
  std::string arch, positions;
  std::optional<Index> layers, heads, kv_heads, d_model, d_ff;
  std::optional<double> dropout;
  std::optional<Index> steps, batch, warmup, accumulate, patience, evaluate_every, save_every;
  std::optional<double> lr, weight_decay, max_norm, label_smoothing, ema;
  std::string optimizer, schedule;
  Index seed = 0;
};

std::vector<Option> options_of(Settings& settings);

/// With the task's recipe in the place of what is missing. UsageError where they don't fit
/// together.
Settings resolved(const Settings& given);

/// Of resolved ones. The sizes that are not settings are those of the data.
train::ModelOptions model_options(const Settings& settings, Index vocabulary, Index context);
train::FitOptions fit_options(const Settings& settings);

bool is_causal(const Settings& settings);
/// Whether a file is read, rather than questions drawn.
bool reads_file(const std::string& task);
/// The toy task. UsageError for a size that it cannot have.
data::Task toy_task(const Settings& settings);
/// The same, written out where the model reads from left to right.
data::Task task_of(const Settings& settings);
/// Task and size that a model was taught, by the metadata of its weights; empty where they don't
/// say.
Settings taught(const io::Metadata& words);

/// UsageError where a file's name, say, cannot be written down so that it is read as it was.
std::string config_text(Settings settings);

/// The resolved settings of a run.
Settings settings_in(const std::string& config);

}  // namespace tapehead::cli
