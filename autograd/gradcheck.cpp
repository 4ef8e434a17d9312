#include "gradcheck.h"

#include <cmath>

#include "../core/random.h"
#include "create.h"
#include "fork_rng.h"
#include "gradcheck/jacobian_check.h"
#include "ops.h"

namespace tapehead {
namespace {

// Random numbers whose squares add up to 1.
NDArray unit(core::Generator& random, const Shape& shape) {
  NDArray result = core::randn(random, shape, Float64);
  double square = 0;
  for (Index i = 0; i < result.size(); ++i) square += element(result, i) * element(result, i);
  for (Index i = 0; i < result.size(); ++i) result.mutable_data<double>()[i] /= std::sqrt(square);
  return result;
}

// Each output as its product with random numbers that stay the same.
Checked weighted(const Checked& checked, core::Generator& random) {
  std::vector<Tensor> onto;
  Checked result = checked;
  result.outputs.clear();
  for (const Tensor& output : Probe(checked).outputs()) {
    result.outputs.push_back(checked.output_name(onto.size()) + ", weighted at random,");
    onto.emplace_back(unit(random, output.shape()));
  }
  result.f = [f = checked.f, onto](const std::vector<Tensor>& x) {
    std::vector<Tensor> sums;
    for (const Tensor& output : matched_outputs(f(x), onto))
      sums.push_back(sum(output * onto[sums.size()]));
    return Outputs(sums);
  };
  return result;
}

GradcheckResult fast(const Checked& checked, const GradcheckOptions& options) {
  core::Generator random(0);
  Probe probe(weighted(checked, random));
  JacobianCheck check(probe, options, by_name(probe.targets()));
  for (std::size_t t = 0; t < probe.targets().size(); ++t) {
    const Target& target = probe.targets()[t];
    const NDArray speed = unit(random, target.original.shape());
    if (target.size() > 0)
      check.column(t, Direction::through(t, {speed}), "along a random direction of " + target.name);
  }
  return check.finish();
}

GradcheckResult full(const Checked& checked, const GradcheckOptions& options) {
  Probe probe(checked);
  JacobianCheck check(probe, options, by_name(probe.targets()));
  for (std::size_t t = 0; t < probe.targets().size(); ++t) {
    const Target& target = probe.targets()[t];
    for (Index i = 0; i < target.size(); ++i)
      check.column(t, Direction::element(t, i),
                   "by " + element_name(target.name, target.original.shape(), i));
  }
  return check.finish();
}

}  // namespace

CheckedFunction seeded(CheckedFunction f, std::uint64_t seed) {
  return [f = std::move(f), seed](const std::vector<Tensor>& inputs) {
    const ForkRng fork;
    manual_seed(seed);
    return f(inputs);
  };
}

GradcheckResult gradcheck(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                          const NamedTensors& parameters, const GradcheckOptions& options) {
  check_options(options);
  const Checked checked = of_order({f, inputs, parameters}, options.order);
  return options.fast_mode ? fast(checked, options) : full(checked, options);
}

GradcheckResult gradgradcheck(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                              const NamedTensors& parameters, const GradcheckOptions& options) {
  GradcheckOptions next = options;
  ++next.order;
  return gradcheck(f, inputs, parameters, next);
}

}  // namespace tapehead
