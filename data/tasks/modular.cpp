// modular: a + b, answered at b by the sum modulo a prime.
#include <algorithm>

#include "parts.h"

namespace tapehead::data {
namespace {

// a+b and b+a are one.
std::vector<Index> unordered(const Example& example) {
  const Index a = example.inputs.front(), b = example.inputs.back();
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

Task modular_task(const TaskSize& size) {
  refuse_size("modular", "length", size.length);
  const Index modulus = checked_size("modular", "symbols", size.symbols, {59, 2, 1000});
  const auto ask = [modulus](core::Generator& random) {
    const Index a = below(random, modulus), b = below(random, modulus);
    return Example{{a, modulus, b}, {no_target, no_target, (a + b) % modulus}};
  };
  std::vector<std::string> symbols;
  for (Index i = 0; i < modulus; ++i) symbols.push_back(std::to_string(i));
  symbols.emplace_back("+");
  return hold_out({.name = "modular",
                   .question = core::to_text("the sum of two numbers modulo ", modulus),
                   .vocabulary = Vocabulary(symbols),
                   .length = 3,
                   .causal = true,
                   .chance = 1.0 / static_cast<double>(modulus)},
                  ask, unordered, 4);
}

}  // namespace tapehead::data
