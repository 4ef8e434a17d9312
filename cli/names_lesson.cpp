#include <algorithm>
#include <memory>

#include "../data/names.h"
#include "../data/utf8.h"
#include "../train/generate.h"
#include "lesson.h"
#include "output.h"

namespace tapehead::cli {
namespace {

constexpr Index at_once = 256;  // names
constexpr std::size_t written_names = 20;

std::string introduced(const data::Names& names) {
  const Index count = std::ssize(names.train());
  return core::to_text(one_line(names.name()), ": ", grouped(count),
                       count == 1 ? " name" : " names", " to train on, ",
                       grouped(std::ssize(names.held_out())), " held out",
                       names.split() ? "" : " (the same: there are too few)", ", ",
                       names.vocabulary().size() - 1, " different characters\n");
}

void show_names(train::SequenceModel& model, const data::Vocabulary& vocabulary,
                std::uint64_t seed) {
  const std::vector<std::vector<Index>> prompts(written_names, {data::Names::mark});
  const auto goes_on = [](std::size_t, Index token) { return token != data::Names::mark; };
  say("\nwhat it now writes:\n");
  for (const std::vector<Index>& name : train::generate_batch(
           model, prompts, {.tokens = model.options.context, .seed = seed}, goes_on)) {
    const auto end = std::find(name.begin() + 1, name.end(), data::Names::mark);
    say(data::printable(vocabulary.decode({name.begin() + 1, end}), screen().unicode, " ") + "\n");
  }
}

void show(train::SequenceModel& model, const data::Names& names, std::uint64_t seed) {
  std::vector<Index> name = names.held_out().front();
  name.insert(name.begin(), data::Names::mark);
  const auto label = [&](Index token) { return names.vocabulary()[token]; };
  show_foretold(model, name, label);
  show_attention(model, name, label);
  show_names(model, names.vocabulary(), seed);
}

}  // namespace

Lesson names_lesson(const std::string& file) {
  const auto names = std::make_shared<const data::Names>(data::Names::read(file));
  const auto score = [names](train::SequenceModel& model) {
    return train::score_tokens(model, names->held_out_batches(at_once));
  };
  return {
      .about = introduced(*names),
      .vocabulary = names->vocabulary().size(),
      .context = names->context(),
      .tokenizer = symbols(names->vocabulary(), data::Names::mark),
      .draw = [names](core::Generator& random, Index size) { return names->draw(random, size); },
      .held_out = score,
      .judge =
          [score](train::SequenceModel& model) {
            return judge_tokens(score(model), model.options.vocabulary, "held-out ", "character");
          },
      .show = [names](train::SequenceModel& model,
                      std::uint64_t seed) { show(model, *names, seed); }};
}

}  // namespace tapehead::cli
