#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "../../core/elementwise.h"
#include "../../core/random.h"
#include "../create.h"
#include "../ops.h"
#include "deadline.h"
#include "jacobian_check.h"

namespace tapehead {
namespace {

// The sum of the outputs, each projected on random numbers that stay the same.
Checked projected(const Checked& checked, core::Generator& random) {
  std::vector<Tensor> onto;
  for (const Tensor& output : Probe(checked).outputs())
    onto.emplace_back(core::randn(random, output.shape(), Float64));
  Checked result = checked;
  result.outputs = {"loss"};
  result.f = [f = checked.f, onto](const std::vector<Tensor>& x) {
    Tensor loss = zeros({}, Float64);
    auto weights = onto.begin();
    for (const Tensor& output : matched_outputs(f(x), onto)) loss = loss + sum(output * *weights++);
    return loss;
  };
  return result;
}

// A direction of length 1 through all targets.
Direction random_direction(const std::vector<Target>& targets, core::Generator& random) {
  std::vector<NDArray> speeds;
  double square = 0;
  for (const Target& target : targets) {
    speeds.push_back(core::randn(random, target.original.shape(), Float64));
    const double* const speed = speeds.back().data<double>();
    for (Index i = 0; i < target.size(); ++i) square += speed[i] * speed[i];
  }
  for (NDArray& speed : speeds) core::mul_(speed, 1 / std::sqrt(square));
  return Direction::through(0, std::move(speeds));
}

// `count` different numbers below n, or all.
std::vector<Index> sample(Index n, Index count, core::Generator& random) {
  if (n <= count) {
    std::vector<Index> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::set<Index> chosen;
  while (static_cast<Index>(chosen.size()) < count)
    chosen.insert(static_cast<Index>(random.random64() % static_cast<std::uint64_t>(n)));
  return {chosen.begin(), chosen.end()};
}

// What columns are about: everything at once, then each target.
std::vector<GradcheckTarget> all_and_each(const std::vector<Target>& targets) {
  std::vector<GradcheckTarget> result = by_name(targets);
  result.insert(result.begin(), {"everything at once", {}});
  return result;
}

// Entries of all targets, which take turns; how many there was no time for.
Index check_entries(JacobianCheck& check, const std::vector<Target>& targets,
                    const std::vector<std::vector<Index>>& entries, Deadline& deadline) {
  std::size_t turns = 0;
  for (const std::vector<Index>& some : entries) turns = std::max(turns, some.size());
  Index skipped = 0;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (std::size_t t = 0; t < targets.size(); ++t) {
      if (turn >= entries[t].size()) continue;
      if (skipped || !deadline.allows_another()) {
        ++skipped;
        continue;
      }
      const Index i = entries[t][turn];
      const Shape& shape = targets[t].original.shape();
      deadline.timed([&] {
        check.column(t + 1, Direction::element(t, i),
                     "by " + element_name(targets[t].name, shape, i));
      });
    }
  }
  return skipped;
}

}  // namespace

GradcheckResult gradcheck_sampled(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                                  const NamedTensors& parameters, const SampleOptions& options) {
  check_options(options);
  if (options.entries < 0)
    fail("gradcheck_sampled: the number of entries cannot be negative, got ", options.entries,
         "; 0 checks one direction alone");
  Deadline deadline(options.seconds);
  core::Generator random(options.seed);
  Probe probe(projected(of_order({f, inputs, parameters}, options.order), random));
  const std::vector<Target>& targets = probe.targets();
  JacobianCheck check(probe, options, all_and_each(targets));
  const Direction everything = random_direction(targets, random);
  deadline.timed([&] { check.column(0, everything, "along a random direction"); });
  std::vector<std::vector<Index>> entries;
  for (const Target& target : targets)
    entries.push_back(sample(target.size(), options.fast_mode ? 0 : options.entries, random));
  return check.finish(check_entries(check, targets, entries, deadline));
}

}  // namespace tapehead
