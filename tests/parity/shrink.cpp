#include "shrink.h"

#include "row.h"

namespace parity {
namespace {

// What is said of the last step when all others are replayed; nothing if it no longer differs.
std::optional<std::string> still_differs(const Plan& plan, std::uint64_t noise_seed) {
  Lockstep graph(noise_seed);
  for (std::size_t i = 0; i + 1 < plan.size(); ++i) graph.replay(plan[i]);
  const auto outcome = graph.replay(plan.back());
  if (!outcome || outcome->kind != Outcome::Different) return {};
  return outcome->text;
}

// The plan without tensor i of the last step's list: an input, or an output and its weight.
std::optional<Plan> without(const Plan& plan, std::size_t list, std::size_t i) {
  Plan smaller = plan;
  Arguments& arguments = smaller.back().arguments;
  for (const std::size_t k : {list, list + 2}) {
    if (k >= arguments.size()) break;
    auto* tensors = std::get_if<Operands>(&arguments[k]);
    if (tensors == nullptr) break;
    if (tensors->size() < 2 || i >= tensors->size()) return {};
    tensors->erase(tensors->begin() + static_cast<std::ptrdiff_t>(i));
  }
  return smaller;
}

// Differentiates less, as long as that differs.
void shrink_lists(Difference& difference, std::uint64_t noise_seed) {
  if (difference.plan.back().row != &control("grad")) return;
  for (const std::size_t list : {std::size_t{0}, std::size_t{1}})
    for (std::size_t i = std::get<Operands>(difference.plan.back().arguments[list]).size();
         i-- > 0;)
      if (auto plan = without(difference.plan, list, i))
        if (const auto text = still_differs(*plan, noise_seed))
          difference = {std::move(*plan), *text};
}

}  // namespace

Difference shrink(const Difference& difference, std::uint64_t noise_seed) {
  Difference smallest = difference;
  shrink_lists(smallest, noise_seed);
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = smallest.plan.size() - 1; i-- > 0;) {
      Plan plan = smallest.plan;
      plan.erase(plan.begin() + static_cast<std::ptrdiff_t>(i));
      if (const auto text = still_differs(plan, noise_seed)) {
        smallest = {std::move(plan), *text};
        smaller = true;
      }
    }
  }
  return smallest;
}

void print(std::ostream& out, const Difference& difference, std::uint64_t noise_seed) {
  Lockstep graph(noise_seed, nullptr, &out);
  for (const Step& step : difference.plan) graph.replay(step);
}

}  // namespace parity
