#include <algorithm>
#include <cmath>
#include <iomanip>

#include "../data/utf8.h"
#include "../train/evaluate.h"
#include "../train/generate.h"
#include "output.h"
#include "run.h"

namespace tapehead::cli {
namespace {

constexpr Index at_once = 256;       // names
constexpr std::size_t written = 20;  // names

void introduce(const data::Names& names) {
  say(core::to_text(one_line(names.name()), ": ", grouped(std::ssize(names.train())),
                    " names to train on, ", grouped(std::ssize(names.held_out())), " held out",
                    names.split() ? "" : " (the same: there are too few)", ", ",
                    names.vocabulary().size() - 1, " different characters\n"));
}

void show_loss(train::SequenceModel& model, const data::Names& names) {
  const double loss = train::mean_loss(model, names.held_out_batches(at_once));
  say(core::to_text(std::fixed, std::setprecision(3), "held-out loss ", loss,
                    " nats per character  (all characters equally likely: ",
                    std::log(static_cast<double>(model.options.vocabulary)), ")\n"));
}

void show_names(train::SequenceModel& model, const data::Vocabulary& vocabulary,
                std::uint64_t seed) {
  const std::vector<std::vector<Index>> prompts(written, {data::Names::mark});
  const auto goes_on = [](std::size_t, Index token) { return token != data::Names::mark; };
  say("\nwhat it now writes:\n");
  for (const std::vector<Index>& name : train::generate_batch(
           model, prompts, {.tokens = model.options.context, .seed = seed}, goes_on)) {
    const auto end = std::find(name.begin() + 1, name.end(), data::Names::mark);
    say(data::printable(vocabulary.decode({name.begin() + 1, end}), screen().unicode, " ") + "\n");
  }
}

}  // namespace

void train_names(const data::Names& names, const train::Recipe& recipe, std::uint64_t seed,
                 const std::string& out) {
  introduce(names);
  manual_seed(seed);
  train::SequenceModel model(recipe.model(names.vocabulary().size(), names.context(), true));
  core::Generator random = batch_generator(seed);
  check_and_fit(
      model, [&] { return names.draw(random, recipe.batch); }, recipe, seed);
  save(model, out, "names");

  show_loss(model, names);
  std::vector<Index> name = names.held_out().front();
  name.insert(name.begin(), data::Names::mark);
  show_attention(model, name, names.vocabulary());
  show_names(model, names.vocabulary(), seed);
}

}  // namespace tapehead::cli
