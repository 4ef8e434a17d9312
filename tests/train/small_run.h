// A run that takes no time: 50 examples in epochs of 7 batches, dropout on.
#pragma once

#include <tapehead/data/tasks.h>
#include <tapehead/train/evaluate.h>
#include <tapehead/train/run_folder.h>

#include <vector>

namespace tapehead::testing {

inline std::vector<data::Example> examples(Index count) {
  const data::Task task = data::reverse_task();
  core::Generator random(5);
  std::vector<data::Example> result;
  for (Index i = 0; i < count; ++i) result.push_back(task.draw(random));
  return result;
}

inline data::Batch some_of(const std::vector<data::Example>& all, const std::vector<Index>& which) {
  std::vector<data::Example> chosen;
  for (const Index i : which) chosen.push_back(all[static_cast<std::size_t>(i)]);
  return data::stack(chosen);
}

inline train::Batches small_batches() {
  return train::in_epochs(
      core::Generator(3), 50, 8,
      [all = examples(50)](const std::vector<Index>& which) { return some_of(all, which); });
}

struct SmallRun {
  explicit SmallRun(const train::FitOptions& options, Index layers = 1)
      : seeded((manual_seed(7), true)),
        model({.vocabulary = 10,
               .context = 8,
               .d_model = 8,
               .heads = 2,
               .layers = layers,
               .d_ff = 12,
               .dropout = 0.2}),
        trainer(model, options),
        batches(small_batches()) {}

  train::TokenScore held_out() { return train::score_tokens(model, {data::stack(examples(4))}); }

  bool seeded;  // before the weights are drawn
  train::SequenceModel model;
  train::Trainer trainer;
  train::Batches batches;
};

}  // namespace tapehead::testing
