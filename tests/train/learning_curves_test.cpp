// How fast the toy tasks are learnt, held against PyTorch's runs of the same models.
#include <doctest/doctest.h>
#include <tapehead/data/tasks.h>
#include <tapehead/train/evaluate.h>
#include <tapehead/train/fit.h>

#include "../support/cases.h"

using namespace tapehead;
using namespace tapehead::train;
using testing::Case;
using testing::this_case;

namespace {

data::Batch judged(const data::Task& task) {
  std::vector<data::Example> held_out = task.held_out();
  held_out.resize(std::min<std::size_t>(held_out.size(), 512));
  return data::stack(held_out);
}

// Of steps until 99 % are right, looked at every hundred; more than `most` if they never are. What
// counts are tokens, and whole sums in addition.
Index steps_to_99(const char* name, std::uint64_t seed, Index most) {
  const data::Task task = data::task(name);
  const bool addition = task.name == "addition";
  const Index width = addition ? 64 : 32;
  manual_seed(seed);
  SequenceModel model({.vocabulary = task.vocabulary.size(),
                       .context = task.length,
                       .d_model = width,
                       .heads = 4,
                       .layers = addition || task.name == "sort" ? 2 : 1,
                       .d_ff = 2 * width,
                       .arch = task.causal ? Arch::decoder : Arch::encoder});
  const data::Batch batch = judged(task);
  core::Generator random(seed);
  const Progress end = fit(
      model, [&] { return data::draw_batch(task, random, 64); },
      {.steps = most + 1, .lr = 1e-3, .schedule = "constant"},
      [&](const Progress& p) {
        if (p.step % 100 != 0) return true;
        const Score score = evaluate(model, batch);
        return (addition ? score.sequences : score.tokens) < 0.99;
      });
  return end.step;
}

}  // namespace

TEST_CASE("TRAIN-07: Reference learning curves for copy, reverse, sort and two-digit addition") {
  const Case c = this_case();
  const auto& bounds = c.json.at("expect").at("bounds").at("steps_to_99_percent_max");
  for (const char* const name : {"copy", "reverse", "sort", "addition"}) {
    const Index most = bounds.at(name).get<Index>();
    int inside = 0;
    for (std::uint64_t seed = 0; seed < 3 && inside < 2; ++seed)  // two of three
      inside += steps_to_99(name, seed, most) <= most;
    CHECK_MESSAGE(inside == 2, name);
  }
}
