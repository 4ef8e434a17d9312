// induction: different symbols, then a stretch of them again, to be continued.
#include <algorithm>
#include <cmath>

#include "parts.h"

namespace tapehead::data {

Task induction_task(const TaskSize& size) {
  const Index symbols = checked_size("induction", "symbols", size.symbols, {26, 2, 26});
  const Index length =
      checked_size("induction", "length", size.length, {std::min<Index>(16, symbols), 2, symbols});
  const Index again = length / 2;
  const auto ask = [symbols, length, again](core::Generator& random) {
    const std::vector<Index> first = some_of(random, symbols, length);
    const auto stretch = first.begin() + below(random, length - again);
    Example example{first, std::vector<Index>(first.size(), no_target)};
    example.inputs.insert(example.inputs.end(), stretch, stretch + again);
    example.targets.insert(example.targets.end(), stretch + 1, stretch + 1 + again);
    return example;
  };
  return hold_out(
      {.name = "induction",
       .question =
           core::to_text(length, " letters, then one of them again, answered by those after"),
       .vocabulary = Vocabulary(letters('a', symbols)),
       .length = length + again,
       .causal = true,
       .answers_within = true,
       .chance = std::pow(1.0 / static_cast<double>(symbols), static_cast<double>(again))},
      ask);
}

}  // namespace tapehead::data
