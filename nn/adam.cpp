#include "adam.h"

#include <cmath>
#include <limits>

#include "../core/update.h"

namespace tapehead::optim {

Adam::Adam(const char* name, const std::vector<ParamGroup>& groups, const AdamOptions& options,
           Decay decay)
    : Optimizer(name, groups, options.lr, options.weight_decay, {"exp_avg", "exp_avg_sq"}),
      options_(options),
      decay_(decay) {
  check("betas[0]", options.betas[0], 1);
  check("betas[1]", options.betas[1], 1);
  check("eps", options.eps, std::numeric_limits<double>::infinity());
}

void Adam::step() {
  const auto [beta1, beta2] = options_.betas;
  const bool decoupled = decay_ == Decay::Decoupled;
  for (const std::size_t i : begin_step()) {
    const Tensor& parameter = parameters()[i];
    State& state = this->state(i);
    const auto steps = static_cast<double>(state.steps);
    core::adam_(parameter.impl()->array, parameter.grad().array(), state.buffers[0],
                state.buffers[1],
                {.beta1 = beta1,
                 .beta2 = beta2,
                 .eps = options_.eps,
                 .step_size = lr(i) / (1 - std::pow(beta1, steps)),
                 .root_correction = std::sqrt(1 - std::pow(beta2, steps)),
                 .l2 = decoupled ? 0 : weight_decay(i),
                 .keep = decoupled ? 1 - lr(i) * weight_decay(i) : 1});
  }
}

}  // namespace tapehead::optim
