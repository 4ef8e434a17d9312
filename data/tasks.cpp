#include "tasks.h"

#include <algorithm>
#include <array>
#include <memory>

namespace tapehead::data {
namespace {

constexpr Index held_out_size = 1000;
constexpr std::uint64_t held_out_seed = 20170612;

Index below(core::Generator& generator, Index n) {
  return static_cast<Index>(generator.random64() % static_cast<std::uint64_t>(n));
}

// ---- copy, reverse, sort: eight digits in, eight digits out ------------------------------------

constexpr Index digits = 8;
using Answer = void (*)(std::vector<Index>&);

std::vector<Index> draw_digits(core::Generator& generator) {
  std::vector<Index> sequence(digits);
  for (Index& digit : sequence) digit = below(generator, 10);
  return sequence;
}

// One sequence in ten, decided by its digits alone: they are scrambled into a number whose upper
// half is as good as random.
bool is_held_out(const std::vector<Index>& sequence) {
  std::uint64_t scrambled = 1;
  for (const Index digit : sequence)
    scrambled = (scrambled + static_cast<std::uint64_t>(digit)) * 6364136223846793005u +
                1442695040888963407u;
  return (scrambled >> 32) % 10 == 0;
}

Example draw_sequence(core::Generator& generator, bool held_out, Answer answer) {
  Example example;
  do example.inputs = draw_digits(generator);
  while (is_held_out(example.inputs) != held_out);
  example.targets = example.inputs;
  answer(example.targets);
  return example;
}

Task sequence_task(std::string name, std::string question, Answer answer) {
  const auto draw = [answer](core::Generator& generator) {
    return draw_sequence(generator, false, answer);
  };
  const auto held_out = [answer] {
    core::Generator generator(held_out_seed);
    std::vector<Example> examples;
    for (Index i = 0; i < held_out_size; ++i)
      examples.push_back(draw_sequence(generator, true, answer));
    return examples;
  };
  return {std::move(name), std::move(question), Vocabulary::of("0123456789"), digits, false, draw,
          held_out};
}

// ---- addition ----------------------------------------------------------------------------------

constexpr Index plus = 10, equals = 11;

struct Sum {
  Index a, b;
};

// a1 a0 + b1 b0 = c0 c1 c2, where each symbol is asked from those before it; only c counts.
Example write(const Sum& sum) {
  const Index c = sum.a + sum.b;
  const std::vector<Index> text{sum.a / 10, sum.a % 10, plus,        sum.b / 10, sum.b % 10,
                                equals,     c % 10,     c / 10 % 10, c / 100};
  Example example{{text.begin(), text.end() - 1}, {text.begin() + 1, text.end()}};
  std::fill_n(example.targets.begin(), 5, no_target);
  return example;
}

struct Sums {
  std::vector<Sum> train, held_out;
};

std::vector<Sum> unordered_pairs() {
  std::vector<Sum> pairs;
  for (Index a = 0; a < 100; ++a)
    for (Index b = a; b < 100; ++b) pairs.push_back({a, b});
  return pairs;
}

// All 10,000 sums, a thousand of them held out. A sum of two equal numbers has no twin, so the last
// one held out may have to be such a sum.
Sums split_sums() {
  std::vector<Sum> pairs = unordered_pairs();
  core::Generator generator(held_out_seed);
  for (std::size_t left = pairs.size(); left > 1; --left)
    std::swap(pairs[left - 1],
              pairs[static_cast<std::size_t>(below(generator, static_cast<Index>(left)))]);
  Sums sums;
  for (const auto& [a, b] : pairs) {
    const std::size_t orders = a == b ? 1 : 2;
    auto& part = sums.held_out.size() + orders <= held_out_size ? sums.held_out : sums.train;
    part.push_back({a, b});
    if (a != b) part.push_back({b, a});
  }
  return sums;
}

}  // namespace

Task copy_task() {
  return sequence_task("copy", "eight digits, answered by the same", [](std::vector<Index>&) {});
}

Task reverse_task() {
  return sequence_task("reverse", "eight digits, answered last to first",
                       [](std::vector<Index>& s) { std::reverse(s.begin(), s.end()); });
}

Task sort_task() {
  return sequence_task("sort", "eight digits, answered in ascending order",
                       [](std::vector<Index>& s) { std::sort(s.begin(), s.end()); });
}

Task addition_task() {
  const auto sums = std::make_shared<const Sums>(split_sums());
  const auto draw = [sums](core::Generator& generator) {
    const Index i = below(generator, static_cast<Index>(sums->train.size()));
    return write(sums->train[static_cast<std::size_t>(i)]);
  };
  const auto held_out = [sums] {
    std::vector<Example> examples;
    for (const Sum& sum : sums->held_out) examples.push_back(write(sum));
    return examples;
  };
  return {"addition",
          "the sum of two numbers of two digits, its lowest digit first",
          Vocabulary({"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "+", "="}),
          8,
          true,
          draw,
          held_out};
}

namespace {
constexpr std::array all_tasks{copy_task, reverse_task, sort_task, addition_task};
}  // namespace

Task task(std::string_view name) {
  const auto found = std::find(task_names().begin(), task_names().end(), name);
  if (found == task_names().end())
    fail("task: expected ", alternatives(task_names()), ", got \"", name, "\"; choose one of them");
  return all_tasks[static_cast<std::size_t>(found - task_names().begin())]();
}

const std::vector<std::string>& task_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const auto make : all_tasks) result.push_back(make().name);
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
