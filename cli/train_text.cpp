#include <cmath>
#include <iomanip>

#include "../data/utf8.h"
#include "../train/evaluate.h"
#include "../train/generate.h"
#include "output.h"
#include "run.h"

namespace tapehead::cli {
namespace {

constexpr Index judged = 256;      // windows
constexpr Index written = 400;     // characters
constexpr std::size_t shown = 16;  // characters in a heat map
constexpr double temperature = 0.8;

void introduce(const data::Text& text_file, const data::TextParts& parts) {
  say(core::to_text(
      one_line(text_file.name()), ": ", grouped(text_file.size()),
      text_file.is_utf8() ? " characters, " : " bytes (it is not UTF-8), ",
      text_file.vocabulary().size(), " different\n",
      parts.split ? "the last tenth is held out" : "too short to hold a part of it out", "\n"));
}

void show_loss(train::SequenceModel& model, const data::TextParts& parts) {
  const double loss = train::mean_loss(model, parts.held_out, judged);
  say(core::to_text(std::fixed, std::setprecision(3), parts.split ? "held-out loss " : "loss ",
                    loss, " nats per character  (all characters equally likely: ",
                    std::log(static_cast<double>(model.options.vocabulary)), ")\n"));
}

}  // namespace

void train_text(const data::Text& text_file, Index context, const train::Recipe& recipe,
                std::uint64_t seed, const std::string& out) {
  const data::TextParts parts = data::split_text(text_file, context);
  const data::Vocabulary& vocabulary = text_file.vocabulary();
  introduce(text_file, parts);
  manual_seed(seed);
  train::SequenceModel model(recipe.model(vocabulary.size(), context, true));
  core::Generator random = batch_generator(seed);
  check_and_fit(
      model, [&] { return parts.train.draw(random, recipe.batch); }, recipe, seed);
  save(model, out, "text");

  show_loss(model, parts);
  const std::vector<Index>& tokens = text_file.tokens();
  const std::size_t length = std::min({shown, tokens.size(), static_cast<std::size_t>(context)});
  show_attention(model, {tokens.end() - static_cast<std::ptrdiff_t>(length), tokens.end()},
                 vocabulary);
  const Index start = vocabulary.contains("\n") ? vocabulary.encode("\n")[0] : tokens.front();
  const std::vector<Index> text = train::generate(
      model, {start}, {.tokens = written, .temperature = temperature, .seed = seed});
  say(core::to_text(
      "\nwhat it now writes (temperature ", temperature, "):\n",
      data::printable(vocabulary.decode({text.begin() + 1, text.end()}), screen().unicode, " \n\t"),
      "\n"));
}

}  // namespace tapehead::cli
