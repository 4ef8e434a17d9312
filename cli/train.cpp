#include "train.h"

#include <omp.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "../io/atomic_file.h"
#include "../train/recipe.h"
#include "near_match.h"
#include "output.h"
#include "run.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

// Under any name: by another path, a link.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code none_if_missing;
  return std::filesystem::equivalent(one, other, none_if_missing);
}

void check(const TrainArguments& a) {
  const std::vector<std::string>& names = train::recipe_names();
  if (std::find(names.begin(), names.end(), a.task) == names.end())
    throw UsageError(core::to_text("expected ", data::alternatives(names), ", got \"", a.task, "\"",
                                   suggestion(a.task, names)));
  const bool reads = a.task == "text" || a.task == "names";
  if (reads && a.file.empty())
    throw UsageError(core::to_text(a.task, " needs a file to read; add --file FILE"));
  if (!reads && !a.file.empty())
    throw UsageError(core::to_text("--file is for text and names, not for ", a.task,
                                   "; try: train text --file ", a.file));
  if (a.task != "text" && a.context)
    throw UsageError(
        core::to_text("--context is for text; the sequences of ", a.task, " have one length"));
  if (same_file(a.file, a.out))
    throw UsageError(core::to_text("--out ", a.out, " is the text itself; choose another name"));
}

train::Recipe resolve(const TrainArguments& a) {
  train::Recipe r = train::recipe(a.task);
  r.steps = a.steps.value_or(r.steps);
  r.batch = a.batch.value_or(r.batch);
  r.lr = a.lr.value_or(r.lr);
  r.layers = a.layers.value_or(r.layers);
  r.heads = a.heads.value_or(r.heads);
  r.d_model = a.d_model.value_or(r.d_model);
  r.dropout = a.dropout.value_or(r.dropout);
  check_heads(r.d_model, r.heads);
  return r;
}

}  // namespace

void train(const TrainArguments& arguments) {
  check(arguments);
  const train::Recipe recipe = resolve(arguments);
  if (!arguments.out.empty()) io::check_writable(arguments.out);
  if (arguments.threads) omp_set_num_threads(static_cast<int>(*arguments.threads));
  const auto seed = static_cast<std::uint64_t>(arguments.seed);
  if (arguments.task == "text") {
    train_text(data::Text::read(arguments.file), arguments.context.value_or(64), recipe, seed,
               arguments.out);
  } else if (arguments.task == "names") {
    train_names(data::Names::read(arguments.file), recipe, seed, arguments.out);
  } else {
    train_task(data::task(arguments.task), recipe, seed, arguments.out);
  }
}

}  // namespace tapehead::cli
