#include "sgd.h"

#include <cmath>
#include <limits>

#include "../core/update.h"

namespace tapehead::optim {
namespace {

std::vector<std::string> buffers(const SGDOptions& options) {
  if (options.momentum == 0) return {};
  return {"momentum_buffer"};
}

}  // namespace

SGD::SGD(const std::vector<ParamGroup>& groups, const SGDOptions& options)
    : Optimizer("SGD", groups, options.lr, options.weight_decay, buffers(options)),
      options_(options) {
  check("momentum", options.momentum, std::numeric_limits<double>::infinity());
  if (!std::isfinite(options.dampening))
    fail("SGD: dampening must be finite, got ", options.dampening);
  if (options.nesterov && (options.momentum == 0 || options.dampening != 0))
    fail("SGD: nesterov needs a momentum and no dampening, got momentum ", options.momentum,
         " and dampening ", options.dampening);
}

void SGD::step() {
  NDArray none;
  for (const std::size_t i : begin_step()) {
    const Tensor& parameter = parameters()[i];
    State& state = this->state(i);
    core::sgd_(parameter.impl()->array, parameter.grad().array(),
               state.buffers.empty() ? none : state.buffers[0],
               {lr(i), options_.momentum, options_.dampening, weight_decay(i), options_.nesterov,
                state.steps == 1});
  }
}

}  // namespace tapehead::optim
