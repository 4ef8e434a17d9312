// recall: aBcDeF and the keys again in another order, eac, each answered by its value.
#include <cmath>

#include "parts.h"

namespace tapehead::data {

Task recall_task(const TaskSize& size) {
  const Index symbols = checked_size("recall", "symbols", size.symbols, {16, 2, 26});
  const Index pairs = checked_size("recall", "length", size.length, {8, 1, symbols});
  const auto ask = [symbols, pairs](core::Generator& random) {
    const std::vector<Index> keys = some_of(random, symbols, pairs);
    Example example;
    for (const Index key : keys) {
      example.inputs.push_back(key);
      example.inputs.push_back(symbols + below(random, symbols));
    }
    example.targets.assign(example.inputs.size(), no_target);
    for (const Index pair : some_of(random, pairs, pairs)) {
      const auto key = static_cast<std::size_t>(2 * pair);
      example.inputs.push_back(example.inputs[key]);
      example.targets.push_back(example.inputs[key + 1]);
    }
    return example;
  };
  std::vector<std::string> names = letters('a', symbols);
  for (const std::string& value : letters('A', symbols)) names.push_back(value);
  return hold_out(
      {.name = "recall",
       .question = core::to_text(pairs, " pairs of a key and a value, then the keys, ",
                                 "answered by their values"),
       .vocabulary = Vocabulary(names),
       .length = 3 * pairs,
       .causal = true,
       .chance = std::pow(1.0 / static_cast<double>(symbols), static_cast<double>(pairs))},
      ask);
}

}  // namespace tapehead::data
