#include "kink.h"

#include <algorithm>
#include <cmath>

#include "../observer.h"

namespace tapehead {
namespace {

struct Step {
  std::string op;
  std::vector<double> values;
};

// Everything that f computes in Float64, op by op.
class Steps : public Observer {
 public:
  void after(const OpCall& call, const Tensor& result) override {
    if (result.dtype() != Float64) return;
    const NDArray array = result.array().contiguous();
    const std::string op =
        *call.within ? std::string("the derivative of ") + call.within : std::string(call.op);
    steps.push_back({op, {array.data<double>(), array.data<double>() + array.size()}});
  }
  std::vector<Step> steps;
};

std::vector<Step> steps_at(Probe& probe, const Direction& direction, double step) {
  probe.move(direction, step);
  Steps seen;
  probe.outputs();
  return std::move(seen.steps);
}

}  // namespace

std::string kinked_op(Probe& probe, const Direction& direction, double eps,
                      const std::function<double(double)>& allowed) {
  const std::vector<Step> above = steps_at(probe, direction, eps),
                          below = steps_at(probe, direction, -eps),
                          here = steps_at(probe, direction, 0);
  for (std::size_t k = 0; k < std::min({above.size(), below.size(), here.size()}); ++k) {
    const std::size_t n = here[k].values.size();
    if (above[k].op != here[k].op || below[k].op != here[k].op) break;
    if (above[k].values.size() != n || below[k].values.size() != n) break;
    for (std::size_t i = 0; i < n; ++i) {
      const double at = here[k].values[i];
      const double up = (above[k].values[i] - at) / eps, down = (at - below[k].values[i]) / eps;
      if (std::abs(up - down) > allowed(std::max(std::abs(up), std::abs(down)))) return here[k].op;
    }
  }
  return "an op";
}

}  // namespace tapehead
