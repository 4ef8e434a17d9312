#include <doctest/doctest.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/data/tasks.h>

#include <algorithm>
#include <set>

using namespace tapehead;
using namespace tapehead::data;
using Tokens = std::vector<Index>;

namespace {

std::vector<Example> drawn(const Task& task, int count, std::uint64_t seed) {
  core::Generator random(seed);
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) examples.push_back(task.draw(random));
  return examples;
}

std::string written(const Task& task, const Example& e) { return task.vocabulary.decode(e.inputs); }

}  // namespace

TEST_CASE("each task draws sequences of its length, of its symbols, and asks something") {
  CHECK(task_names() == std::vector<std::string>{"copy", "reverse", "sort", "addition", "recall",
                                                 "induction", "modular", "brackets"});
  for (const std::string& name : task_names()) {
    const Task t = task(name);
    CHECK(t.name == name);
    CHECK(t.chance > 0);
    CHECK(t.chance <= 0.1);
    const auto is_symbol = [&](Index token) { return token >= 0 && token < t.vocabulary.size(); };
    for (const Example& e : drawn(t, 50, 0)) {
      CHECK(std::ssize(e.inputs) == t.length);
      CHECK(std::ssize(e.targets) == t.length);
      CHECK(std::all_of(e.inputs.begin(), e.inputs.end(), is_symbol));
      CHECK(std::any_of(e.targets.begin(), e.targets.end(), is_symbol));
      for (const Index answer : e.targets) CHECK((is_symbol(answer) || answer == no_target));
    }
  }
}

TEST_CASE("every symbol that a task answers with is an answer somewhere") {
  for (const std::string& name : task_names()) {
    const Task t = task(name);
    std::set<Index> seen, unseen;
    for (const Example& e : drawn(t, 3000, 1)) {
      seen.insert(e.inputs.begin(), e.inputs.end());
      seen.insert(e.targets.begin(), e.targets.end());
    }
    seen.erase(no_target);
    CHECK_MESSAGE(std::ssize(seen) == t.vocabulary.size(), name);
  }
}

TEST_CASE("the same seed draws the same batches, another seed others") {
  for (const std::string& name : task_names()) {
    const Task t = task(name);
    core::Generator a(5), b(5), c(6);
    const Batch first = draw_batch(t, a, 16), same = draw_batch(t, b, 16),
                other = draw_batch(t, c, 16);
    CHECK(first.inputs.shape() == Shape{16, t.length});
    CHECK(equal(first.inputs, same.inputs));
    CHECK(equal(first.targets, same.targets));
    CHECK_FALSE(equal(first.inputs, other.inputs));
    CHECK_FALSE(equal(first.inputs, draw_batch(t, a, 16).inputs));
  }
}

TEST_CASE("every digit is drawn at every place") {
  std::set<std::pair<std::size_t, Index>> seen;
  for (const Example& e : drawn(copy_task(), 400, 3))
    for (std::size_t i = 0; i < e.inputs.size(); ++i) seen.emplace(i, e.inputs[i]);
  CHECK(seen.size() == 80);
}

TEST_CASE("held-out questions are a thousand different ones, the same each time, never drawn") {
  for (const std::string& name : task_names()) {
    const Task t = task(name);
    const std::vector<Example> held_out = t.held_out(), again = t.held_out();
    CHECK(held_out.size() > 950);
    CHECK(held_out.size() <= 1000);
    REQUIRE(held_out.size() == again.size());
    std::set<Tokens> questions;
    for (std::size_t i = 0; i < held_out.size(); ++i) {
      CHECK(held_out[i].inputs == again[i].inputs);
      CHECK(held_out[i].targets == again[i].targets);
      questions.insert(held_out[i].inputs);
    }
    CHECK(questions.size() == held_out.size());
    for (const Example& e : drawn(t, 20000, 4)) CHECK(questions.count(e.inputs) == 0);
  }
}

TEST_CASE("a tenth of all sequences is held out") {
  // Of 20,000 sequences drawn to train on none may be of the tenth: among as many with any digits,
  // a tenth would be. Two adjacent draws of the same stream show how many were passed over.
  core::Generator random(9);
  const Task t = copy_task();
  for (int i = 0; i < 20000; ++i) t.draw(random);
  core::Generator raw(9);
  int draws = 0;
  while (raw.state() != random.state() && draws < 30000) {
    for (int digit = 0; digit < 8; ++digit) raw.random64();
    ++draws;
  }
  CHECK(draws > 21800);
  CHECK(draws < 22700);
}

TEST_CASE("a pair of numbers is held out in both orders") {
  const auto part_of = [](const Task& t, int draws) {
    std::set<std::string> seen;
    for (const Example& e : drawn(t, draws, 0)) seen.insert(written(t, e).substr(0, 5));
    return seen;
  };
  const std::set<std::string> sums = part_of(addition_task(), 150000);
  CHECK(sums.size() > 8900);  // of 10,000
  CHECK(sums.size() < 9100);
  for (const std::string& pair : sums)
    CHECK(sums.count(pair.substr(3, 2) + "+" + pair.substr(0, 2)) == 1);

  std::set<Tokens> trained;
  for (const Example& e : drawn(modular_task(), 60000, 0)) trained.insert(e.inputs);
  CHECK(trained.size() > 2000);  // 2,089 of 3,481 would be six tenths
  CHECK(trained.size() < 2200);
  for (const Tokens& pair : trained) CHECK(trained.count({pair[2], pair[1], pair[0]}) == 1);
}

TEST_CASE("where a task can ask little, all that is held out is asked") {
  const Task t = sort_task({.length = 6, .symbols = 3});
  std::set<Tokens> questions;
  for (const Example& e : t.held_out()) questions.insert(e.inputs);
  CHECK(questions.size() == t.held_out().size());
  for (const Example& e : drawn(t, 20000, 4)) questions.insert(e.inputs);
  CHECK(questions.size() == 729);
}

TEST_CASE("a task says whether its inputs go on with the answers") {
  for (const std::string& name : task_names()) {
    CAPTURE(name);
    const Task t = task(name);
    Index asked = 0, read = 0;
    for (const Example& e : t.held_out())
      for (std::size_t i = 0; i + 1 < e.inputs.size(); ++i) {
        asked += e.targets[i] != no_target;
        read += e.targets[i] != no_target && e.targets[i] == e.inputs[i + 1];
      }
    CHECK(t.answers_within == (name == "addition" || name == "induction"));
    // Two digits may be the same by chance.
    CHECK((t.answers_within ? read == asked : 4 * read <= asked));
  }
}

TEST_CASE(
    "written out, a question is followed by its answer, each symbol asked before it is read") {
  const Task plain = sort_task({.length = 3}), task = written_out(plain);
  CHECK(task.causal);
  CHECK(task.answers_within);
  CHECK(task.length == 5);
  core::Generator random(3), same(3);
  const Example e = task.draw(random), of = plain.draw(same);
  CHECK(e.inputs == Tokens{of.inputs[0], of.inputs[1], of.inputs[2], of.targets[0], of.targets[1]});
  CHECK(e.targets == Tokens{no_target, no_target, of.targets[0], of.targets[1], of.targets[2]});
  CHECK(task.held_out().size() == plain.held_out().size());
  CHECK(std::ssize(task.held_out()[0].inputs) == 5);
  const Task causal = written_out(addition_task());
  CHECK(causal.length == addition_task().length);
}

TEST_CASE(
    "all questions are asked where they are few, and a thousand held out where they are many") {
  const Task few = written_out(sort_task({.length = 6, .symbols = 3}));
  std::set<Tokens> different;
  for (const Example& e : all_questions(few))
    different.insert({e.inputs.begin(), e.inputs.begin() + 6});
  CHECK(all_questions(few).size() == 729);
  CHECK(different.size() == 729);
  CHECK(all_questions(copy_task()).size() == 1000);
}

TEST_CASE("names are listed as in a sentence") {
  CHECK(alternatives({"copy", "reverse", "sort"}) == "copy, reverse or sort");
  CHECK(alternatives({"copy", "sort"}) == "copy or sort");
  CHECK(alternatives({"copy"}) == "copy");
}

TEST_CASE("an unknown task is refused") {
  CHECK_THROWS_WITH_AS(
      task("add"),
      "task: expected copy, reverse, sort, addition, recall, induction, modular or "
      "brackets, got \"add\"; choose one of them",
      Error);
}

TEST_CASE("examples of several lengths, or none, cannot be stacked") {
  CHECK_THROWS_WITH_AS(data::stack({}),
                       "stack: expected at least one example, got none; draw some first", Error);
  CHECK_THROWS_WITH_AS(data::stack({{{1, 2}, {1, 2}}, {{1, 2}, {1}}}),
                       "stack: examples must have one length, got 2, 2 and 1; draw them from one "
                       "task",
                       ShapeError);
}

TEST_CASE("a size out of range is refused with the range") {
  CHECK_THROWS_WITH_AS(copy_task({.length = 0}),
                       "copy: expected length from 1 to 512, got 0; usual: 8", Error);
  CHECK_THROWS_WITH_AS(task("sort", {.symbols = 37}),
                       "sort: expected symbols from 2 to 36, got 37; usual: 10", Error);
  CHECK_THROWS_WITH_AS(recall_task({.length = 9, .symbols = 8}),
                       "recall: expected length from 1 to 8, got 9; usual: 8", Error);
  CHECK_THROWS_WITH_AS(brackets_task({.length = 7}),
                       "brackets: expected an even length, got 7; try 8", Error);
}

TEST_CASE("a size that a task does not have is refused") {
  CHECK_THROWS_WITH_AS(addition_task({.symbols = 10}),
                       "addition: it has no symbols to choose, got 10; leave it out", Error);
  CHECK_THROWS_WITH_AS(modular_task({.length = 3}),
                       "modular: it has no length to choose, got 3; leave it out", Error);
}

TEST_CASE("a task that is too small to be divided says so") {
  const Task t = copy_task({.length = 1, .symbols = 2});
  CHECK_THROWS_WITH_AS(
      t.held_out(),
      "copy: expected questions both to train on and to hold out, got none to hold "
      "out; choose a larger size",
      Error);
  CHECK_THROWS_WITH_AS(draw_batch(t, core::default_generator(), 0),
                       "draw_batch: a batch has at least 1 example, got 0", ShapeError);
}
