#include <algorithm>
#include <cmath>
#include <iomanip>

#include "../autograd/ops.h"
#include "lesson.h"
#include "output.h"

namespace tapehead::cli {
namespace {

constexpr std::size_t questions_at_once = 256;  // questions

std::vector<data::Batch> in_batches(const std::vector<data::Example>& examples) {
  std::vector<data::Batch> batches;
  for (std::size_t from = 0; from < examples.size(); from += questions_at_once) {
    const auto begin = examples.begin() + static_cast<std::ptrdiff_t>(from);
    const std::size_t count = std::min(questions_at_once, examples.size() - from);
    batches.push_back(data::stack({begin, begin + static_cast<std::ptrdiff_t>(count)}));
  }
  return batches;
}

// The inputs without the answers among them, which a causal model reads once it has given them.
std::vector<Index> question(const data::Task& task, const data::Example& example) {
  std::vector<Index> tokens;
  for (std::size_t t = 0; t < example.inputs.size(); ++t)
    if (t == 0 || !task.answers_within || example.inputs[t] != example.targets[t - 1])
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

Verdict judge_task(train::SequenceModel& model, const data::Task& task,
                   const std::vector<data::Example>& examples, const std::string& accuracy,
                   const std::string& which) {
  Index right = 0;
  double right_tokens = 0, tokens = 0;
  for (const data::Batch& batch : in_batches(examples)) {
    const train::Score score = train::evaluate(model, batch);
    const double answers = (batch.targets != data::no_target).sum().item();
    right += std::llround(score.sequences * static_cast<double>(batch.inputs.size(0)));
    right_tokens += score.tokens * answers;
    tokens += answers;
  }
  const Index all = std::ssize(examples);
  const double part = static_cast<double>(right) / static_cast<double>(all);
  return {core::to_text(accuracy, " ", percent(part), "  (of ", which, " sequences; chance ",
                        std::setprecision(2), 100 * task.chance, " %)\n"),
          core::to_text(right, "/", all),
          {{"accuracy", part},
           {"right", right},
           {"questions", all},
           {"token_accuracy", right_tokens / tokens},
           {"chance", task.chance}}};
}

Lesson task_lesson(const data::Task& task) {
  const std::vector<data::Example> held_out = task.held_out();
  return {
      .about = core::to_text(task.name, ": ", task.question, "\n"),
      .vocabulary = task.vocabulary.size(),
      .context = task.length,
      .tokenizer = symbols(task.vocabulary),
      .draw = [task](core::Generator& random,
                     Index size) { return data::draw_batch(task, random, size); },
      .held_out = [batches = in_batches(held_out)](
                      train::SequenceModel& model) { return train::score_tokens(model, batches); },
      .judge =
          [task, held_out](train::SequenceModel& model) {
            return judge_task(model, task, held_out, "held-out accuracy",
                              grouped(std::ssize(held_out)) + " whole unseen");
          },
      .show =
          [task, held_out](train::SequenceModel& model, std::uint64_t) {
            show_example(model, task, held_out.front());
            show_attention(model, held_out.front().inputs,
                           [&](Index token) { return task.vocabulary[token]; });
          }};
}

}  // namespace tapehead::cli
