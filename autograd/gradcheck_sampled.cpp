#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>

#include "../core/random.h"
#include "comparison.h"
#include "create.h"
#include "gradcheck.h"
#include "ops.h"
#include "probe.h"

namespace tapehead {
namespace {

// The sum of f's outputs, each projected on random numbers that stay the same.
CheckedFunction projected(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                          const NamedTensors& parameters, core::Generator& random) {
  std::vector<Tensor> onto;
  for (const Tensor& output : Probe(f, inputs, parameters).outputs())
    onto.emplace_back(core::randn(random, output.shape(), Float64));
  return [&f, onto](const std::vector<Tensor>& x) {
    Tensor loss = zeros({}, Float64);
    auto weights = onto.begin();
    for (const Tensor& output : f(x))
      if (core::is_floating(output.dtype())) loss = loss + sum(output * *weights++);
    return loss;
  };
}

// Ends the check in time: knows when it has to end, and how long one entry may take.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Deadline(double seconds) : seconds_(seconds) {}

  /// Whether another entry as long as the longest so far would end in time, and time to spare.
  bool allows_another() const { return since(start_) + 1.5 * longest_ < seconds_; }
  template <class Measure>
  auto timed(Measure measure) {
    const Clock::time_point begin = Clock::now();
    auto result = measure();
    longest_ = std::max(longest_, since(begin));
    return result;
  }

 private:
  static double since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  Clock::time_point start_ = Clock::now();
  double seconds_, longest_ = 0;
};

// A direction of length 1 through all targets.
std::vector<NDArray> random_direction(const std::vector<Target>& targets, core::Generator& random) {
  std::vector<NDArray> direction;
  double square = 0;
  for (const Target& target : targets) {
    direction.push_back(core::randn(random, target.original.shape(), Float64));
    for (Index i = 0; i < target.size(); ++i) square += std::pow(element(direction.back(), i), 2);
  }
  for (NDArray& part : direction)
    for (Index i = 0; i < part.size(); ++i) part.mutable_data<double>()[i] /= std::sqrt(square);
  return direction;
}

double dot(const std::vector<NDArray>& a, const std::vector<NDArray>& b) {
  double result = 0;
  for (std::size_t t = 0; t < a.size(); ++t)
    for (Index i = 0; i < b[t].size(); ++i) result += element(a[t], i) * element(b[t], i);
  return result;
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

std::string entry(const Target& target, Index i) {
  return core::to_text("loss by ", target.name, " ", core::index_of(target.original.shape(), i));
}

}  // namespace

GradcheckResult gradcheck_sampled(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                                  const NamedTensors& parameters, const SampleOptions& options) {
  if (options.entries < 0)
    fail("gradcheck_sampled: the number of entries cannot be negative, got ", options.entries,
         "; 0 checks one direction alone");
  Deadline deadline(options.seconds);
  core::Generator random(options.seed);
  const CheckedFunction loss = projected(f, inputs, parameters, random);
  Probe probe(loss, inputs, parameters);
  std::vector<Target>& targets = probe.targets();

  const Tensor value = probe.outputs()[0];
  const NDArray one = NDArray::full({}, 1, Float64);
  const std::array said{probe.gradients(value, one, false), probe.gradients(value, one, true)};
  Comparison comparison(options);
  const std::vector<NDArray> direction = random_direction(targets, random);
  comparison.add({dot(said[0], direction), dot(said[1], direction)},
                 deadline.timed([&] { return probe.measure(direction, options.eps)[0]; }),
                 [] { return std::string("loss along a random direction"); });

  std::vector<std::vector<Index>> entries;
  std::size_t turns = 0;
  for (const Target& target : targets) {
    entries.push_back(sample(target.size(), options.entries, random));
    turns = std::max(turns, entries.back().size());
  }
  Index skipped = 0;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (std::size_t t = 0; t < targets.size(); ++t) {
      if (turn >= entries[t].size()) continue;
      if (skipped || !deadline.allows_another()) {
        ++skipped;
        continue;
      }
      const Index i = entries[t][turn];
      comparison.add({element(said[0][t], i), element(said[1][t], i)},
                     deadline.timed([&] { return probe.measure(targets[t], i, options.eps)[0]; }),
                     [&] { return entry(targets[t], i); });
    }
  }
  return comparison.finish(skipped);
}

}  // namespace tapehead
