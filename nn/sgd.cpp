#include "sgd.h"

#include <limits>
#include <utility>

#include "../core/update.h"

namespace tapehead::optim {

SGD::SGD(const std::vector<Tensor>& params, const SGDOptions& options)
    : Optimizer("SGD", params, options.lr), options_(options), states_(parameters().size()) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check("momentum", options.momentum, infinity);
  check("weight_decay", options.weight_decay, infinity);
  if (options.nesterov && (options.momentum == 0 || options.dampening != 0))
    fail("SGD: nesterov needs a momentum and no dampening, got momentum ", options.momentum,
         " and dampening ", options.dampening);
}

void SGD::step() {
  const std::vector<std::size_t> due = this->due();
  if (options_.momentum != 0)
    for (const std::size_t i : due) prepare(states_[i].momentum, parameters()[i]);
  for (const std::size_t i : due) {
    const Tensor& parameter = parameters()[i];
    State& state = states_[i];
    core::sgd_(parameter.impl()->array, parameter.grad().array(), state.momentum,
               {lr(), options_.momentum, options_.dampening, options_.weight_decay,
                options_.nesterov, !std::exchange(state.begun, true)});
  }
}

}  // namespace tapehead::optim
