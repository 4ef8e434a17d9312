// Toy tasks: small enough to learn in seconds, each a question that attention can answer.
//
//   const Task task = reverse_task();
//   core::Generator random(0);
//   const Batch batch = draw_batch(task, random, 64);   // inputs and targets (64, 8)
//
// A tenth of everything a task can ask is held out: `draw` never gives it, whatever the generator's
// seed, so accuracy on `held_out()` is accuracy on what was never trained on. docs/tasks.md says
// what each task reveals about a wrong attention, and what it cannot.
#pragma once

#include <functional>
#include <string_view>

#include "../core/random.h"
#include "batch.h"
#include "vocabulary.h"

namespace tapehead::data {

/// One question. `targets` are as long as `inputs`; no_target where nothing is asked.
struct Example {
  std::vector<Index> inputs, targets;
};

struct Task {
  std::string name;
  std::string question;  // "eight digits, answered last to first"
  Vocabulary vocabulary;
  Index length;  // of inputs and targets
  bool causal;   // each answer is read before the next is given, so the model must not look ahead
  std::function<Example(core::Generator&)> draw;   // to train on
  std::function<std::vector<Example>()> held_out;  // 1,000, always the same
};

/// Eight digits, answered by the same eight. No attention is needed: what each position is to say
/// stands at that position. It shows that everything around the attention works.
Task copy_task();
/// Eight digits, answered last to first. Position t must read position 7 - t, whatever stands
/// there: attention by place. One head is enough.
Task reverse_task();
/// Eight digits, answered in ascending order. What to read depends on all digits: attention by
/// content. Where a digit stood does not matter.
Task sort_task();
/// `37+85=221`: two numbers of two digits and their sum, its lowest digit first, each digit to be
/// given from what stands before it: causal attention. a+b and b+a are held out together.
Task addition_task();

/// By name; Error, naming the four, for any other.
Task task(std::string_view name);
/// "copy", "reverse", "sort", "addition".
const std::vector<std::string>& task_names();
/// As a sentence lists them: "copy, reverse or sort".
std::string alternatives(const std::vector<std::string>& names);

/// The examples one below the other; all must be of one length.
Batch stack(const std::vector<Example>& examples);
/// ShapeError for a size below 1.
Batch draw_batch(const Task& task, core::Generator& generator, Index size);

}  // namespace tapehead::data
