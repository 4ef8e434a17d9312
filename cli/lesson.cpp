#include "lesson.h"

#include <cmath>
#include <iomanip>

#include "../autograd/create.h"
#include "../autograd/ops.h"
#include "../core/text.h"
#include "../data/utf8.h"
#include "../viz/heat_map.h"
#include "output.h"

namespace tapehead::cli {

Lesson lesson_of(const Settings& settings) {
  if (settings.task == "text") return text_lesson(settings);
  if (settings.task == "names") return names_lesson(settings.file);
  return task_lesson(task_of(settings));
}

std::string percent(double part) {
  return core::to_text(std::fixed, std::setprecision(1), 100 * part, " %");
}

Verdict judge_tokens(const train::TokenScore& score, Index vocabulary, const std::string& part,
                     const std::string& unit) {
  const double uniform = std::log(static_cast<double>(vocabulary));
  return {core::to_text(part, "accuracy ", percent(score.accuracy), "  (of the next ", unit, "s)\n",
                        part, "loss ", std::fixed, std::setprecision(3), score.loss, " nats per ",
                        unit, "  (all ", unit, "s equally likely: ", uniform, ")\n"),
          "",
          {{"token_accuracy", score.accuracy}, {"loss", score.loss}, {"uniform_loss", uniform}}};
}

void show_foretold(train::SequenceModel& model, const std::vector<Index>& tokens,
                   const std::function<std::string(Index)>& label) {
  if (tokens.size() < 2) return;
  const std::vector<Index> before(tokens.begin(), tokens.end() - 1);
  const Tensor read = tensor(before, {1, std::ssize(before)});
  const Tensor logits = [&] {
    const train::Evaluating evaluating(model);
    return model(read).select(1, -1);  // (1, V)
  }();
  const Index foretold = argmax(logits).item<Index>();
  const auto quoted = [](const std::string& text) {
    return "\"" + data::printable(text, screen().unicode, " ") + "\"";
  };
  std::string text;
  for (const Index token : before) text += label(token);
  say(core::to_text(
      "for example after ", quoted(text), " it foretells ", quoted(label(foretold)),
      foretold == tokens.back() ? ": right" : ": wrong, it is " + quoted(label(tokens.back())),
      "\n"));
}

void show_attention(train::SequenceModel& model, const std::vector<Index>& tokens,
                    const std::function<std::string(Index)>& label) {
  std::vector<std::string> labels;
  for (const Index token : tokens) labels.push_back(label(token));
  const Tensor read = tensor(tokens, {1, static_cast<Index>(tokens.size())});
  Index layer = 0;
  for (const Tensor& weights : train::attention_weights(model, read))
    say(core::to_text("\nwhat layer ", layer++,
                      " looks at: a row for each position, its weights add up to 1\n",
                      viz::attention_map(weights.array().select(0, 0), labels, labels, screen())));
}

}  // namespace tapehead::cli
