#include "parts.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "../held_out.h"

namespace tapehead::data {
namespace {

constexpr std::size_t held_out_size = 1000;
constexpr std::uint64_t held_out_seed = 20170612;
constexpr int patience = 10000;  // draws, before questions of a kind are taken to be used up

// The questions of a task, and which of them are held out.
struct Questions {
  std::string task;
  Ask ask;
  Key key;
  Index tenths;

  Example draw(core::Generator& generator, bool held_out) const {
    for (int i = 0; i < patience; ++i) {
      Example example = ask(generator);
      if (is_held_out(key(example), tenths) == held_out) return example;
    }
    fail(task, ": expected questions both to train on and to hold out, got none to ",
         held_out ? "hold out" : "train on", "; choose a larger size");
  }

  std::vector<Example> held_out() const {
    core::Generator generator(held_out_seed);
    std::vector<Example> examples;
    std::set<std::vector<Index>> seen;
    for (int i = 0; i < 2 * patience && examples.size() < held_out_size; ++i) {
      Example example = draw(generator, true);
      if (seen.insert(example.inputs).second) examples.push_back(std::move(example));
    }
    return examples;
  }
};

}  // namespace

Index below(core::Generator& generator, Index n) {
  return static_cast<Index>(generator.random64() % static_cast<std::uint64_t>(n));
}

std::vector<Index> some_of(core::Generator& generator, Index n, Index count) {
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  for (Index i = 0; i < count; ++i)
    std::swap(all[static_cast<std::size_t>(i)],
              all[static_cast<std::size_t>(i + below(generator, n - i))]);
  all.resize(static_cast<std::size_t>(count));
  return all;
}

std::vector<Index> inputs_of(const Example& example) { return example.inputs; }

Task hold_out(Task task, Ask ask, Key key, Index tenths) {
  const Questions questions{task.name, std::move(ask), key, tenths};
  task.draw = [questions](core::Generator& random) { return questions.draw(random, false); };
  task.held_out = [questions] { return questions.held_out(); };
  return task;
}

Index checked_size(const char* task, const char* what, std::optional<Index> given,
                   const SizeRange& range) {
  const Index size = given.value_or(range.usual);
  if (size < range.least || size > range.most)
    fail(task, ": expected ", what, " from ", range.least, " to ", range.most, ", got ", size,
         "; usual: ", range.usual);
  return size;
}

void refuse_size(const char* task, const char* what, std::optional<Index> given) {
  if (given) fail(task, ": it has no ", what, " to choose, got ", *given, "; leave it out");
}

std::vector<std::string> letters(char first, Index count) {
  std::vector<std::string> symbols;
  for (Index i = 0; i < count; ++i)
    symbols.emplace_back(1, static_cast<char>(first + static_cast<char>(i)));
  return symbols;
}

std::vector<std::string> digits(Index count) {
  std::vector<std::string> symbols = letters('0', std::min<Index>(count, 10));
  for (const std::string& letter : letters('a', std::max<Index>(count - 10, 0)))
    symbols.push_back(letter);
  return symbols;
}

}  // namespace tapehead::data
