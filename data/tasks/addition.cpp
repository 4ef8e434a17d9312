// addition: a1 a0 + b1 b0 = c0 c1 c2, where each symbol is asked from those before it; only c
// counts.
#include <algorithm>
#include <cmath>

#include "parts.h"

namespace tapehead::data {
namespace {

constexpr Index plus = 10, equals = 11;

// Lowest digit first.
std::vector<Index> sum(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::vector<Index> digits;
  Index carry = 0;
  for (std::size_t i = a.size(); i-- > 0; carry /= 10) {
    carry += a[i] + b[i];
    digits.push_back(carry % 10);
  }
  digits.push_back(carry);
  return digits;
}

Example write(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::vector<Index> text = a;
  text.push_back(plus);
  text.insert(text.end(), b.begin(), b.end());
  text.push_back(equals);
  const std::size_t asked = text.size() - 1;
  const std::vector<Index> c = sum(a, b);
  text.insert(text.end(), c.begin(), c.end());
  Example example{{text.begin(), text.end() - 1}, {text.begin() + 1, text.end()}};
  std::fill_n(example.targets.begin(), asked, no_target);
  return example;
}

// The two numbers, the smaller one first.
std::vector<Index> pair_of(const Example& example) {
  const auto split = std::find(example.inputs.begin(), example.inputs.end(), plus);
  const std::vector<Index> a(example.inputs.begin(), split);
  const std::vector<Index> b(split + 1, split + 1 + (split - example.inputs.begin()));
  std::vector<Index> key = std::min(a, b);
  const std::vector<Index>& larger = std::max(a, b);
  key.insert(key.end(), larger.begin(), larger.end());
  return key;
}

}  // namespace

Task addition_task(const TaskSize& size) {
  const Index length = checked_size("addition", "length", size.length, {2, 1, 100});
  refuse_size("addition", "symbols", size.symbols);
  const auto ask = [length](core::Generator& random) {
    std::vector<Index> a, b;
    for (Index i = 0; i < length; ++i) a.push_back(below(random, 10));
    for (Index i = 0; i < length; ++i) b.push_back(below(random, 10));
    return write(a, b);
  };
  std::vector<std::string> symbols = digits(10);
  symbols.insert(symbols.end(), {"+", "="});
  return hold_out(
      {.name = "addition",
       .question = core::to_text("the sum of two numbers of ", length,
                                 length == 1 ? " digit" : " digits", ", its lowest digit first"),
       .vocabulary = Vocabulary(symbols),
       .length = 3 * length + 2,
       .causal = true,
       .answers_within = true,
       .chance = std::pow(0.1, static_cast<double>(length)) / 2},
      ask, pair_of);
}

}  // namespace tapehead::data
