// brackets: how many are open after each, x once they can no longer be balanced.
#include <algorithm>
#include <cmath>

#include "parts.h"

namespace tapehead::data {
namespace {

constexpr Index deepest = 8;
// Tokens: the two brackets, then 0 to 8 and x.
constexpr Index open = 0, closed = 1, none_open = 2, broken = none_open + deepest + 1;
using Brackets = std::vector<Index>;

// A random walk that can still come back: open or closed with equal odds where both may be.
Brackets draw_balanced(core::Generator& random, Index length) {
  Brackets brackets;
  Index depth = 0;
  for (Index left = length; left > 0; --left) {
    const bool may_open = depth<std::min(deepest, left - 1), may_close = depth> 0;
    const bool opens = may_open && (!may_close || below(random, 2) == 0);
    brackets.push_back(opens ? open : closed);
    depth += opens ? 1 : -1;
  }
  return brackets;
}

// One turned round, or two of them swapped.
void damage(core::Generator& random, Brackets& brackets) {
  const auto any = [&]() -> Index& {
    return brackets[static_cast<std::size_t>(below(random, std::ssize(brackets)))];
  };
  if (below(random, 2) == 0) {
    Index& bracket = any();
    bracket = bracket == open ? closed : open;
  } else {
    Index &one = any(), &other = any();
    std::swap(one, other);
  }
}

// As tokens; empty where more are open than there are digits for.
std::vector<Index> answers(const Brackets& brackets) {
  std::vector<Index> tokens;
  Index depth = 0;
  for (const Index bracket : brackets) {
    if (depth >= 0) depth += bracket == open ? 1 : -1;
    if (depth > deepest) return {};
    tokens.push_back(depth < 0 ? broken : none_open + depth);
  }
  return tokens;
}

Example draw_example(core::Generator& random, Index length) {
  const bool balanced = below(random, 2) == 0;
  for (;;) {
    Brackets brackets = draw_balanced(random, length);
    if (!balanced) damage(random, brackets);
    std::vector<Index> tokens = answers(brackets);
    if (!tokens.empty() && (tokens.back() == none_open) == balanced)
      return {std::move(brackets), std::move(tokens)};
  }
}

}  // namespace

Task brackets_task(const TaskSize& size) {
  const Index length = checked_size("brackets", "length", size.length, {24, 2, 512});
  if (length % 2 != 0)
    fail("brackets: expected an even length, got ", length, "; try ", length + 1);
  refuse_size("brackets", "symbols", size.symbols);
  const auto ask = [length](core::Generator& random) { return draw_example(random, length); };
  return hold_out(
      {.name = "brackets",
       .question = core::to_text(length, " brackets, answered by how many are open after each;",
                                 " x once they cannot be balanced"),
       .vocabulary = Vocabulary({"(", ")", "0", "1", "2", "3", "4", "5", "6", "7", "8", "x"}),
       .length = length,
       .causal = true,
       .chance = std::pow(0.1, static_cast<double>(length))},
      ask);
}

}  // namespace tapehead::data
