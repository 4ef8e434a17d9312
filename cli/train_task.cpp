#include <iomanip>
#include <iterator>

#include "../train/evaluate.h"
#include "output.h"
#include "run.h"

namespace tapehead::cli {
namespace {

std::string percent(double part) {
  return core::to_text(std::fixed, std::setprecision(1), 100 * part, " %");
}

// The inputs without the answers among them, which a causal model reads once it has given them.
std::vector<Index> question(const data::Task& task, const data::Example& example) {
  std::vector<Index> tokens;
  for (std::size_t t = 0; t < example.inputs.size(); ++t)
    if (t == 0 || !task.causal || example.inputs[t] != example.targets[t - 1])
      tokens.push_back(example.inputs[t]);
  return tokens;
}

// The entries of `answers` (1, T) that were asked for.
std::vector<Index> asked(const Tensor& answers, const data::Example& example) {
  std::vector<Index> result;
  for (std::size_t t = 0; t < example.targets.size(); ++t)
    if (example.targets[t] != data::no_target)
      result.push_back(answers.select(0, 0).select(0, static_cast<Index>(t)).item<Index>());
  return result;
}

void show_example(train::SequenceModel& model, const data::Task& task,
                  const data::Example& example) {
  const data::Batch batch = data::stack({example});
  const std::vector<Index> given = asked(train::answer(model, batch), example);
  const std::vector<Index> right = asked(batch.targets, example);
  say(core::to_text("for example ", task.vocabulary.decode(question(task, example)),
                    " was answered ", task.vocabulary.decode(given),
                    given == right ? ": right" : ": wrong, it is " + task.vocabulary.decode(right),
                    "\n"));
}

}  // namespace

void train_task(const data::Task& task, const train::Recipe& recipe, std::uint64_t seed,
                const std::string& out) {
  say(core::to_text(task.name, ": ", task.question, "\n"));
  manual_seed(seed);
  train::SequenceModel model(recipe.model(task.vocabulary.size(), task.length, task.causal));
  core::Generator random = batch_generator(seed);
  check_and_fit(
      model, [&] { return data::draw_batch(task, random, recipe.batch); }, recipe, seed);
  save(model, out, task.name);

  const std::vector<data::Example> held_out = task.held_out();
  const train::Score score = train::evaluate(model, data::stack(held_out));
  say(core::to_text("held-out accuracy ", percent(score.sequences), "  (of ",
                    grouped(std::ssize(held_out)), " whole unseen sequences; chance ",
                    std::setprecision(2), 100 * task.chance, " %)\n"));
  show_example(model, task, held_out.front());
  show_attention(model, held_out.front().inputs, task.vocabulary);
}

}  // namespace tapehead::cli
