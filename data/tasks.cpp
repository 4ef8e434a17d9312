#include "tasks.h"

#include <algorithm>
#include <array>
#include <set>

namespace tapehead::data {
namespace {

constexpr std::array all_tasks{copy_task,   reverse_task,   sort_task,    addition_task,
                               recall_task, induction_task, modular_task, brackets_task};

}  // namespace

Task task(std::string_view name, const TaskSize& size) {
  const auto found = std::find(task_names().begin(), task_names().end(), name);
  if (found == task_names().end())
    fail("task: expected ", alternatives(task_names()), ", got \"", name, "\"; choose one of them");
  return all_tasks[static_cast<std::size_t>(found - task_names().begin())](size);
}

const std::vector<std::string>& task_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const auto make : all_tasks) result.push_back(make({}).name);
    return result;
  }();
  return names;
}

std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return text;
}

namespace {

// 312 answered by 123 is 31212, answered by ..123.
Example written_out(const Example& example) {
  const std::size_t before = example.inputs.size() - 1;
  Example result{example.inputs, std::vector<Index>(before, no_target)};
  result.inputs.insert(result.inputs.end(), example.targets.begin(), example.targets.end() - 1);
  result.targets.insert(result.targets.end(), example.targets.begin(), example.targets.end());
  return result;
}

}  // namespace

Task written_out(const Task& task) {
  if (task.causal) return task;
  Task result = task;
  result.length = 2 * task.length - 1;
  result.causal = result.answers_within = true;
  result.draw = [draw = task.draw](core::Generator& random) { return written_out(draw(random)); };
  result.held_out = [held_out = task.held_out] {
    std::vector<Example> examples = held_out();
    for (Example& example : examples) example = written_out(example);
    return examples;
  };
  return result;
}

std::vector<Example> all_questions(const Task& task) {
  constexpr std::size_t enough = 1000;
  constexpr int patience = 10000;  // draws without a new one, before there are no more
  std::vector<Example> examples = task.held_out();
  if (examples.size() >= enough) return examples;
  std::set<std::vector<Index>> seen;
  core::Generator random(0);
  for (int waited = 0; waited < patience; ++waited) {
    Example example = task.draw(random);
    if (!seen.insert(example.inputs).second) continue;
    examples.push_back(std::move(example));
    waited = 0;
  }
  return examples;
}

Batch stack(const std::vector<Example>& examples) {
  if (examples.empty()) fail("stack: expected at least one example, got none; draw some first");
  const std::size_t length = examples.front().inputs.size();
  std::vector<Index> inputs, targets;
  for (const auto& [in, out] : examples) {
    if (in.size() != length || out.size() != length)
      fail<ShapeError>("stack: examples must have one length, got ", length, ", ", in.size(),
                       " and ", out.size(), "; draw them from one task");
    inputs.insert(inputs.end(), in.begin(), in.end());
    targets.insert(targets.end(), out.begin(), out.end());
  }
  const Shape shape{static_cast<Index>(examples.size()), static_cast<Index>(length)};
  return {tensor(inputs, shape), tensor(targets, shape)};
}

Batch draw_batch(const Task& task, core::Generator& generator, Index size) {
  if (size < 1) fail<ShapeError>("draw_batch: a batch has at least 1 example, got ", size);
  std::vector<Example> examples;
  for (Index i = 0; i < size; ++i) examples.push_back(task.draw(generator));
  return stack(examples);
}

}  // namespace tapehead::data
