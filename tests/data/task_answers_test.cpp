// What the tasks of tasks.h ask, and that each answer is right.
#include <doctest/doctest.h>
#include <tapehead/data/tasks.h>

#include <algorithm>
#include <map>
#include <set>

using namespace tapehead;
using namespace tapehead::data;
using Tokens = std::vector<Index>;

namespace {

std::vector<Example> drawn(const Task& task, int count) {
  core::Generator random(1);
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) examples.push_back(task.draw(random));
  for (const Example& e : task.held_out()) examples.push_back(e);
  return examples;
}

// A line of symbols; '.' where nothing is asked.
std::string text(const Task& task, const Tokens& tokens) {
  std::string line;
  for (const Index token : tokens) line += token == no_target ? "." : task.vocabulary[token];
  return line;
}

std::string reversed(const std::string& text) { return {text.rbegin(), text.rend()}; }

}  // namespace

TEST_CASE("copy, reverse and sort answer with the right symbols, as many as are wished for") {
  for (const TaskSize& size : {TaskSize{}, TaskSize{.length = 12, .symbols = 20}}) {
    const Task copy = copy_task(size), reverse = reverse_task(size), sort = sort_task(size);
    CHECK(copy.length == size.length.value_or(8));
    CHECK(copy.vocabulary.size() == size.symbols.value_or(10));
    for (const Example& e : drawn(copy, 50)) CHECK(e.targets == e.inputs);
    for (const Example& e : drawn(reverse, 50))
      CHECK(e.targets == Tokens(e.inputs.rbegin(), e.inputs.rend()));
    for (const Example& e : drawn(sort, 50)) {
      Tokens sorted = e.inputs;
      std::sort(sorted.begin(), sorted.end());
      CHECK(e.targets == sorted);
    }
  }
  CHECK(copy_task().question == "8 digits, answered by the same");
  CHECK(sort_task({.symbols = 11}).question == "8 symbols, answered in ascending order");
  CHECK(reverse_task({.length = 2, .symbols = 5}).chance == doctest::Approx(1.0 / 25));
}

TEST_CASE("addition asks for each digit of the sum, lowest first, from what stands before it") {
  for (const Index digits : {1, 2, 5}) {
    const Task t = addition_task({.length = digits});
    CHECK(t.causal);
    const auto n = static_cast<std::size_t>(digits);
    for (const Example& e : drawn(t, 200)) {
      const std::string in = text(t, e.inputs), out = text(t, e.targets);  // 37+85=22, .....221
      CHECK(in[n] == '+');
      CHECK(in[2 * n + 1] == '=');
      const int sum = std::stoi(in.substr(0, n)) + std::stoi(in.substr(n + 1, n));
      CHECK(std::stoi(reversed(out.substr(2 * n + 1))) == sum);
      CHECK(out.substr(0, 2 * n + 1) == std::string(2 * n + 1, '.'));
      CHECK(out.size() == 3 * n + 2);
      CHECK(in.substr(2 * n + 2) == out.substr(2 * n + 1, n));
    }
  }
  CHECK(addition_task().chance == doctest::Approx(1.0 / 200));
}

TEST_CASE("recall asks for the value of each key, of eight different ones of sixteen") {
  const Task t = recall_task();
  CHECK(t.causal);
  for (const Example& e : drawn(t, 200)) {
    const std::string in = text(t, e.inputs), out = text(t, e.targets);
    std::map<char, char> value;
    for (std::size_t i = 0; i < 16; i += 2) value[in[i]] = in[i + 1];
    CHECK(value.size() == 8);
    for (const auto& [key, of_it] : value) {
      CHECK((key >= 'a' && key <= 'p'));
      CHECK((of_it >= 'A' && of_it <= 'P'));
    }
    CHECK(out.substr(0, 16) == std::string(16, '.'));
    std::set<char> asked;
    for (std::size_t i = 16; i < 24; ++i) {
      CHECK(out[i] == value.at(in[i]));
      asked.insert(in[i]);
    }
    CHECK(asked.size() == 8);
  }
}

TEST_CASE("induction asks at each second occurrence for what followed the first") {
  const Task t = induction_task();
  CHECK(t.causal);
  std::set<std::size_t> starts;
  for (const Example& e : drawn(t, 400)) {
    const std::string in = text(t, e.inputs), out = text(t, e.targets);
    CHECK(std::set<char>(in.begin(), in.begin() + 16).size() == 16);
    CHECK(out.substr(0, 16) == std::string(16, '.'));
    for (std::size_t i = 16; i < 24; ++i) {
      CHECK(out[i] == in[in.find(in[i]) + 1]);
      if (i < 23) CHECK(in[i + 1] == out[i]);
    }
    starts.insert(in.find(in[16]));
  }
  CHECK(starts.size() == 8);  // no place that would always be right
}

TEST_CASE("modular addition asks for the sum of two numbers below the modulus") {
  const Task t = modular_task({.symbols = 7});
  CHECK(t.vocabulary.size() == 8);
  CHECK(t.chance == doctest::Approx(1.0 / 7));
  for (const Example& e : drawn(t, 100)) {
    CHECK(e.inputs[1] == 7);
    CHECK(e.targets == Tokens{no_target, no_target, (e.inputs[0] + e.inputs[2]) % 7});
  }
}

TEST_CASE("brackets are answered by how many are open, x from where one closes nothing") {
  const Task t = brackets_task();
  CHECK(t.causal);
  int balanced = 0, all = 0, deepest = 0;
  for (const Example& e : drawn(t, 2000)) {
    const std::string in = text(t, e.inputs), out = text(t, e.targets);
    std::string open;  // a stack
    bool broken = false;
    for (std::size_t i = 0; i < in.size(); ++i) {
      broken = broken || (in[i] == ')' && open.empty());
      if (!broken && in[i] == '(') open.push_back('(');
      if (!broken && in[i] == ')') open.pop_back();
      CHECK(out[i] == (broken ? 'x' : static_cast<char>('0' + open.size())));
      deepest = std::max(deepest, static_cast<int>(open.size()));
    }
    balanced += !broken && open.empty();
    ++all;
  }
  CHECK(deepest == 8);
  CHECK(balanced > all * 45 / 100);
  CHECK(balanced < all * 55 / 100);
}
