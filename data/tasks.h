// Toy tasks: small enough to learn in seconds or minutes, each a question that attention can
// answer.
//
//   const Task task = reverse_task();                       // or reverse_task({.length = 12})
//   core::Generator random(0);
//   const Batch batch = draw_batch(task, random, 64);       // inputs and targets (64, 8)
//
// A part of everything a task can ask is held out: `draw` never gives it, whatever the generator's
// seed, so accuracy on `held_out()` is accuracy on what was never trained on. Each task says below
// what it shows of a wrong attention and what it cannot show; docs/tasks.md says it at length, with
// the accuracy that a right model reaches.
#pragma once

#include <functional>
#include <optional>
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
  std::string question;  // "8 digits, answered last to first"
  Vocabulary vocabulary;
  Index length;  // of inputs and targets
  bool causal;   // what answers a place stands before it, or there; a model need not look ahead
  bool answers_within = false;  // the inputs go on with each answer after its place, so that a
                                // model must not look ahead
  double chance;  // the part of sequences that are right if each answer is guessed, with equal
                  // odds, among the symbols that can stand there
  std::function<Example(core::Generator&)> draw = {};   // to train on
  std::function<std::vector<Example>()> held_out = {};  // 1,000, or all if fewer; always the same
};

/// How large a task is, where it is not to have its usual size. What the two mean is said at each
/// task; Error, naming the range, for a size that it cannot have, and for one that it does not
/// have.
struct TaskSize {
  std::optional<Index> length = {};
  std::optional<Index> symbols = {};
};

/// `length` (8) of `symbols` (10) symbols, answered by the same. No attention is needed: what each
/// position is to say stands at that position. It shows that everything around the attention works;
/// attention itself may be missing, or look at random, without its noticing.
Task copy_task(const TaskSize& size = {});

/// The same, answered last to first. Position t must read position T - 1 - t, whatever stands
/// there: attention by place. It shows wrong positions, scores between wrong axes, heads split
/// wrongly; not a missing scale or mask, nor anything about attention by content. One head is
/// enough.
Task reverse_task(const TaskSize& size = {});

/// The same, answered in ascending order. What to read depends on all symbols: attention by
/// content. It does not show whether keys know where they stand, which does not matter to it.
Task sort_task(const TaskSize& size = {});

/// `37+85=221`: two numbers of `length` (2) digits and their sum, its lowest digit first, each
/// digit to be given from what stands before it. It shows a causal mask that is off by one, to
/// either side, and positions that two layers cannot pass on. a+b and b+a are held out together.
Task addition_task(const TaskSize& size = {});

/// `length` (8) pairs of a key and a value, then the keys again in another order, each answered by
/// its value. Keys differ and are of `symbols` (16), values of as many others. Two layers work
/// together: one tells each value which key stands before it, the next compares contents. It shows
/// softmax over the wrong axis, a mask that hides the past, values that do not go with their
/// weights; not how many heads there are. A model of one layer cannot learn it.
Task recall_task(const TaskSize& size = {});

/// `length` (16) different symbols of `symbols` (26); then one of them a second time, and what came
/// after it, and so on for half the length: at each second occurrence, what followed the first is
/// asked. It shows what recall shows, in a model that reads what it wrote: induction heads (Olsson
/// et al. 2022, "In-context Learning and Induction Heads"). One layer is not enough.
Task induction_task(const TaskSize& size = {});

/// `57+12`, answered by the sum modulo `symbols` (59). Four pairs in ten are held out, in both
/// orders: no table knows them, only the rule. A model finds it after it has the trained pairs by
/// heart, the sooner for small first weights and weight decay: "grokking" (Power et al. 2022). It
/// shows a wrong optimiser or weight decay; hardly anything about attention, which only brings two
/// numbers together.
Task modular_task(const TaskSize& size = {});

/// `length` (24) brackets, never more than 8 of them open: each answered by how many are open after
/// it, or x from where one closes nothing. Half of all sequences are balanced, most others one or
/// two brackets away from it. Heads must look at all of the past alike, and count. It shows a mask
/// that looks ahead or hides the present, weights that do not add up to 1; not attention that is
/// unable to pick one place.
Task brackets_task(const TaskSize& size = {});

/// By name; Error, naming them all, for any other.
Task task(std::string_view name, const TaskSize& size = {});
/// "copy", "reverse", "sort", "addition", "recall", "induction", "modular", "brackets".
const std::vector<std::string>& task_names();
/// As a sentence lists them: "copy, reverse or sort".
std::string alternatives(const std::vector<std::string>& names);

/// The same for a model that reads from left to right, where `task` is not causal yet: all of the
/// question, then the answer, each symbol to be given before it is read. Of T symbols to each it
/// takes 2 T - 1.
Task written_out(const Task& task);

/// Every question, held out or not, where fewer than 1,000 are held out; else those.
std::vector<Example> all_questions(const Task& task);

/// The examples one below the other; all must be of one length.
Batch stack(const std::vector<Example>& examples);
/// ShapeError for a size below 1.
Batch draw_batch(const Task& task, core::Generator& generator, Index size);

}  // namespace tapehead::data
