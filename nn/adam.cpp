#include "adam.h"

#include <cmath>
#include <limits>

#include "../core/update.h"

namespace tapehead::optim {

Adam::Adam(const std::vector<Tensor>& params, const AdamOptions& options)
    : Adam("Adam", params, options, Decay::L2) {}

Adam::Adam(const char* name, const std::vector<Tensor>& params, const AdamOptions& options,
           Decay decay)
    : Optimizer(name, params, options.lr),
      options_(options),
      decay_(decay),
      states_(parameters().size()) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check("betas[0]", options.betas[0], 1);
  check("betas[1]", options.betas[1], 1);
  check("eps", options.eps, infinity);
  check("weight_decay", options.weight_decay, infinity);
}

void Adam::step() {
  const std::vector<std::size_t> due = this->due();
  for (const std::size_t i : due) {
    prepare(states_[i].mean, parameters()[i]);
    prepare(states_[i].square, parameters()[i]);
  }
  const auto [beta1, beta2] = options_.betas;
  const bool decoupled = decay_ == Decay::Decoupled;
  for (const std::size_t i : due) {
    const Tensor& parameter = parameters()[i];
    State& state = states_[i];
    ++state.steps;
    core::adam_(parameter.impl()->array, parameter.grad().array(), state.mean, state.square,
                {.beta1 = beta1,
                 .beta2 = beta2,
                 .eps = options_.eps,
                 .step_size = lr() / (1 - std::pow(beta1, state.steps)),
                 .root_correction = std::sqrt(1 - std::pow(beta2, state.steps)),
                 .l2 = decoupled ? 0 : options_.weight_decay,
                 .keep = decoupled ? 1 - lr() * options_.weight_decay : 1});
  }
}

}  // namespace tapehead::optim
