// copy, reverse, sort: digits in, the same digits out, in another order.
#include <algorithm>
#include <cmath>

#include "parts.h"

namespace tapehead::data {
namespace {

using Answer = void (*)(std::vector<Index>&);

Task sequence_task(const char* name, const char* answered, const TaskSize& size, Answer answer) {
  const Index length = checked_size(name, "length", size.length, {8, 1, 512});
  const Index symbols = checked_size(name, "symbols", size.symbols, {10, 2, 36});
  const auto ask = [length, symbols, answer](core::Generator& random) {
    Example example;
    for (Index i = 0; i < length; ++i) example.inputs.push_back(below(random, symbols));
    example.targets = example.inputs;
    answer(example.targets);
    return example;
  };
  const double chance = std::pow(1.0 / static_cast<double>(symbols), static_cast<double>(length));
  return hold_out({.name = name,
                   .question = core::to_text(length, symbols > 10 ? " symbols" : " digits",
                                             ", answered ", answered),
                   .vocabulary = Vocabulary(digits(symbols)),
                   .length = length,
                   .causal = false,
                   .chance = chance},
                  ask);
}

}  // namespace

Task copy_task(const TaskSize& size) {
  return sequence_task("copy", "by the same", size, [](std::vector<Index>&) {});
}

Task reverse_task(const TaskSize& size) {
  return sequence_task("reverse", "last to first", size,
                       [](std::vector<Index>& s) { std::reverse(s.begin(), s.end()); });
}

Task sort_task(const TaskSize& size) {
  return sequence_task("sort", "in ascending order", size,
                       [](std::vector<Index>& s) { std::sort(s.begin(), s.end()); });
}

}  // namespace tapehead::data
