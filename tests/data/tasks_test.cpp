#include <doctest/doctest.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/data/tasks.h>

#include <algorithm>
#include <set>

#include "../support/live_counts.h"

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

// "37+85=" and what follows: the sum, its lowest digit first.
int number(const std::string& digits) { return std::stoi(digits); }

}  // namespace

TEST_CASE("each task has at least ten symbols and sequences of at least eight") {
  CHECK(task_names() == std::vector<std::string>{"copy", "reverse", "sort", "addition"});
  for (const std::string& name : task_names()) {
    const Task t = task(name);
    CHECK(t.name == name);
    CHECK(t.vocabulary.size() >= 10);
    CHECK(t.length >= 8);
    for (const Example& e : drawn(t, 20, 0)) {
      CHECK(std::ssize(e.inputs) == t.length);
      CHECK(std::ssize(e.targets) == t.length);
    }
  }
}

TEST_CASE("copy, reverse and sort answer with the right digits") {
  for (const Example& e : drawn(copy_task(), 50, 1)) CHECK(e.targets == e.inputs);
  for (const Example& e : drawn(reverse_task(), 50, 1))
    CHECK(e.targets == Tokens(e.inputs.rbegin(), e.inputs.rend()));
  for (const Example& e : drawn(sort_task(), 50, 1)) {
    Tokens sorted = e.inputs;
    std::sort(sorted.begin(), sorted.end());
    CHECK(e.targets == sorted);
  }
}

TEST_CASE("addition asks for each digit of the sum, lowest first, from what stands before it") {
  const Task t = addition_task();
  CHECK(t.causal);
  for (const Example& e : drawn(t, 200, 2)) {
    const std::string text = written(t, e);  // 37+85=22
    CHECK(text[2] == '+');
    CHECK(text[5] == '=');
    const int sum = number(text.substr(0, 2)) + number(text.substr(3, 2));
    const Tokens want{no_target, no_target, no_target,     no_target,
                      no_target, sum % 10,  sum / 10 % 10, sum / 100};
    CHECK(e.targets == want);
    CHECK(e.inputs[6] == sum % 10);
    CHECK(e.inputs[7] == sum / 10 % 10);
  }
}

TEST_CASE("the same seed draws the same batches, another seed others") {
  for (const std::string& name : task_names()) {
    const Task t = task(name);
    core::Generator a(5), b(5), c(6);
    const Batch first = draw_batch(t, a, 16), same = draw_batch(t, b, 16),
                other = draw_batch(t, c, 16);
    CHECK(first.inputs.shape() == Shape{16, 8});
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

TEST_CASE("held-out sequences are a thousand, always the same, and never drawn") {
  for (const char* name : {"copy", "reverse", "sort"}) {
    const Task t = task(name);
    const std::vector<Example> held_out = t.held_out(), again = t.held_out();
    CHECK(held_out.size() == 1000);
    std::set<Tokens> sequences;
    for (std::size_t i = 0; i < held_out.size(); ++i) {
      CHECK(held_out[i].inputs == again[i].inputs);
      sequences.insert(held_out[i].inputs);
    }
    for (const Example& e : drawn(t, 20000, 4)) CHECK(sequences.count(e.inputs) == 0);
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

TEST_CASE("a tenth of all pairs is held out from addition, in both orders") {
  const Task t = addition_task();
  std::set<std::string> held_out;
  for (const Example& e : t.held_out()) held_out.insert(written(t, e).substr(0, 5));
  CHECK(held_out.size() == 1000);
  for (const std::string& pair : held_out)
    CHECK(held_out.count(pair.substr(3, 2) + "+" + pair.substr(0, 2)) == 1);

  std::set<std::string> seen;
  for (const Example& e : drawn(t, 120000, 0)) seen.insert(written(t, e).substr(0, 5));
  CHECK(seen.size() == 9000);
  for (const std::string& pair : held_out) CHECK(seen.count(pair) == 0);
}

TEST_CASE("names are listed as in a sentence") {
  CHECK(alternatives({"copy", "reverse", "sort"}) == "copy, reverse or sort");
  CHECK(alternatives({"copy", "sort"}) == "copy or sort");
  CHECK(alternatives({"copy"}) == "copy");
}

TEST_CASE("an unknown task is refused") {
  CHECK_THROWS_WITH_AS(task("add"),
                       "task: expected copy, reverse, sort or addition, got \"add\"; choose one of "
                       "them",
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
